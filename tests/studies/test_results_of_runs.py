"""A study of one data set that was run has the figures of `estimate_performance`, to the last bit."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from calibrant.comparison import mcnemar_test
from calibrant.plots import BoxDisplay, CriticalDifferenceDisplay
from calibrant.resampling import (
    Bootstrap632,
    CrossValidation,
    Holdout,
    Nested,
    Performance,
    RepeatedHoldout,
    estimate_performance,
)
from calibrant.studies import Dataset, Study
from calibrant.trees import ProbabilityTreeClassifier

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(90, 3))
Y = np.where(X[:, 0] + RANDOM.normal(size=90) > 0, "yes", "no")
WEIGHT = RANDOM.integers(1, 4, 90).astype(float)
GROUPS = RANDOM.integers(0, 30, 90)
METHODS: dict[str, Any] = {
    "laplace": ProbabilityTreeClassifier(),
    "m": ProbabilityTreeClassifier(estimate="m"),
    "logistic": LogisticRegression(),
}
METRICS = ["error", "mse", "log_loss", "auc", "recall", "ece"]
PLANS = {
    "folds": CrossValidation(3, 2),
    "holdout": Holdout(),
    "bootstrap": Bootstrap632(4),
    "plus": Bootstrap632(4, plus=True),
    "repeated": RepeatedHoldout(3),
    "nested": Nested(CrossValidation(3), Holdout()),
}
ROWS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "plain": ({}, {}),
    "weights": ({"weight": WEIGHT}, {"sample_weight": WEIGHT}),
    "groups": ({"groups": GROUPS}, {"groups": GROUPS}),
}


def both(folder: Path, plan: Any, rows: str) -> tuple[Study, Performance]:
    """Return a study that was run, and the performance of the same methods."""
    of_study, of_performance = ROWS[rows]
    data = Dataset((X, Y), **of_study)
    options: dict[str, Any] = {"plan": plan, "metrics": METRICS, "keep_predictions": True}
    study = Study("trees", datasets={"rows": data}, methods=METHODS, store=folder / "studies.db", **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of splits with a single class
        study.run()
        return study, estimate_performance(METHODS, X, Y, plan, METRICS, **of_performance)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("plan", PLANS.values(), ids=list(PLANS))
@pytest.mark.sample(4)
def test_a_study_has_the_means_intervals_and_predictions_of_estimate_performance(
    tmp_path: Path, plan: Any, rows: str
) -> None:
    study, expected = both(tmp_path, plan, rows)
    results = study.results()
    assert results.methods == expected.methods
    for metric in METRICS:
        table = results.table(metric, interval=True)
        for method in expected.methods:
            mean, low, high = table.loc["rows", method].to_numpy()
            assert mean == expected.mean(metric, method)
            if results.plans["rows"].bootstrap is None:
                np.testing.assert_allclose((low, high), expected.intervals[method, metric], rtol=1e-9)
            elif metric != "ece":  # the store keeps the predictions for out-of-bag rows alone
                assert low < mean < high
    for method in expected.methods:
        found, pooled = results.predictions(method), expected.pooled(method)
        np.testing.assert_array_equal(found.y_pred, pooled.y_pred)
        np.testing.assert_array_equal(found.row, pooled.row)
        np.testing.assert_array_equal(found.y_true, pooled.y_true)
    assert results.choices.get("rows", ()) == expected.choices


def test_a_run_study_answers_every_query(tmp_path: Path) -> None:
    study, expected = both(tmp_path, CrossValidation(3, 2), "plain")
    frame = study.to_frame()
    assert len(frame) == 18
    assert frame["error"].tolist() == expected.values[:, 0].ravel().tolist()
    assert frame["failure"].eq("").all()
    assert study.compare("mse").test == "paired_rows"
    assert study.best("mse").correction == "folds"
    assert sum(study.ranks("auc").mean_ranks.values()) == 6
    assert len(study.win_tie_loss("mse").records) == 3
    assert study.export(None, "mse", format="latex").count("\\\\") == 2
    assert len(BoxDisplay.from_study(study, "mse").axes_) == 1


def test_a_holdout_study_compares_the_predictions_that_it_kept(tmp_path: Path) -> None:
    study, expected = both(tmp_path, Holdout(), "plain")
    found = study.compare("error", "mcnemar_test", reference="logistic")
    labels = [np.array(["no", "yes"])[expected.pooled(name).y_pred.argmax(axis=1)] for name in ("logistic", "laplace")]
    test = mcnemar_test(expected.pooled("m").y_true, *labels)
    assert found.pairs[0].pvalue == test.pvalue
    assert study.best("error").correction == "rows"


def test_a_study_of_several_data_sets_is_ranked_and_drawn(tmp_path: Path) -> None:
    data = {f"part {i}": Dataset((X[i::3], Y[i::3])) for i in range(3)}
    options: dict[str, Any] = {"plan": CrossValidation(3), "metrics": ["mse"], "store": tmp_path / "studies.db"}
    study = Study("trees", datasets=data, methods=METHODS, **options)
    study.run()
    assert study.table("mse").shape == (3, 3)
    display = CriticalDifferenceDisplay.from_study(study, "mse")
    assert display.result.mean_ranks == study.ranks("mse").mean_ranks
    assert study.best("mse").correction == "data sets"
