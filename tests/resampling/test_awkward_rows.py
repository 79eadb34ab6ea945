"""Unusual rows and plans: weights of 0, predefined splits, replicates without a value, times of all kinds."""

from __future__ import annotations

import math
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from calibrant.exceptions import DataError, DataTypeError, ParameterError
from calibrant.metrics import brier, information_score
from calibrant.resampling import (
    AcrossGroups,
    Bootstrap632,
    CrossValidation,
    Holdout,
    Nested,
    Resubstitution,
    SmallerTraining,
    TimeOrderedHoldout,
    estimate_performance,
    learning_curve,
)
from calibrant.trees import ProbabilityTreeClassifier

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 2))
Y = np.where(X[:, 0] + RNG.normal(size=90) > 0, "yes", "no")
WEIGHT = np.tile([1.0, 0.0, 2.0], 30)
KEPT = np.flatnonzero(WEIGHT)
TREE = ProbabilityTreeClassifier()


@pytest.mark.parametrize("wrap", [lambda plan: plan, Nested, lambda plan: SmallerTraining(plan, 0.8)])
def test_a_time_for_each_row_is_cut_to_the_rows_of_positive_weight(wrap: Any) -> None:
    time = RNG.random(90)
    whole = estimate_performance(TREE, X, Y, wrap(TimeOrderedHoldout(time=time)), ["mse"], sample_weight=WEIGHT)
    part = wrap(TimeOrderedHoldout(time=time[KEPT]))
    alone = estimate_performance(TREE, X[KEPT], Y[KEPT], part, ["mse"], sample_weight=WEIGHT[KEPT])
    assert whole.mean("mse") == alone.mean("mse")


@pytest.mark.parametrize("as_booleans", [False, True])
def test_pairs_are_positions_in_the_table_passed_whatever_the_weights(as_booleans: bool) -> None:
    half = np.arange(90) < 45
    pair = (half, ~half) if as_booleans else (np.flatnonzero(half), np.flatnonzero(~half))
    found = estimate_performance(TREE, X, Y, [pair, pair[::-1]], ["mse"], sample_weight=WEIGHT)
    rows = found.pooled().row
    assert set(rows[found.pooled().split == 0]) == set(KEPT[KEPT >= 45])
    tree = TREE.__class__().fit(X[KEPT[KEPT < 45]], Y[KEPT[KEPT < 45]], WEIGHT[KEPT[KEPT < 45]])
    np.testing.assert_array_equal(found.pooled().y_pred[: (rows >= 45).sum()], tree.predict_proba(X[KEPT[KEPT >= 45]]))


def test_amounts_by_row_are_cut_to_the_rows_of_positive_weight() -> None:
    amount = RNG.gamma(2.0, size=90)
    params = {"profit": {"amount": amount, "cost": 0.5}}
    whole = estimate_performance(TREE, X, Y, 3, ["profit"], metric_params=params, sample_weight=WEIGHT)
    params = {"profit": {"amount": amount[KEPT], "cost": 0.5}}
    alone = estimate_performance(
        TREE, X[KEPT], Y[KEPT], 3, ["profit"], metric_params=params, sample_weight=WEIGHT[KEPT]
    )
    np.testing.assert_array_equal(whole.values, alone.values)
    assert np.isfinite(whole.values).all()


def test_functions_that_take_weights_get_them() -> None:
    found = estimate_performance(GaussianNB(), X, Y, 3, {"own": brier, "brier": None}, sample_weight=WEIGHT)
    np.testing.assert_allclose(found.split_values("own"), found.split_values("brier"))
    numbers = {"own": mean_squared_error, "mean_squared_error": None}
    found = estimate_performance(LinearRegression(), X, X[:, 0] ** 2, 3, numbers, sample_weight=WEIGHT)
    np.testing.assert_allclose(found.split_values("own"), found.split_values("mean_squared_error"))


def test_metrics_that_need_a_prior_take_that_of_the_training_rows() -> None:
    found = estimate_performance(GaussianNB(), X, Y, Holdout(), ["information_score"])
    train, test = next(Holdout().split(X, Y))
    prior = [np.mean(Y[train] == name) for name in ("no", "yes")]
    proba = GaussianNB().fit(X[train], Y[train]).predict_proba(X[test])
    expected = information_score(Y[test], proba, prior=prior, labels=["no", "yes"])
    assert found.mean("information_score") == pytest.approx(expected)


def test_a_predefined_split_has_the_interval_of_its_test_rows_unless_they_are_training_rows() -> None:
    (pair,) = Holdout().split(X, Y)
    ours = estimate_performance(TREE, X, Y, Holdout(), ["error"])
    assert estimate_performance(TREE, X, Y, [pair], ["error"]).intervals == ours.intervals
    low = estimate_performance(TREE, X, Y, ShuffleSplit(1), ["error"]).score("error").low
    assert low is not None
    assert not math.isnan(low)
    for plan in ([(pair[0], pair[0])], Bootstrap632(1)):
        found = estimate_performance(TREE, X, Y, plan, ["error"])
        assert (found.score("error").low, found.interval_text) == (None, "")


def bootstrapped(model: Any, X: Any, y: Any, metric: str) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the values by .632+, those on out-of-bag rows alone, and that of the model on all rows."""
    plus = estimate_performance(model, X, y, Bootstrap632(20, plus=True), [metric])
    tested = estimate_performance(model, X, y, list(Bootstrap632(20).split(X, y)), [metric])
    return plus.values, tested.values, estimate_performance(model, X, y, Resubstitution(), [metric]).mean(metric)


def test_632_plus_omits_replicates_without_a_value() -> None:
    """Areas of out-of-bag rows of one class; equations 28 to 32 for the others, 1/2 by guessing."""
    rare = np.arange(30) < 3
    plus, tested, trained = bootstrapped(KNeighborsClassifier(1), X[:30] + rare[:, None], rare, "auc")
    assert 0 < np.isnan(tested).sum() < 20
    excess = np.nanmean(tested) - trained
    assert -0.5 < excess < 0
    rate = excess / (0.5 - trained)
    added = excess * 0.368 * 0.632 * rate / (1 - 0.368 * rate)
    np.testing.assert_allclose(plus, 0.632 * tested + 0.368 * trained + added)


def test_632_plus_keeps_an_infinite_loss() -> None:
    plus, tested, _ = bootstrapped(ProbabilityTreeClassifier(estimate="frequency", min_leaf=1), X, Y, "log_loss")
    assert np.isinf(tested).any()
    np.testing.assert_array_equal(np.isinf(plus), np.isinf(tested))


class Contrary(GaussianNB):  # type: ignore[misc]
    """Predicts the opposite of what it learned."""

    def predict_proba(self, X: Any) -> Any:
        return super().predict_proba(X)[:, ::-1]


@pytest.mark.parametrize("metric", ["error", "auc", "log_loss"])
def test_632_plus_adds_nothing_where_training_rows_are_worse_than_guessing(metric: str) -> None:
    plus = estimate_performance(Contrary(), X, Y, Bootstrap632(5, plus=True), [metric])
    tested = estimate_performance(Contrary(), X, Y, list(Bootstrap632(5).split(X, Y)), [metric])
    trained = estimate_performance(Contrary(), X, Y, Resubstitution(), [metric])
    np.testing.assert_allclose(plus.values, 0.632 * tested.values + 0.368 * trained.values, rtol=1e-12)


def test_632_plus_overfits_completely_where_guessing_is_better() -> None:
    """Equations 29 to 32: a row out of the bag has the class of its twin, which is wrong, and R is 1 at most."""
    twins = np.repeat(np.arange(30.0), 2)[:, None]
    plus, tested, trained = bootstrapped(KNeighborsClassifier(1), twins + [[0.1], [0]] * 30, [0, 1] * 30, "error")
    assert (tested.mean() > 0.5, trained) == (True, 0.0)
    np.testing.assert_allclose(plus, 0.632 * tested + 0.368 * 0.5)


@pytest.mark.parametrize(
    "time",
    [
        [0.5, 0.1, 2.5, 1.5],
        pd.to_datetime(["2020-01-02", "2020-01-01", "2021-01-01", "2020-06-01"]).tz_localize("UTC"),
        pl.Series([date(2020, 1, 2), date(2020, 1, 1), date(2021, 1, 1), date(2020, 6, 1)]),
        pd.Series([2, 1, 4, 3], dtype="Int64"),
    ],
)
def test_times_may_be_numbers_or_dates(time: Any) -> None:
    train, test = next(TimeOrderedHoldout(2, time=time).split(np.zeros((4, 1))))
    assert (train.tolist(), test.tolist()) == ([1, 0], [3, 2])


@pytest.mark.parametrize(
    ("time", "error"),
    [
        ([1.0, math.nan, 2.0], DataError),
        (pd.Series([1, None, 2], dtype="Int64"), DataError),
        ([1, 2], DataError),
        (np.array([1, "a", 2], dtype=object), DataTypeError),
    ],
)
def test_times_that_cannot_be_sorted_raise(time: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="time must"):
        next(TimeOrderedHoldout(time=time).split(np.zeros((3, 1))))


def test_the_description_omits_stratification_of_numbers_and_mentions_whole_groups() -> None:
    groups = np.arange(90) // 3
    assert estimate_performance(LinearRegression(), X, X[:, 0], 3).plan == "3-fold cross-validation"
    grouped = estimate_performance(TREE, X, Y, 3, groups=groups)
    assert grouped.plan == "3-fold cross-validation, stratified, in whole groups"
    assert estimate_performance(TREE, X, Y, list(CrossValidation(3).split(X, Y))).plan == "3 predefined splits"


def test_the_interval_of_one_regression_split_resamples_whole_groups() -> None:
    groups, noise = np.repeat(np.arange(30), 3), np.repeat(RNG.normal(size=30), 3)
    target = X[:, 0] + 3 * noise
    pair = next(Holdout().split(X, groups=groups))
    whole, single = (
        estimate_performance(LinearRegression(), X, target, [pair], ["mean_absolute_error"], groups=each)
        for each in (groups, None)
    )
    widths = [score.high - score.low for score in (each.score("mean_absolute_error") for each in (whole, single))]
    assert widths[0] > widths[1]


def test_nested_takes_numbers_of_folds() -> None:
    assert Nested(5, 3).describe() == Nested(CrossValidation(5), CrossValidation(3)).describe()


def test_the_caution_of_632_plus_does_not_advise_632_plus() -> None:
    assert "plus=True" in Bootstrap632().caution
    assert "plus=True" not in Bootstrap632(plus=True).caution


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: estimate_performance(TREE, X, Y, []), ParameterError, "no splits"),
        (lambda: estimate_performance(TREE, X, Y, [1, 2]), ParameterError, "pairs of"),
        (lambda: estimate_performance(TREE, X, Y, [([0, 900], [1])]), DataError, "positions of rows"),
        (lambda: estimate_performance(TREE, X, Y, [([0.5, 1], [1])]), DataError, "positions of rows"),
        (lambda: estimate_performance(TREE, X, Y, 3, groups=X[:, 0]), DataError, "groups must hold"),
        (lambda: estimate_performance(TREE, X, Y, 3, []), ParameterError, "metrics is empty"),
        (lambda: learning_curve(TREE, X, Y, 3, sizes=["half"]), ParameterError, "sizes must be"),
        (lambda: AcrossGroups("others", train="a").get_n_splits(groups=["a", "b"]), ParameterError, "learn_from='one'"),
        (lambda: AcrossGroups(train="a", test="a").get_n_splits(groups=["a", "b"]), ParameterError, "two groups"),
        (
            lambda: estimate_performance(TREE, X, Y, Nested(3), {"own": max}),
            ParameterError,
            "more is better",
        ),
        (
            lambda: estimate_performance(TREE, X, Y, 3, "profit", metric_params={"profit": {"amount": [1], "cost": 1}}),
            DataError,
            "1 values for 90 rows",
        ),
    ],
)
def test_errors_name_what_is_wrong(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
