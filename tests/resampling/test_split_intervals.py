"""Intervals over splits: within the range of the metric, of a width above 0, and none for calibration errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier

from calibrant.metrics import METRICS, evaluate, proportion_interval
from calibrant.resampling import (
    Bootstrap632,
    CrossValidation,
    Holdout,
    LeaveOneOut,
    RepeatedHoldout,
    estimate_performance,
)
from calibrant.resampling._performance.intervals import split_interval
from calibrant.trees import ProbabilityTreeClassifier

CALIBRATION_ERRORS = ("cal", "ece", "classwise_ece", "smooth_ece", "ici")
TREE = ProbabilityTreeClassifier()
PLANS = [CrossValidation(10), CrossValidation(5, 2), RepeatedHoldout(4), LeaveOneOut(), Bootstrap632(6), Holdout()]


def separated(n_rows: int, gap: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    x = np.arange(n_rows) - (n_rows - 1) / 2
    return (x + gap * n_rows * np.sign(x))[:, None], (x > 0).astype(int)


def one_error(y_true: Any, y_proba: Any) -> float:
    return float(np.mean((y_proba[:, 1] > 0.5) != y_true))


def test_separable_rows_have_an_error_above_0_within_its_interval() -> None:
    """Of 30 rows predicted without error, tenfold: Wilson's interval of 3 / (1/10 + 1/9) rows."""
    score = estimate_performance(KNeighborsClassifier(1), *separated(30), CrossValidation(10), ["error"]).score("error")
    n, z2 = 3 / (1 / 10 + 1 / 9), scipy.stats.chi2.ppf(0.95, 1)
    assert (score.value, score.low) == (0.0, 0.0)
    assert score.high == pytest.approx(z2 / (n + z2))
    assert proportion_interval(0, n).high == pytest.approx(score.high)


@pytest.mark.sample(3)
@pytest.mark.parametrize("plan", PLANS, ids=str)
@pytest.mark.parametrize("gap", [0.0, 1.0])
@pytest.mark.parametrize("n_rows", [30, 60])
def test_every_interval_is_within_its_range_and_has_some_width(plan: Any, gap: float, n_rows: int) -> None:
    names = [name for name, metric in METRICS.items() if not metric.needs and name not in CALIBRATION_ERRORS]
    models = {"tree": TREE, "one neighbour": KNeighborsClassifier(1), "constant": DummyClassifier(strategy="prior")}
    found = estimate_performance(models, *separated(n_rows, gap), plan, names)
    for (_, name), (low, high) in found.intervals.items():
        assert math.isnan(low) or METRICS[name].low <= low < high <= METRICS[name].high, name
    for model in models:
        assert found.score("error", model).low is not None
        assert found.score("mse", model).low is not None or isinstance(plan, Holdout)


@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=30),
    st.sampled_from([(0.0, 1.0), (-1.0, 1.0), (0.0, 2.0), (0.0, math.inf), (-math.inf, 1.0)]),
    st.floats(0.5, 0.999),
)
def test_intervals_hold_the_mean_and_stay_in_any_range(
    values: list[float], ends: tuple[float, float], confidence: float
) -> None:
    n_train, n_test = np.full(len(values), 90), np.full(len(values), 10)
    low, high = split_interval(np.array(values), n_train, n_test, confidence, len(values), low=ends[0], high=ends[1])
    assert ends[0] <= low < high <= ends[1]
    assert low <= np.mean(values) + 1e-12
    assert high >= np.mean(values) - 1e-12


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-1.0, 1.0), (0.0, math.inf), (-math.inf, 1.0)])
def test_the_ends_are_t_standard_errors_from_the_mean_by_the_variance_at_the_ends(low: float, high: float) -> None:
    values, n_train, n_test = np.array([0.1, 0.3, 0.2, 0.25, 0.4]), np.full(5, 80), np.full(5, 20)
    ends = np.array(split_interval(values, n_train, n_test, 0.9, 5, low=low, high=high))

    def shrink(x: Any) -> Any:
        return (x - low if math.isfinite(low) else 1.0) * (high - x if math.isfinite(high) else 1.0)

    variance = (1 / 5 + 20 / 80) * values.var(ddof=1) * shrink(ends) / shrink(values.mean())
    distance = scipy.stats.t(4).ppf(0.95) * np.sqrt(variance)
    assert np.abs(ends - values.mean()) == pytest.approx(distance)


def test_a_wide_range_has_the_plain_t_interval_in_the_limit() -> None:
    values, n_train, n_test = np.array([0.1, 0.3, 0.2, 0.25, 0.4]), np.full(5, 80), np.full(5, 20)
    plain = split_interval(values, n_train, n_test, 0.95, 5)
    wide = split_interval(values, n_train, n_test, 0.95, 5, low=-1e9, high=1e9)
    assert wide == pytest.approx(plain, abs=1e-6)


def test_proportions_are_no_more_certain_than_independent_rows() -> None:
    values, n_train, n_test = np.array([0.2, 0.2, 0.2, 0.21]), np.full(4, 75), np.full(4, 25)
    of_rows = split_interval(values, n_train, n_test, 0.95, 4, low=0, high=1, n_counted=n_test)
    wilson = proportion_interval(values.mean() * 25 / (1 / 4 + 1 / 3), 25 / (1 / 4 + 1 / 3))
    assert of_rows == pytest.approx(wilson)
    alone = split_interval(values, n_train, n_test, 0.95, 4, low=0, high=1)
    assert alone.high - alone.low < of_rows.high - of_rows.low


@pytest.mark.parametrize(
    "plan", [CrossValidation(5), CrossValidation(5, 2), RepeatedHoldout(3), Bootstrap632(5)], ids=str
)
def test_calibration_errors_have_no_interval_over_splits_and_name_the_pooled_predictions(plan: Any) -> None:
    X, y = separated(60, 0.0)
    found = estimate_performance(TREE, X, y, plan, [*CALIBRATION_ERRORS, "mse"])
    for name in CALIBRATION_ERRORS:
        score = found.score(name)
        assert (score.low, score.high) == (None, None)
        assert "estimate it by the predictions of all splits, evaluate(pooled.y_true, pooled.y_pred)" in score.note
    assert found.score("mse").note == ""
    assert "ece: no interval over splits" in repr(found)


def test_pooled_predictions_of_a_calibrated_model_have_a_lower_calibration_error_than_its_folds() -> None:
    """A logistic curve known exactly: the true error is 0, and ten rows at a time show much of it by chance."""
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 1))
    y = (random.random(400) < 1 / (1 + np.exp(-X[:, 0]))).astype(int)
    found = estimate_performance(ProbabilityTreeClassifier(max_depth=1), X, y, CrossValidation(20), ["ece"])
    pooled = found.pooled()
    card = evaluate(pooled.y_true, pooled.y_pred, metrics=["ece"])
    assert card["ece"].value < 0.5 * found.mean("ece")
    assert card["ece"].low is not None


def test_one_split_has_the_proved_interval_of_a_calibration_error() -> None:
    X, y = separated(90, 0.0)
    assert estimate_performance(TREE, X, y, Holdout(), ["ece"]).score("ece").low is not None


def test_equal_values_of_an_unknown_range_have_no_interval() -> None:
    found = estimate_performance(KNeighborsClassifier(1), *separated(30), CrossValidation(10), [one_error])
    assert found.score("one_error").low is None


@pytest.mark.parametrize("plan", [CrossValidation(5), Holdout()], ids=str)
def test_numbers_predicted_without_error_have_an_interval_of_some_width_or_none(plan: Any) -> None:
    X = np.arange(40.0)[:, None]
    found = estimate_performance(LinearRegression(), X, np.zeros(40) + 3.0, plan, ["mean_absolute_error"])
    score = found.score("mean_absolute_error")
    assert score.low is None or 0 <= score.low < score.high
