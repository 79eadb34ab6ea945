"""Tables of studies: means and intervals of `estimate_performance`, and nothing averaged over silently."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, ShuffleSplit
from tests.studies.results_of_trials import columns_of, dataset_plan, folds, of_performance, results

from calibrant.exceptions import CalibrantWarning, ParameterError, StudyError
from calibrant.metrics import METRICS
from calibrant.resampling import (
    Bootstrap632,
    CrossValidation,
    Holdout,
    Nested,
    RepeatedHoldout,
    Resubstitution,
    estimate_performance,
)
from calibrant.studies._results.read_study import read_results
from calibrant.studies._results.study_results import StudyResults
from calibrant.trees import ProbabilityTreeClassifier

METHODS = {name: ProbabilityTreeClassifier(estimate=name) for name in ("laplace", "frequency", "m")}


def rows(n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 3))
    return X, np.where(X[:, 0] + random.normal(size=n) > 0, "yes", "no")


@pytest.mark.parametrize(
    "plan", [CrossValidation(5), CrossValidation(3, 4), RepeatedHoldout(7), Holdout(), KFold(4), ShuffleSplit(3)]
)
def test_one_data_set_has_the_means_and_intervals_of_estimate_performance(plan: object) -> None:
    X, y = rows()
    found = estimate_performance(METHODS, X, y, plan, ["error", "mse", "log_loss", "ece"])
    study = of_performance("rows", found, plan)
    for metric in found.metrics:
        table = study.table(metric, interval=True)
        for method in METHODS:
            assert table.loc["rows", (method, "mean")] == found.mean(metric, method)
            low, high = found.intervals[method, metric]
            np.testing.assert_array_equal(table.loc["rows", (method, "low")], low)
            np.testing.assert_array_equal(table.loc["rows", (method, "high")], high)


def test_the_interval_of_an_area_takes_the_rows_that_it_counts() -> None:
    X, y = rows()
    found = estimate_performance(METHODS, X, y, CrossValidation(5), ["auc"])
    table = of_performance("rows", found, CrossValidation(5)).table("auc", interval="splits")
    by_splits = estimate_performance(METHODS, X, y, CrossValidation(5), ["auc"], interval="splits").intervals
    for method in METHODS:
        assert tuple(table.loc["rows", method])[1:] == by_splits[method, "auc"]


@pytest.mark.parametrize("plus", [False, True])
def test_bootstrap_plans_weigh_the_training_rows_in(plus: bool) -> None:
    X, y = rows(60)
    plan = Bootstrap632(6, plus=plus)
    found = estimate_performance(METHODS, X, y, plan, ["error"])
    splits = list(plan.split(X, y))
    everything = np.arange(len(y))
    parts: dict[str, list[list[float]]] = {"test": [], "training": []}
    for model in METHODS.values():
        fits = [(each.predict_proba(X), train, test) for each, train, test in _fitted(model, X, y, splits)]
        error = METRICS["error"].function
        parts["test"].append([error(y[test], p[test]) for p, _, test in fits])
        parts["training"].append([error(y[train], p[train]) for p, train, _ in fits])
    columns = columns_of({(part, "error"): {"rows": each} for part, each in parts.items()}, list(METHODS))
    if plus:
        for method, model in METHODS.items():
            p = model.fit(X, y).predict_proba(X)
            q, shares = (
                np.bincount(p.argmax(axis=1), minlength=2) / len(y),
                np.unique(y, return_counts=True)[1] / len(y),
            )
            columns["dataset"].append("rows")
            columns["method"].append(method)
            columns["split"].append(-1)
            columns["state"].append("done")
            columns["error"].append("")
            columns["test", "error"] = np.append(columns["test", "error"], np.nan)
            columns["training", "error"] = np.append(
                columns["training", "error"], METRICS["error"].function(y[everything], p)
            )
            guess = np.r_[columns.get(("no_information", "error"), np.full(18, np.nan)), 1 - shares @ q]
            columns["no_information", "error"] = guess
    plans = {"rows": dataset_plan(plan, found.split_names, found.n_train, found.n_test)}
    names = {"datasets": ["rows"], "methods": list(METHODS), "metrics": ["error"], "plans": plans}
    study = read_results("test", columns, **names)
    np.testing.assert_allclose(study.split_values("error", "rows"), found.values[:, 0], rtol=1e-14)
    table = study.table("error", interval="splits")
    by_splits = estimate_performance(METHODS, X, y, plan, ["error"], interval="splits").intervals
    for method in METHODS:
        assert table.loc["rows", (method, "mean")] == pytest.approx(found.mean("error", method), rel=1e-14)
        assert tuple(table.loc["rows", method])[1:] == pytest.approx(tuple(by_splits[method, "error"]), rel=1e-12)


def _fitted(model: ProbabilityTreeClassifier, X: np.ndarray, y: np.ndarray, splits: list) -> list:
    return [(ProbabilityTreeClassifier(estimate=model.estimate).fit(X[a], y[a]), a, b) for a, b in splits]


def test_a_plus_bootstrap_without_its_fit_to_all_rows_is_incomplete() -> None:
    plan = dataset_plan(Bootstrap632(2, plus=True), ["1", "2"], [60, 60], [40, 40])
    study = results({"iris": [[0.2, 0.4]]}, ["tree"], plan, "error")
    with pytest.warns(CalibrantWarning, match=r"iris, tree \(2 missing of 2\)"):
        assert math.isnan(study.table("error").loc["iris", "tree"])


def test_the_nested_choice_has_the_score_of_estimate_performance() -> None:
    X, y = rows()
    plan = Nested(CrossValidation(4), CrossValidation(3))
    found = estimate_performance(METHODS, X, y, plan, ["mse"])
    study = of_performance("rows", found, plan, candidates=tuple(METHODS))
    assert study.table("mse").loc["rows", "chosen"] == found.mean("mse", "chosen")
    assert study.choices["rows"] == found.choices


def test_regression_metrics_have_the_intervals_of_estimate_performance() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 2))
    y = X[:, 0] + random.normal(size=60)
    found = estimate_performance(LinearRegression(), X, y, CrossValidation(5), ["correlation", "mean_absolute_error"])
    study = of_performance("rows", found, CrossValidation(5))
    for metric in found.metrics:
        low, high = found.intervals["LinearRegression", metric]
        assert tuple(study.table(metric, interval=True).loc["rows"])[1:] == (low, high)


def test_rows_and_columns_have_the_order_of_the_study() -> None:
    values = {"wine": [[0.3, 0.5], [0.1, 0.2]], "iris": [[0.2, 0.4], [0.4, 0.6]]}
    table = results(values, ["tree", "bayes"], folds(2)).table("mse")
    assert (list(table.index), list(table.columns)) == (["wine", "iris"], ["tree", "bayes"])
    np.testing.assert_array_equal(table, [[0.4, 0.15000000000000002], [0.30000000000000004, 0.5]])
    assert table.attrs["notes"] == []


def test_a_failed_or_missing_trial_makes_its_cell_nan_and_is_named() -> None:
    values = {"iris": [[0.1, 0.3, 0.2], [0.1, 0.3, 0.5]], "wine": [[0.1, 0.3, 0.2], [0.1, 0.3, 0.2]]}
    gaps = {"failed": {("iris", "tree", 2)}, "missing": {("iris", "tree", 0), ("wine", "bayes", 1)}}
    study = results(values, ["tree", "bayes"], folds(3), **gaps)
    named = r"iris, tree \(1 failed and 1 missing of 3\); wine, bayes \(1 missing of 3\)"
    with pytest.warns(CalibrantWarning, match=f"{named}; NaN there"):
        table = study.table("mse")
    np.testing.assert_array_equal(np.isnan(table), [[True, False], [False, True]])
    assert table.attrs["notes"] == [
        "trials failed or are missing: iris, tree (1 failed and 1 missing of 3); wine, bayes (1 missing of 3)"
    ]
    with pytest.warns(CalibrantWarning, match=f"{named}; means are of the splits that were finished"):
        partial = study.table("mse", partial=True)
    assert partial.loc["iris", "tree"] == 0.3
    assert partial.loc["wine", "bayes"] == pytest.approx(0.15)


def test_an_undefined_value_is_left_out_and_noted_as_by_estimate_performance() -> None:
    study = results({"iris": [[0.7, math.nan, 0.9]]}, ["tree"], folds(3), "auc")
    table = study.table("auc")
    assert table.loc["iris", "tree"] == pytest.approx(0.8)
    assert table.attrs["notes"] == ["the metric is undefined in some splits: iris, tree (1 of 3)"]


def test_a_metric_that_older_trials_lack_is_missing_and_not_undefined() -> None:
    columns = columns_of({("test", "mse"): {"iris": [[0.1, math.nan]]}}, ["tree"])
    names = {"datasets": ["iris"], "methods": ["tree"], "metrics": ["mse"], "plans": {"iris": folds(2)}}
    study = read_results("test", columns, **names, lacking={("test", "mse"): np.array([False, True])})
    with pytest.warns(CalibrantWarning, match="1 missing of 2"):
        assert math.isnan(study.table("mse").loc["iris", "tree"])


def test_many_gaps_are_counted() -> None:
    values = {f"set {i}": [[0.1, 0.2]] for i in range(9)}
    study = results(values, ["tree"], folds(2), missing={(name, "tree", 0) for name in values})
    with pytest.warns(CalibrantWarning, match="set 4, tree .*; and 4 more; NaN there"):
        study.table("mse")


def test_unknown_names_have_the_nearest_in_the_error() -> None:
    study = StudyResults.from_values({"iris": [[0.1, 0.2]]}, methods=["tree"], metric="mse")
    with pytest.raises(ParameterError, match=r"metric must be one of mse; got 'msee'. Did you mean 'mse'"):
        study.table("msee")
    with pytest.raises(ParameterError, match="part must be 'test' or 'training'"):
        study.table("mse", part="train")
    with pytest.raises(StudyError, match="no values of 'mse' on training rows of 'iris'"):
        study.table("mse", part="training")


def test_training_rows_have_a_table_of_their_own() -> None:
    values = {("test", "mse"): {"iris": [[0.2, 0.4]]}, ("training", "mse"): {"iris": [[0.1, 0.2]]}}
    names = {"datasets": ["iris"], "methods": ["tree"], "metrics": ["mse"], "plans": {"iris": folds(2)}}
    study = read_results("test", columns_of(values, ["tree"]), **names)
    assert study.table("mse", part="training").loc["iris", "tree"] == pytest.approx(0.15)


def test_resubstitution_has_no_interval() -> None:
    X, y = rows()
    found = estimate_performance(METHODS, X, y, Resubstitution(), ["mse"])
    table = of_performance("rows", found, Resubstitution()).table("mse", interval=True)
    assert np.isnan(table.xs("low", axis=1, level=1)).all(axis=None)


def test_trials_of_other_methods_data_sets_and_splits_are_left_out() -> None:
    columns = columns_of({("test", "mse"): {"iris": [[0.1, 0.2], [0.3, 0.4]], "wine": [[0.1], [0.2]]}}, ["tree", "old"])
    names = {"datasets": ["iris"], "methods": ["tree"], "metrics": ["mse"], "plans": {"iris": folds(2)}}
    study = read_results("test", columns, **names)
    assert len(study.to_frame()) == 2
    assert study.table("mse").loc["iris", "tree"] == pytest.approx(0.15)
