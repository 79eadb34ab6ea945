"""Plans by time: training rows come before test rows, one date is never split, words stand for plans."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.model_selection import TimeSeriesSplit

from calibrant.bayes import ConstantClassifier
from calibrant.exceptions import DataError, ParameterError
from calibrant.resampling import (
    Bootstrap632,
    CrossValidation,
    Holdout,
    LeaveOneOut,
    Plan,
    RollingOrigin,
    TimeOrderedHoldout,
    estimate_performance,
)

ROWS, CLASSES = np.zeros((80, 1)), np.arange(80) % 2
times = st.lists(st.integers(0, 40), min_size=12, max_size=80)


def splits(plan: Plan, n_rows: int, groups: Any = None) -> list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
    return list(plan.split(np.zeros((n_rows, 1)), groups=groups))


@given(st.integers(2, 9), st.integers(0, 3), st.integers(10, 60), st.randoms())
def test_without_equal_times_the_splits_are_those_of_scikit_learn(n: int, gap: int, n_rows: int, random: Any) -> None:
    """Its TimeSeriesSplit takes rows in order of time; here they come in any order."""
    assume(n_rows // (n + 1) > gap)
    order = random.sample(range(n_rows), n_rows)
    time = np.argsort(order)  # the row at position k of the order has the time k
    ours = splits(RollingOrigin(n, time=time, gap=gap), n_rows)
    theirs = TimeSeriesSplit(n, gap=gap).split(np.zeros((n_rows, 1)))
    rows = np.asarray(order)
    for (train, test), (before, after) in zip(ours, theirs, strict=True):
        assert train.tolist() == rows[before].tolist()
        assert test.tolist() == rows[after].tolist()


@given(times, st.integers(1, 4), st.integers(0, 2))
def test_every_training_row_is_strictly_before_every_test_row(time: list[int], n: int, gap: int) -> None:
    moment = np.asarray(time)
    for plan in (RollingOrigin(n, time=time, gap=gap), TimeOrderedHoldout(0.3, time=time, gap=gap)):
        try:
            found = splits(plan, len(time))
        except DataError:
            continue
        for train, test in found:
            assert moment[train].max() < moment[test].min()


@given(times, st.integers(1, 4))
def test_every_row_after_the_first_cut_is_tested_once(time: list[int], n: int) -> None:
    try:
        found = splits(RollingOrigin(n, time=time), len(time))
    except DataError:
        assume(False)
    tested = np.concatenate([test for _, test in found])
    assert sorted([*found[0][0], *tested]) == list(range(len(time)))


def test_rows_of_one_date_are_never_on_both_sides_of_a_cut() -> None:
    months = [datetime.date(2024, month, 1) for month in (1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3)]
    (_, test), (train, last) = splits(RollingOrigin(2, time=months), 12)
    assert (test.tolist(), train.tolist(), last.tolist()) == ([4, 5, 6], list(range(7)), list(range(7, 12)))


def test_rows_of_a_tested_group_are_not_trained_on() -> None:
    groups = np.arange(12) % 4
    for train, test in splits(RollingOrigin(3), 12, groups):
        assert not set(groups[train]) & set(groups[test])


def test_too_few_times_are_refused_with_what_to_do() -> None:
    with pytest.raises(DataError, match=r"6 parts of different times; got 8 rows of 2 times\. Take fewer splits"):
        splits(RollingOrigin(time=[1] * 4 + [2] * 4), 8)


def test_text_that_does_not_sort_as_time_is_refused() -> None:
    with pytest.raises(DataError, match=r"must begin with the year, as 2024-05-31 does; got '31.01.2024'"):
        splits(RollingOrigin(1, time=["31.01.2024", "01.02.2024"]), 2)


def test_times_that_come_with_the_rows_serve_the_plan() -> None:
    """Of a class that stops at the 30th moment, the past says nothing; shuffled rows say it all."""
    rng = np.random.default_rng(0)
    moment = rng.permutation(60)
    X, y = moment[:, np.newaxis] * 1.0, np.where(moment < 30, "a", "b")
    found = estimate_performance(ConstantClassifier(), X, y, "time 50%", ["error"], times=moment)
    assert found.score("error").value == 1.0
    assert found.plan == "holdout of the latest 50 % of the rows"


def test_rows_of_weight_0_leave_the_order_of_the_others() -> None:
    moment, weight = np.arange(20)[::-1], np.r_[np.zeros(5), np.ones(15)]
    X, y = np.zeros((20, 1)), np.array(["a", "b"] * 10)
    whole = estimate_performance(ConstantClassifier(), X, y, "time 2", ["mse"], times=moment, sample_weight=weight)
    part = estimate_performance(ConstantClassifier(), X[5:], y[5:], "time 2", ["mse"], times=moment[5:])
    assert whole.score("mse").value == part.score("mse").value


@pytest.mark.parametrize(
    ("words", "plan"),
    [
        ("10", CrossValidation(10)),
        ("10x3", CrossValidation(10, 3)),
        (" 5 X 2 ", CrossValidation(5, 2)),
        ("holdout", Holdout()),
        ("holdout 30%", Holdout(0.3)),
        ("Holdout 30 %", Holdout(0.3)),
        ("holdout 50", Holdout(50)),
        ("holdout 0.25", Holdout(0.25)),
        ("time", RollingOrigin()),
        ("time 8", RollingOrigin(8)),
        ("time 30%", TimeOrderedHoldout(0.3)),
        ("loo", LeaveOneOut()),
        ("632", Bootstrap632()),
        (".632+", Bootstrap632(plus=True)),
    ],
)
def test_words_stand_for_plans(words: str, plan: Plan) -> None:
    found, expected = (
        estimate_performance(ConstantClassifier(), ROWS, CLASSES, each, ["mse"]) for each in (words, plan)
    )
    assert found.plan == expected.plan
    for name in ("row", "split"):
        assert np.array_equal(getattr(found.pooled(), name), getattr(expected.pooled(), name))


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("tiem", "Did you mean 'time'"),
        ("10x", "plan must be '10', '10x3'"),
        ("1x3", "n_folds must be"),
        ("holdout 130%", "test_size must be"),
        ("time 0", "n_splits must be"),
        ("time 2.5", "n_splits must be"),
        ("loo 5", "plan must be"),
        ("", "plan must be"),
    ],
)
def test_other_words_are_refused_by_name(words: str, reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        estimate_performance(ConstantClassifier(), ROWS, CLASSES, words)


def test_missing_times_are_counted() -> None:
    with pytest.raises(DataError, match="1 of 3 have none"):
        splits(RollingOrigin(1, time=pd.to_datetime(["2024-01-01", None, "2024-03-01"])), 3)
