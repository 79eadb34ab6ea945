"""Tables of studies: means and intervals of `estimate_performance`, and nothing averaged over silently."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, ShuffleSplit
from tests.studies.results_of_trials import dataset_plan, folds, of_performance, results

from calibrant.bayes import ConstantClassifier
from calibrant.exceptions import CalibrantWarning, ParameterError, StudyError
from calibrant.resampling import (
    Bootstrap632,
    CrossValidation,
    Holdout,
    Nested,
    RepeatedHoldout,
    Resubstitution,
    estimate_performance,
)
from calibrant.studies import Study, StudyResults
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


def study_of(store: Path, n_datasets: int = 1, **changes: object) -> Study:
    """Return a study on data sets of which half of the rows are of either class."""
    datasets = {f"set {number}": (np.zeros((40, 1)), np.arange(40) % 2) for number in range(n_datasets)}
    parts = {"methods": {"rates": ConstantClassifier()}, "plan": 2, "metrics": ["mse"]}
    return Study("s", datasets=datasets, store=store, **(parts | changes))


def test_a_metric_that_older_trials_lack_is_missing_and_not_undefined(tmp_path: Path) -> None:
    study_of(tmp_path / "s.db").run()
    more = study_of(tmp_path / "s.db", metrics=["mse", "auc"])
    more.run(update=True, stop_after=lambda: True)
    with pytest.warns(CalibrantWarning, match=r"set 0, rates \(2 missing of 2\); NaN there"):
        assert math.isnan(more.table("auc").loc["set 0", "rates"])
    assert more.table("mse").loc["set 0", "rates"] == 0.5


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


def test_training_rows_have_a_table_of_their_own(tmp_path: Path) -> None:
    """A quarter of the training rows is of class 1, and half of the tested ones: 2 (1 - 1/4)/4, and 1/16 + 9/16."""
    splits = [(np.r_[np.arange(0, 30, 2), np.arange(1, 11, 2)], np.arange(30, 40))]
    study = study_of(tmp_path / "s.db", plan=splits, training_metrics=True)
    study.run()
    assert study.table("mse", part="training").loc["set 0", "rates"] == pytest.approx(3 / 8)
    assert study.table("mse").loc["set 0", "rates"] == pytest.approx(5 / 8)


def test_resubstitution_has_no_interval() -> None:
    X, y = rows()
    found = estimate_performance(METHODS, X, y, Resubstitution(), ["mse"])
    table = of_performance("rows", found, Resubstitution()).table("mse", interval=True)
    assert np.isnan(table.xs("low", axis=1, level=1)).all(axis=None)


def test_trials_of_other_methods_data_sets_and_splits_are_left_out(tmp_path: Path) -> None:
    methods = {"rates": ConstantClassifier(), "others": ConstantClassifier(strategy="zero")}
    study_of(tmp_path / "s.db", n_datasets=2, methods=methods, plan=4).run()
    study = study_of(tmp_path / "s.db")
    study.run(update=True)
    assert study.table("mse").to_dict() == {"rates": {"set 0": 0.5}}
    assert study.to_frame()[["dataset", "method", "split"]].to_numpy().tolist() == [
        ["set 0", "rates", 0],
        ["set 0", "rates", 1],
    ]
