"""Brier curves and decision curves: closed forms, and their relations to scores and to each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.curves.random_rows import columns, rows_of

from calibrant.calibration import Isotonic
from calibrant.curves import brier_curve, decision_curve
from calibrant.exceptions import DataError, ParameterError
from calibrant.metrics import brier

ROWS = rows_of(st.sampled_from([1.0, 2.0, 0.5]))


@given(ROWS)
def test_the_area_under_a_brier_curve_is_the_brier_score(rows):
    y, p, weight = columns(rows)
    assert brier_curve(y, p, sample_weight=weight).area == pytest.approx(brier(y, p, sample_weight=weight), abs=1e-12)


@pytest.mark.filterwarnings("ignore:all scores are equal", "ignore:sample_weight of 2 rows sums to 1")
@given(ROWS)
def test_the_area_of_the_best_thresholds_is_the_brier_score_of_isotonic_regression(rows):
    y, p, weight = columns(rows)
    mapped = Isotonic(mode="step").fit(p, y, weight).predict(p)
    curve = brier_curve(y, p, sample_weight=weight)
    assert curve.best_area == pytest.approx(brier(y, mapped, sample_weight=weight), abs=1e-9)
    assert (curve.best <= curve.loss + 1e-12).all()


@given(ROWS, st.floats(0.001, 0.999))
def test_the_loss_is_the_cost_of_deciding_by_the_threshold_c(rows, c):
    y, p, weight = columns(rows)
    by_hand = 2 * (weight * np.where(y, (1 - c) * (p < c), c * (p >= c))).sum() / weight.sum()
    assert brier_curve(y, p, sample_weight=weight).at(c) == pytest.approx(by_hand, abs=1e-12)


@given(ROWS, st.floats(0.01, 0.99))
def test_net_benefit_is_a_function_of_the_brier_loss(rows, c):
    """Net benefit at c is the base rate less the loss divided by twice the cost of a false negative."""
    y, p, weight = columns(rows)
    curve = decision_curve(y, p, thresholds=[c], sample_weight=weight)
    share = weight[y].sum() / weight.sum()
    expected = share - brier_curve(y, p, sample_weight=weight).at(c) / (2 * (1 - c))
    assert curve.net_benefit[0] == pytest.approx(expected, abs=1e-10)


@given(ROWS)
def test_a_weight_of_2_is_the_row_twice(rows):
    y, p, weight = columns(rows)
    times = (2 * weight).astype(int)
    one = decision_curve(y, p, sample_weight=times)
    two = decision_curve(np.repeat(y, times), np.repeat(p, times))
    np.testing.assert_allclose(one.net_benefit, two.net_benefit, atol=1e-12)


def test_a_prevalence_corrects_a_case_control_sample():
    rng = np.random.default_rng(0)
    y, p = np.repeat([0, 1], [300, 100]), rng.random(400)
    weight = np.where(y == 1, 0.1 / 100, 0.9 / 300)
    corrected, weighted = decision_curve(y, p, prevalence=0.1), decision_curve(y, p, sample_weight=weight)
    np.testing.assert_allclose(corrected.net_benefit, weighted.net_benefit, atol=1e-12)
    np.testing.assert_allclose(corrected.everybody, weighted.everybody, atol=1e-12)


def test_intervals_surround_the_curve_and_are_narrower_with_more_rows():
    rng = np.random.default_rng(1)
    p = rng.random(2000)
    y = rng.random(2000) < p
    few, many = (decision_curve(y[:n], p[:n], confidence=0.9, n_boot=200, thresholds=[0.3]) for n in (200, 2000))
    assert few.low[0] < few.net_benefit[0] < few.high[0]
    assert many.high[0] - many.low[0] < few.high[0] - few.low[0]


def test_invalid_arguments_raise():
    with pytest.raises(ParameterError, match="inside"):
        decision_curve([0, 1], [0.2, 0.8], thresholds=[0, 0.5])
    with pytest.raises(DataError, match="Brier curve"):
        brier_curve([0, 0], [0.2, 0.8], labels=[0, 1])
