"""Lift, precision and recall, profit, and threshold tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import average_precision_score, precision_recall_curve
from tests.curves import table_5_6
from tests.curves.random_rows import WEIGHTED_ROWS, columns

from calibrant.curves import lift, precision_recall, profit_curve, threshold_table
from calibrant.exceptions import DataError, ParameterError


@given(WEIGHTED_ROWS)
def test_precision_and_recall_are_scikit_learns(rows):
    y, p, weight = columns(rows)
    ours = precision_recall(y, p, sample_weight=weight)
    precision, recall, threshold = precision_recall_curve(y, p, sample_weight=weight)
    np.testing.assert_allclose(ours.precision, precision[-2::-1])
    np.testing.assert_allclose(ours.recall, recall[-2::-1])
    np.testing.assert_array_equal(ours.threshold, threshold[::-1])
    assert ours.average_precision == pytest.approx(average_precision_score(y, p, sample_weight=weight), abs=1e-12)


def test_interpolated_precision_is_the_best_at_that_recall_or_more():
    curve = precision_recall([1, 0, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5])
    assert curve.interpolated([0, 0.2, 0.5, 1]).tolist() == pytest.approx([1, 1, 0.6, 0.6])


def test_table_5_6_has_a_lift_of_2_4_among_the_first_ten():
    """Witten, Frank & Hall, pages 168 to 169: 8 of the first 10 rows are yes, of all 150 rows 50."""
    curve = lift(table_5_6.y, table_5_6.proba)
    assert curve.responses_at(10 / 150) == pytest.approx(8)
    assert curve.lift_at(10 / 150) == pytest.approx(2.4)


def test_figure_5_1_marks_400_and_800_of_1000_respondents():
    """Pages 168 to 170, in single households: 400 respondents among 10 %, a lift of 4; 800 among 40 %, a lift of 2."""
    y = np.repeat([1, 0, 1, 0, 1, 0], [400, 99_600, 400, 299_600, 200, 599_800])
    curve = lift(y, np.repeat([0.9, 0.5, 0.1], [100_000, 300_000, 600_000]))
    assert curve.responses_at([0.1, 0.4]).tolist() == pytest.approx([400, 800])
    assert curve.lift_at([0.1, 0.4]).tolist() == pytest.approx([4, 2])


@given(WEIGHTED_ROWS)
def test_lift_starts_at_its_limit_and_ends_at_1(rows):
    y, p, weight = columns(rows)
    curve = lift(y, p, sample_weight=weight)
    assert curve.lift[0] == pytest.approx(float(curve.lift_at(0.0)))
    assert (curve.lift[-1], curve.fraction[-1], curve.gains[-1]) == pytest.approx((1, 1, 1))


def test_tied_rows_are_in_random_order():
    assert lift([1, 0, 1, 0], [0.5] * 4).responses_at([0.25, 0.5]).tolist() == [0.5, 1.0]


def figure_5_2():
    """22,285 rows with 1,417 respondents are ranked first, of 47,706 with 2,402."""
    y = np.repeat([1, 0, 1, 0], [1417, 22_285 - 1417, 2402 - 1417, 47_706 - 22_285 - 2402 + 1417])
    return y, np.repeat([0.9, 0.1], [22_285, 47_706 - 22_285])


def test_figure_5_2_b_earns_4560_60_from_the_first_46_71_percent():
    """Page 170: 0.80 for each letter to a non-respondent, 15.00 from a respondent after the letter is paid for."""
    curve = profit_curve(*figure_5_2(), amount=15.80, cost=0.80)
    assert curve.profit[curve.best] == pytest.approx(4560.60)
    assert curve.fraction[curve.best] == pytest.approx(0.4671, abs=5e-5)
    assert float(curve.random_at(curve.fraction[curve.best])) == pytest.approx(-99.59, abs=0.01)
    assert curve.profit[-1] == pytest.approx(-213.20)


def test_figure_5_2_a_earns_most_from_all_rows():
    curve = profit_curve(*figure_5_2(), amount=15.50, cost=0.50)
    assert curve.best == 2
    assert curve.profit[-1] == pytest.approx(13_378.00)


def test_rows_are_ranked_by_their_expected_profit():
    curve = profit_curve(
        [1, 1, 0], [0.5, 0.4, 0.3], amount=[10, 90, np.nan], cost=[1, 1, 1], estimated_amount=[12, 80, 5]
    )
    assert curve.threshold.tolist() == pytest.approx([np.inf, 31, 5, 0.5])
    assert curve.profit.tolist() == [0, 89, 98, 97]


@given(WEIGHTED_ROWS)
def test_the_profit_of_weight_2_is_that_of_the_row_twice(rows):
    y, p, weight = columns(rows)
    once = profit_curve(y, p, amount=3, cost=p + 1, sample_weight=weight)
    often = profit_curve(np.repeat(y, weight), np.repeat(p, weight), amount=3, cost=np.repeat(p, weight) + 1)
    np.testing.assert_allclose(once.to_frame(), often.to_frame(), atol=1e-12)


def test_a_missing_amount_of_a_positive_row_raises():
    with pytest.raises(DataError, match=r"amount has 1 NaN or infinite value\(s\) \(first at row 1\)"):
        profit_curve([0, 1], [0.1, 0.2], amount=[1, np.nan], cost=1)


@given(WEIGHTED_ROWS)
def test_the_table_counts_the_rows_at_or_above_each_threshold(rows):
    y, p, weight = columns(rows)
    table = threshold_table(y, p, sample_weight=weight, thresholds=[0.0, 0.3, 0.8, 2.0])
    for position, threshold in enumerate([2.0, 0.8, 0.3, 0.0]):
        selected = p >= threshold
        assert table.tp[position] == weight[selected & y].sum()
        assert table.fp[position] == weight[selected & ~y].sum()
        assert table.tn[position] == weight[~selected & ~y].sum()


def test_thresholds_must_be_numbers():
    with pytest.raises(ParameterError, match="thresholds must be a list of numbers"):
        threshold_table([0, 1], [0.1, 0.2], thresholds=[np.nan])
