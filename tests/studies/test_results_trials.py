"""The frame of all trials."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np
from tests.studies.results_of_trials import dataset_plan, folds, results

from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
from calibrant.resampling import Bootstrap632
from calibrant.studies import Study


def test_every_trial_is_a_row_in_the_order_of_the_study(tmp_path: Path) -> None:
    """Trials run split by split, and are listed method by method, in the order in which methods were named."""
    names = itertools.product(("wine", "iris"), ("rates", "bayes"), (0, 1))
    study = Study(
        "s",
        datasets={name: (np.arange(24.0).reshape(12, 2), np.arange(12) % 2) for name in ("wine", "iris")},
        methods={"rates": ConstantClassifier(), "bayes": NaiveBayesClassifier()},
        plan=2,
        metrics=["mse"],
        training_metrics=True,
        store=tmp_path / "s.db",
    )
    study.run()
    frame = study.to_frame()
    assert list(frame[["dataset", "method", "split"]].itertuples(index=False, name=None)) == list(names)
    values = [study.split_values("mse", name).ravel() for name in ("wine", "iris")]
    assert frame["mse"].tolist() == np.concatenate(values).tolist()
    assert {"seed", "training_mse", "fit_seconds"} <= set(frame)
    assert list(frame)[-2:] == ["versions", "failure"]
    assert re.match(r"calibrant [\d.]+.*, numpy [\d.]+", frame["versions"][0])


def test_a_failed_trial_has_the_line_that_names_its_error() -> None:
    study = results({"iris": [[0.1, 0.2]]}, ["tree"], folds(2), failed={("iris", "tree", 1)})
    frame = study.to_frame()
    assert frame["state"].tolist() == ["done", "failed"]
    assert frame["failure"].tolist() == ["", "ValueError: no rows"]


def test_missing_trials_are_added_on_request() -> None:
    study = results({"iris": [[0.1, 0.2, 0.3]]}, ["tree"], folds(3), missing={("iris", "tree", 1)})
    assert len(study.to_frame()) == 2
    frame = study.to_frame(missing=True)
    assert frame["state"].tolist() == ["done", "missing", "done"]
    assert frame["split_name"].tolist()[1] == "split 2"


def test_a_missing_fit_to_all_rows_is_a_missing_trial() -> None:
    plan = dataset_plan(Bootstrap632(2, plus=True), ["1", "2"], [60, 60], [40, 40])
    frame = results({"iris": [[0.2, 0.4]]}, ["tree"], plan, "error").to_frame(missing=True)
    assert frame["split"].tolist() == [-1, 0, 1]
    assert frame["split_name"].tolist()[0] == "all rows"
