"""The worked numbers of Witten, Frank & Hall (2011), sections 5.1 to 5.5, on training, testing and resampling."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier

from calibrant.metrics import proportion_interval
from calibrant.resampling import (
    Bootstrap632,
    CrossValidation,
    Holdout,
    LeaveOneOut,
    Resubstitution,
    estimate_performance,
)

RNG = np.random.default_rng(2011)
X, Y = RNG.random((200, 2)), np.array(["yes", "no"] * 100)
MAJORITY, MEMORISER = DummyClassifier(strategy="most_frequent"), KNeighborsClassifier(1)


def error(estimator: object, plan: object) -> float:
    return estimate_performance(estimator, X, Y, plan, ["error"]).mean("error")


def test_leave_one_out_of_balanced_random_rows_estimates_an_error_of_100_percent_p155() -> None:
    assert error(MAJORITY, LeaveOneOut()) == 1.0


def test_the_true_error_of_the_majority_rule_is_50_percent_p155() -> None:
    assert error(MAJORITY, CrossValidation(10)) == pytest.approx(0.5, abs=1e-12)


def test_the_632_bootstrap_estimates_31_6_percent_for_a_memoriser_p156() -> None:
    found = estimate_performance(MEMORISER, X, Y, Bootstrap632(50), ["error"])
    tested = (found.mean("error") - 0.368 * 0.0) / 0.632
    assert tested == pytest.approx(0.5, abs=0.06)  # four standard errors of 200 fair coins, about
    assert found.mean("error") == pytest.approx(0.316, abs=0.04)


def test_it_is_31_6_percent_exactly_where_half_of_the_test_rows_are_wrong_p156() -> None:
    assert pytest.approx(0.316) == 0.632 * 0.5 + 0.368 * 0.0


def test_a_memoriser_makes_no_error_on_training_rows_p156() -> None:
    assert error(MEMORISER, Resubstitution()) == 0.0


def test_632_plus_is_not_misled_by_a_memoriser() -> None:
    assert error(MEMORISER, Bootstrap632(50, plus=True)) == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize("n", [100, 1000, 10_000])
def test_a_row_is_left_out_of_a_bootstrap_sample_with_chance_0_368_p155(n: int) -> None:
    assert (1 - 1 / n) ** n == pytest.approx(math.exp(-1), abs=1 / n)
    assert round(math.exp(-1), 3) == 0.368
    left = [len(test) / n for _, test in Bootstrap632(20).split(np.zeros((n, 1)))]
    assert np.mean(left) == pytest.approx(0.368, abs=5 * 0.31 / math.sqrt(20 * n) + 1 / n)


def test_a_bootstrap_sample_has_as_many_rows_as_the_data_63_2_percent_of_them_different_p155() -> None:
    for train, test in Bootstrap632(5).split(np.zeros((2000, 1))):
        assert len(train) == 2000
        assert len(np.unique(train)) == 2000 - len(test)
        assert len(np.unique(train)) / 2000 == pytest.approx(0.632, abs=0.05)


def test_a_third_is_held_out_by_default_p152() -> None:
    train, test = next(Holdout().split(X, Y))
    assert (len(train), len(test)) == (133, 67)


def test_threefold_cross_validation_trains_on_two_thirds_and_tests_every_row_once_p153() -> None:
    splits = list(CrossValidation(3).split(X[:150], Y[:150]))
    assert [(len(train), len(test)) for train, test in splits] == [(100, 50)] * 3
    assert sorted(np.concatenate([test for _, test in splits])) == list(range(150))


def test_ten_times_tenfold_trains_100_times_on_nine_tenths_p154() -> None:
    sizes = [len(train) for train, _ in CrossValidation(10, 10).split(X, Y)]
    assert sizes == [180] * 100


def test_tenfold_stratified_is_the_standard_p153() -> None:
    assert CrossValidation().describe() == "10-fold cross-validation, stratified"


def test_leave_one_out_is_the_same_each_time_p154() -> None:
    assert error(MEMORISER, LeaveOneOut()) == error(MEMORISER, LeaveOneOut())


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"), [(750, 1000, 0.732, 0.767), (75, 100, 0.691, 0.801), (7.5, 10, 0.549, 0.881)]
)
def test_intervals_of_a_success_rate_at_80_percent_section_5_2(
    successes: float, n: int, low: float, high: float
) -> None:
    found = proportion_interval(successes, n, z=1.28)
    assert (round(found.low, 3), round(found.high, 3)) == (low, high)
