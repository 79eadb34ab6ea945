"""Metrics, plans and parts of a study that are unusual: what is recorded equals `estimate_performance`, to the bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.studies.bad_methods import BaseRates
from tests.studies.bad_study import make_rows, make_study, scores_of

from calibrant.bayes import NaiveBayesClassifier
from calibrant.exceptions import CalibrantError, CalibrantWarning
from calibrant.resampling import Bootstrap632, CrossValidation, Nested, estimate_performance
from calibrant.studies import Dataset, Study
from calibrant.trees import ProbabilityTreeClassifier

METHODS = {
    "bayes": NaiveBayesClassifier(),
    "frequency": ProbabilityTreeClassifier(estimate="frequency"),
    "laplace": ProbabilityTreeClassifier(estimate="laplace"),
}


def raises(y_true: Any, y_prob: Any) -> float:
    raise RuntimeError(f"no metric for {len(y_true)} rows and {len(y_prob)} predictions")


def constant(value: Any) -> Any:
    return lambda y_true, y_prob: value  # noqa: ARG005


# Metrics


@pytest.mark.parametrize("value", ["good", "0.5", None, [1.0, 2.0], 1j])
def test_a_metric_that_returns_no_number_is_recorded_as_a_failure(tmp_path: Path, value: Any) -> None:
    study = make_study(tmp_path, metrics={"own": constant(value)})
    assert study.run().n_failed == 6
    assert study.to_frame()["failure"].str.contains("metric 'own' must return a number; got").all()


def test_a_metric_that_raises_is_recorded_as_a_failure(tmp_path: Path) -> None:
    study = make_study(tmp_path, metrics={"own": raises})
    assert study.run().n_failed == 6
    assert study.to_frame()["failure"].str.startswith("RuntimeError: no metric for").all()
    with pytest.warns(CalibrantWarning, match="3 failed of 3"):
        assert study.table("own").isna().all(axis=None)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_metric_may_be_any_number(tmp_path: Path, value: float) -> None:
    study = make_study(tmp_path, metrics={"own": constant(value)})
    assert study.run().is_complete
    np.testing.assert_array_equal(study.to_frame()["own"], np.full(6, value))
    assert study.run().is_complete
    np.testing.assert_array_equal(study.table("own").to_numpy(), np.full((1, 2), value))


# Data


def test_areas_of_a_data_set_of_one_class_are_missing(tmp_path: Path) -> None:
    X, _ = make_rows()
    study = make_study(tmp_path, datasets={"one": (X, np.repeat("yes", 40))}, metrics=["mse", "auc"])
    assert study.run().is_complete
    frame = study.to_frame()
    assert (frame["mse"] == 0.0).all()
    assert frame["auc"].isna().all()


# Plans


@pytest.mark.parametrize(
    "plan", [Bootstrap632(6), Bootstrap632(6, plus=True), CrossValidation(4, 2)], ids=[".632", ".632+", "folds"]
)
def test_estimates_equal_those_of_estimate_performance(tmp_path: Path, plan: Any) -> None:
    parts = {"datasets": {"noise": make_rows(60)}, "methods": METHODS, "metrics": ["mse", "auc"]}
    study = make_study(tmp_path, **parts, plan=plan, keep_predictions=True)
    assert study.run().is_complete
    before = study.to_frame()
    expected = estimate_performance(METHODS, *make_rows(60), plan, ["mse", "auc"])
    by_splits = estimate_performance(METHODS, *make_rows(60), plan, ["mse", "auc"], interval="splits").intervals
    for metric in ("mse", "auc"):
        found = study.table(metric, interval="splits").loc["noise"]
        for name in METHODS:
            assert found[name, "mean"] == expected.mean(metric, name)
            assert tuple(found[name])[1:] == pytest.approx(tuple(by_splits[name, metric]), rel=1e-12)
    study.run()
    assert study.to_frame().equals(before)


@pytest.mark.parametrize("choose_by", [None, "auc"])
def test_a_nested_plan_equals_estimate_performance(tmp_path: Path, choose_by: str | None) -> None:
    plan = Nested(3, 3)
    X, y = make_rows(60)
    study = make_study(
        tmp_path,
        datasets={"noise": (X, y)},
        methods=METHODS,
        plan=plan,
        metrics=["mse", "auc"],
        choose_by=choose_by,
    )
    assert study.run().is_complete
    expected = estimate_performance(METHODS, X, y, plan, ["mse", "auc"], choose_by=choose_by)
    found = study.to_frame()
    for metric in ("mse", "auc"):
        values = expected.split_values(metric, found["method"].iloc[0])
        np.testing.assert_array_equal(found[metric].to_numpy(), values)


def test_groups_and_weights_equal_estimate_performance(tmp_path: Path) -> None:
    X, y = make_rows(60)
    groups, weight = np.repeat(np.arange(15), 4), np.arange(1.0, 61.0)
    data = Dataset((X, y), groups=groups, weight=weight)
    study = make_study(
        tmp_path, datasets={"noise": data}, methods=METHODS, plan=4, metrics=["mse", "auc"], keep_predictions=True
    )
    assert study.run().is_complete
    expected = estimate_performance(METHODS, X, y, 4, ["mse", "auc"], groups=groups, sample_weight=weight)
    intervals = study.table("mse", interval=True).loc["noise"]
    for name in METHODS:
        assert tuple(intervals[name])[1:] == pytest.approx(tuple(expected.intervals[name, "mse"]))
        values = study.results().split_values("mse", "noise")[list(METHODS).index(name)]
        np.testing.assert_array_equal(values, expected.split_values("mse", name))


# Opening


def test_a_study_of_objects_is_opened_for_queries(tmp_path: Path) -> None:
    class Local(BaseRates):
        """Cannot be imported again."""

    study = make_study(tmp_path, bad=Local(), metrics={"own": constant(0.5)})
    study.run()
    opened = Study.open("study", tmp_path / "studies.db")
    assert scores_of(opened, "own") == scores_of(study, "own")
    assert opened.status().is_complete
    with pytest.raises(CalibrantError, match=r"(?s)noise|bad|own"):
        opened.run()
    assert opened.status().is_complete
