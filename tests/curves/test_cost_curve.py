"""Cost and error curves against Figure 5.5 of Witten, Frank & Hall, and their envelopes against all lines."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_curve
from tests.curves.random_rows import ROWS, columns

from calibrant.curves import CostLine, Costs, cost_curve, error_curve
from calibrant.exceptions import ParameterError

A = CostLine(fpr=2 / 15, fnr=7 / 15)
B = CostLine(fpr=0.25, fnr=0.25)
COSTS = [[1.0, 4.0], [12.0, 2.0]]


def test_figure_5_5_operating_ranges():
    """Witten, Frank & Hall, pages 178 and 179: A from about 0.2 to 0.65, B from 0.25 to 0.75."""
    assert A.operating_range() == pytest.approx((0.2, 0.65))
    assert B.operating_range() == pytest.approx((0.25, 0.75))


def test_figure_5_5_extreme_classifiers():
    """Pages 177 and 178: always -, always +, always wrong, always right, from the left end to the right end."""
    lines = {(0, 1): [0, 0.5, 1], (1, 0): [1, 0.5, 0], (1, 1): [1, 1, 1], (0, 0): [0, 0, 0]}
    for (fpr, fnr), heights in lines.items():
        assert CostLine(fpr, fnr).at([0, 0.5, 1]).tolist() == heights
    curve = error_curve([0, 1, 1], [0.3, 0.2, 0.9])
    assert (curve.line(np.inf).fpr, curve.line(np.inf).fnr) == (0, 1)
    assert (curve.line(0.0).fpr, curve.line(0.0).fnr) == (1, 0)


def test_figure_5_5_lines_cross_at_0_35():
    """Page 178 reads about 0.45 off the figure; the lines of the two operating ranges meet at 0.35."""
    assert A.crossover(B).probability_cost == pytest.approx(0.35)


def test_a_crossover_is_mapped_back_to_the_share_of_positives():
    costs = Costs.read([[0, 1], [10, 0]])
    crossover = CostLine(A.fpr, A.fnr, costs).crossover(CostLine(B.fpr, B.fnr, costs))
    p = crossover.p
    assert p * 10 / (p * 10 + (1 - p)) == pytest.approx(crossover.probability_cost)
    assert CostLine(A.fpr, A.fnr, costs).expected_cost(p) == pytest.approx(
        CostLine(B.fpr, B.fnr, costs).expected_cost(p)
    )


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_correct_decisions_may_cost_something(fpr, fnr, p):
    (tn, fp), (fn, tp) = COSTS
    by_hand = p * (fnr * fn + (1 - fnr) * tp) + (1 - p) * (fpr * fp + (1 - fpr) * tn)
    assert CostLine(fpr, fnr, Costs.read(COSTS)).expected_cost(p) == pytest.approx(by_hand)


@given(st.floats(0, 1))
def test_the_share_of_positives_is_the_inverse_of_the_probability_cost(p):
    costs = Costs.read(COSTS)
    assert costs.p(costs.probability_cost(p)) == pytest.approx(p)


@given(ROWS, st.floats(0, 1))
def test_the_envelope_is_the_minimum_of_all_lines(rows, x):
    curve = cost_curve(*columns(rows))
    assert float(curve.at(x)) == pytest.approx((curve.fnr * x + curve.fpr * (1 - x)).min(), abs=1e-12)


@given(ROWS)
def test_the_best_threshold_of_each_segment_has_the_cost_of_the_envelope(rows):
    curve = cost_curve(*columns(rows))
    for start, end, threshold in zip(
        curve.probability_cost[:-1], curve.probability_cost[1:], curve.best_threshold, strict=True
    ):
        line = curve.line(threshold)
        np.testing.assert_allclose(line.at([start, end]), curve.at([start, end]), atol=1e-12)


@given(ROWS)
def test_no_envelope_is_above_always_predicting_the_same_class(rows):
    curve, x = cost_curve(*columns(rows)), np.linspace(0, 1, 21)
    assert (curve.at(x) <= np.minimum(x, 1 - x) + 1e-12).all()
    assert (curve.fpr[0], curve.fnr[0], curve.fpr[-1], curve.fnr[-1]) == (0, 1, 1, 0)


@given(ROWS)
def test_the_operating_range_is_where_the_envelope_is_below_both_trivial_lines(rows):
    curve, x = cost_curve(*columns(rows)), np.linspace(0.0005, 0.9995, 1000)
    low, high = curve.operating_range() or (1.0, 1.0)
    is_better, is_near = curve.at(x) < np.minimum(x, 1 - x) - 1e-9, np.minimum(abs(x - low), abs(x - high)) < 1e-3
    assert (is_better == ((low < x) & (x < high)))[~is_near].all()


def test_a_single_threshold_and_its_curve_have_the_same_operating_range():
    y, p = np.repeat([0, 0, 1, 1], [13, 2, 8, 7]), np.repeat([0.2, 0.8, 0.8, 0.2], [13, 2, 8, 7])
    assert cost_curve(y, p).operating_range() == pytest.approx(A.operating_range())


@given(ROWS)
def test_the_envelope_is_the_minimum_over_scikit_learns_roc_points(rows):
    y, p = columns(rows)
    fpr, tpr, _ = roc_curve(y, p, drop_intermediate=False)
    x = np.linspace(0, 1, 41)
    least = (np.outer(x, 1 - tpr) + np.outer(1 - x, fpr)).min(axis=1)
    np.testing.assert_allclose(cost_curve(y, p).at(x), least, atol=1e-12)


@given(ROWS, ROWS)
def test_the_cheaper_curve_changes_at_the_crossovers_only(one, other):
    first, second = cost_curve(*columns(one)), cost_curve(*columns(other))
    edges = [0.0, *(crossover.probability_cost for crossover in first.crossovers(second)), 1.0]
    for low, high in pairwise(edges):
        gap = first.at(np.linspace(low, high, 60)) - second.at(np.linspace(low, high, 60))
        assert not ((gap > 1e-9).any() and (gap < -1e-9).any())


def test_curves_that_meet_in_a_vertex_cross_there():
    first = cost_curve([0, 0, 0, 1, 1, 1, 1, 1, 1], [0.0, 0.1, 0.25, 0.0, 0.1, 0.1, 0.25, 0.25, 0.25])
    second = cost_curve([0, 1, 1, 1, 1, 1, 1], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.1])
    (crossover,) = first.crossovers(second)
    assert first.at(crossover.probability_cost) == pytest.approx(float(second.at(crossover.probability_cost)))


@pytest.mark.parametrize(("rate", "by_hand"), [(0.0, lambda p: 2 * p + (1 - p)), (1.0, lambda p: 12 * p + 4 * (1 - p))])
def test_always_right_and_always_wrong_have_the_minimum_and_maximum_cost(rate, by_hand):
    line, p = CostLine(rate, rate, Costs.read(COSTS)), np.linspace(0, 1, 5)
    np.testing.assert_array_equal(line.at(p), rate)
    np.testing.assert_allclose(line.expected_cost(p), by_hand(p))


def test_an_error_curve_has_the_error_rate_of_the_rows_at_their_own_share():
    y, p = np.array([0, 0, 0, 1, 1]), np.array([0.1, 0.6, 0.3, 0.4, 0.8])
    assert error_curve(y, p).line(0.5).at(y.mean()) == pytest.approx(((p >= 0.5) != y).mean())


def test_the_envelopes_of_two_models_cross_where_neither_is_better():
    y = [0, 0, 0, 0, 1, 1, 1, 1]
    sure_of_positives = cost_curve(y, [0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.8, 0.9], costs=[[0, 1], [4, 0]])
    sure_of_negatives = cost_curve(y, [0.1, 0.1, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6], costs=[[0, 1], [4, 0]])
    (crossover,) = sure_of_positives.crossovers(sure_of_negatives)
    assert crossover == pytest.approx((0.5, 0.2))
    assert sure_of_positives.expected_cost(0.2) == pytest.approx(float(sure_of_negatives.expected_cost(0.2)))
    assert sure_of_positives.at(0.4) < sure_of_negatives.at(0.4)


@pytest.mark.parametrize("costs", [[[0, 1], [0, 0]], [[1, 1], [1, 0]], [0, 1], "expensive", [[0, np.nan], [1, 0]]])
def test_invalid_costs_raise(costs):
    with pytest.raises(ParameterError, match="costs must be"):
        cost_curve([0, 1], [0.2, 0.8], costs=costs)
