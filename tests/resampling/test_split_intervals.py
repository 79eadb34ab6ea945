"""Intervals of means over splits: within the range of the metric, of a width above 0, or a note that says why not."""

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
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from calibrant.bayes import ConstantClassifier
from calibrant.metrics import METRICS, evaluate, proportion_interval
from calibrant.resampling import (
    Bootstrap632,
    CrossValidation,
    Holdout,
    LeaveOneOut,
    RepeatedHoldout,
    estimate_performance,
)
from calibrant.studies import StudyResults
from calibrant.trees import ProbabilityTreeClassifier

CALIBRATION_ERRORS = ("cal", "ece", "classwise_ece", "smooth_ece", "ici")
TREE = ProbabilityTreeClassifier()
PLANS = [CrossValidation(10), CrossValidation(5, 2), RepeatedHoldout(4), LeaveOneOut(), Bootstrap632(6), Holdout()]


def separated(n_rows: int, gap: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    x = np.arange(n_rows) - (n_rows - 1) / 2
    return (x + gap * n_rows * np.sign(x))[:, None], (x > 0).astype(int)


def noisy(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.normal(size=(n_rows, 2))
    return X, (random.random(n_rows) < 1 / (1 + np.exp(-X[:, 0]))).astype(int)


def one_error(y_true: Any, y_proba: Any) -> float:
    return float(np.mean((y_proba[:, 1] > 0.5) != y_true))


def test_separable_rows_have_an_error_above_0_within_its_interval() -> None:
    """Of 30 rows predicted without error, tenfold: Wilson's interval of 30 / (1 + 1/9) rows."""
    score = estimate_performance(KNeighborsClassifier(1), *separated(30), CrossValidation(10), ["error"]).score("error")
    n, z2 = 30 / (1 + 1 / 9), scipy.stats.chi2.ppf(0.95, 1)
    assert (score.value, score.low) == (0.0, 0.0)
    assert score.high == pytest.approx(z2 / (n + z2))
    assert proportion_interval(0, n).high == pytest.approx(score.high)


def test_the_interval_of_one_split_is_that_of_its_test_rows() -> None:
    """Wilson's of an error; of a loss within 0 to 2, the solution of (mean - x)^2 = t^2 s^2/n x(2 - x)/(m(2 - m))."""
    X, y = noisy(150)
    found = estimate_performance(GaussianNB(), X, y, Holdout(), ["error", "mse"])
    pooled = found.pooled()
    wrong = int((pooled.y_pred.argmax(axis=1) != pooled.y_true).sum())
    score, n = found.score("error"), len(pooled.y_true)
    assert (score.low, score.high) == pytest.approx(tuple(proportion_interval(wrong, n)))
    losses = 2 * (1 - pooled.y_pred[np.arange(n), pooled.y_true]) ** 2
    ends, mean = np.array([found.score("mse").low, found.score("mse").high]), losses.mean()
    t = scipy.stats.t(min(np.bincount(pooled.y_true)) - 1).ppf(0.975)
    variance = losses.var(ddof=1) / n * ends * (2 - ends) / (mean * (2 - mean))
    assert np.abs(ends - mean) == pytest.approx(t * np.sqrt(variance))


@pytest.mark.sample(5)
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
        assert found.score("mse", model).low is not None


# A metric of each range, none of which counts rows: their intervals by splits follow from the values alone.
RANGES = {
    "rms": (0.0, 1.0),
    "mcc": (-1.0, 1.0),
    "mse": (0.0, 2.0),
    "log_loss": (0.0, math.inf),
    "kappa": (-math.inf, 1.0),
}
VALUES = np.array([0.1, 0.3, 0.2, 0.25, 0.4])


def by_splits(values: Any, metric: str, confidence: float = 0.95, n_train: int = 80, n_test: int = 20) -> Any:
    """Return the ends of the interval of a mean over splits by their variance."""
    sizes = {"n_train": n_train, "n_test": n_test}
    results = StudyResults.from_values({"rows": [values]}, methods=["model"], metric=metric, **sizes)
    return results.table(metric, interval="splits", confidence=confidence)["model"].loc["rows", ["low", "high"]]


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30), st.sampled_from([*RANGES]), st.floats(0.5, 0.999))
def test_intervals_hold_the_mean_and_stay_in_any_range(values: list[float], metric: str, confidence: float) -> None:
    (low, high), ends = by_splits(values, metric, confidence), RANGES[metric]
    if math.isnan(low):  # values that do not differ have an interval only within a range of two ends
        assert np.ptp(values) < 1e-10
        assert math.inf in map(abs, ends)
        return
    assert ends[0] <= low < high <= ends[1]
    assert low <= np.mean(values) + 1e-12
    assert high >= np.mean(values) - 1e-12


@pytest.mark.parametrize("metric", ["rms", "mcc", "log_loss", "kappa"])
def test_the_ends_are_t_standard_errors_from_the_mean_by_the_variance_at_the_ends(metric: str) -> None:
    (low, high), ends = RANGES[metric], by_splits(VALUES, metric, 0.9)

    def shrink(x: Any) -> Any:
        return (x - low if math.isfinite(low) else 1.0) * (high - x if math.isfinite(high) else 1.0)

    variance = (1 / 5 + 20 / 80) * VALUES.var(ddof=1) * shrink(ends) / shrink(VALUES.mean())
    distance = scipy.stats.t(4).ppf(0.95) * np.sqrt(variance)
    assert np.abs(ends - VALUES.mean()).tolist() == pytest.approx(distance.tolist())


def test_far_from_the_ends_of_its_range_a_mean_has_the_plain_t_interval() -> None:
    values = 1 + 1e-5 * (VALUES - VALUES.mean())  # the range of mse ends at 0 and 2, a profit has none
    plain, within = by_splits(values, "profit"), by_splits(values, "mse")
    assert (within - 1).tolist() == pytest.approx((plain - 1).tolist(), rel=1e-6)


def test_proportions_are_no_more_certain_than_independent_rows() -> None:
    values = [0.2, 0.2, 0.2, 0.21]
    of_rows, alone = (by_splits(values, metric, n_train=75, n_test=25) for metric in ("error", "rms"))
    wilson = proportion_interval(np.mean(values) * 25 / (1 / 4 + 1 / 3), 25 / (1 / 4 + 1 / 3))
    assert tuple(of_rows) == pytest.approx(tuple(wilson))
    assert alone["high"] - alone["low"] < of_rows["high"] - of_rows["low"]


@pytest.mark.parametrize(
    "plan", [CrossValidation(5), CrossValidation(5, 2), RepeatedHoldout(3), Bootstrap632(5)], ids=str
)
def test_calibration_errors_have_no_interval_over_splits_and_name_the_pooled_predictions(plan: Any) -> None:
    X, y = separated(60, 0.0)
    found = estimate_performance(TREE, X, y, plan, [*CALIBRATION_ERRORS, "mse"])
    for name in CALIBRATION_ERRORS:
        score = found.score(name)
        assert (score.low, score.high) == (None, None)
        assert score.note.startswith("no interval: calibration errors are above 0 by chance alone")
        assert "evaluate(pooled.y_true, pooled.y_pred)" in score.note
    assert found.score("mse").note == ""
    assert "ece: no interval: calibration errors" in repr(found)


def test_pooled_predictions_of_a_calibrated_model_have_a_lower_calibration_error_than_its_folds() -> None:
    """A logistic curve known exactly: the true error is 0, and ten rows at a time show much of it by chance."""
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 1))
    y = (random.random(400) < 1 / (1 + np.exp(-X[:, 0]))).astype(int)
    found = estimate_performance(ProbabilityTreeClassifier(max_depth=1), X, y, CrossValidation(20), ["ece"])
    pooled = found.pooled()
    card = evaluate(pooled.y_true, pooled.y_pred, metrics=["ece"])
    assert card["ece"].value < 0.5 * found.mean("ece")


def test_equal_values_of_an_unknown_range_have_no_interval() -> None:
    found = estimate_performance(KNeighborsClassifier(1), *separated(30), CrossValidation(10), [one_error])
    assert found.score("one_error").low is None
    assert found.score("one_error").note == "no interval: all rows have the same value"


@pytest.mark.parametrize("plan", [CrossValidation(5), Holdout()], ids=str)
def test_numbers_predicted_without_error_have_an_interval_of_some_width_or_none(plan: Any) -> None:
    X = np.arange(40.0)[:, None]
    found = estimate_performance(LinearRegression(), X, np.zeros(40) + 3.0, plan, ["mean_absolute_error"])
    score = found.score("mean_absolute_error")
    assert score.low is None or 0 <= score.low < score.high


@pytest.mark.parametrize("plan", [CrossValidation(5), LeaveOneOut(), Bootstrap632(20)], ids=str)
def test_losses_have_intervals_by_every_plan(plan: Any) -> None:
    X, y = noisy(60)
    found = estimate_performance(
        ProbabilityTreeClassifier(estimate="laplace"), X, y, plan, ["error", "mse", "log_loss", "auc"]
    )
    for name in ("error", "mse", "log_loss"):
        score = found.score(name)
        assert score.low < score.value < score.high
    if isinstance(plan, LeaveOneOut):
        assert (
            found.score("auc").note == "without a value in 60 of 60 splits; no interval: it has no value in any split"
        )
    else:
        assert found.score("auc").low < found.score("auc").value < found.score("auc").high


def test_repeats_do_not_shorten_the_interval_of_a_stable_method() -> None:
    """Of the base rate by stratified folds, whose losses do not change with the folds."""
    y = np.arange(300) % 10 == 0
    lengths = []
    for n_repeats in (1, 5):
        plan = CrossValidation(10, n_repeats)
        score = estimate_performance(
            DummyClassifier(strategy="prior"), np.zeros((300, 1)), y, plan, ["log_loss"]
        ).score("log_loss")
        lengths.append(score.high - score.low)
    assert lengths[1] == pytest.approx(lengths[0], rel=1e-6)


class Certain(ConstantClassifier):
    """A classifier that is certain of the class of every row, and wrong about some."""

    def predict_proba(self, X: Any) -> np.ndarray:
        return np.tile([1.0, 0.0], (len(X), 1))


def test_an_infinite_mean_is_explained_and_that_of_another_method_keeps_its_interval() -> None:
    methods = {"certain": Certain(), "base rate": ConstantClassifier()}
    found = estimate_performance(methods, np.zeros((40, 1)), np.arange(40) % 4 == 0, CrossValidation(5), ["log_loss"])
    assert found.score("log_loss", "certain").value == math.inf
    assert found.score("log_loss", "certain").note == "no interval: it is infinite in 5 of 5 splits"
    assert found.score("log_loss", "base rate").low is not None
    assert found.score("log_loss", "base rate").note == ""
    difference = found.compare("log_loss", "certain", "base rate")
    assert (difference.low, difference.pvalue, difference.better) == (None, None, "")


def score_of(y: Any, metric: str, **options: Any) -> Any:
    y = np.asarray(y)
    plan = options.pop("plan", CrossValidation(2))
    X = np.arange(len(y), dtype=float)[:, None]
    return estimate_performance(ConstantClassifier(), X, y, plan, [metric], **options).score(metric)


@pytest.mark.filterwarnings("ignore::calibrant.exceptions.LittleDataWarning")
@pytest.mark.parametrize(
    ("y", "metric", "options", "note"),
    [
        ([0, 1, 1], "log_loss", {}, "no interval: it is infinite in 1 of 2 splits"),
        ([0, 1, 1], "mse", {}, "no interval: 1 rows of the rarer class are too few"),
        (np.arange(40) % 20 == 0, "auc", {}, "no interval: 2 rows of the rarer class are too few"),
        (np.arange(40) % 7 < 2, "log_loss", {"groups": np.arange(40) // 8}, None),
        (np.arange(40) % 2, "log_loss", {"groups": np.arange(40) // 10}, "no interval: 4 groups of the rarer class"),
        (
            np.arange(40) % 2,
            "error",
            {"sample_weight": np.full(40, 0.01)},
            "no interval: the weights, which count rows",
        ),
        (np.arange(40) % 4 == 0, "log_loss", {"groups": np.arange(40)}, None),
        (np.arange(40) % 2, "auc", {}, None),
    ],
)
def test_rows_that_show_too_little_are_explained(y: Any, metric: str, options: Any, note: str | None) -> None:
    """Never NaN in silence: an interval, or the reason why there is none."""
    score = score_of(y, metric, **options)
    if note is None:
        assert score.low < score.high
    else:
        assert score.low is None
        assert score.note.split("; ")[-1].startswith(note)


def test_one_group_has_no_interval() -> None:
    splits = [(np.arange(20), np.arange(20, 40))]
    score = score_of(np.arange(40) % 2, "log_loss", plan=splits, groups=np.repeat(["a", "b"], 20))
    assert score.note == "no interval: there is one group"


def test_rows_of_weight_0_are_absent() -> None:
    y, weight = np.arange(60) % 2, np.repeat([1.0, 0.0], [40, 20])
    plan = CrossValidation(4, stratified=False)
    whole, part = score_of(y, "log_loss", sample_weight=weight, plan=plan), score_of(y[:40], "log_loss", plan=plan)
    assert (whole.value, whole.low, whole.high) == pytest.approx((part.value, part.low, part.high))


def test_few_numbers_are_too_few_for_an_interval() -> None:
    found = estimate_performance(
        LinearRegression(), np.arange(3.0)[:, None], [1.0, 2.0, 4.0], LeaveOneOut(), ["mean_absolute_error"]
    )
    assert found.score("mean_absolute_error").note == "no interval: 3 rows are too few"


def test_one_class_is_explained() -> None:
    """A constant class is predicted with certainty: the loss is 0 in every row, which shows little."""
    score = score_of(np.zeros(30), "log_loss", plan=CrossValidation(3))
    assert score.low is None
    assert score.note.startswith("no interval: 0 rows of the rarer class are too few")
