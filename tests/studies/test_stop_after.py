"""A run that ends after some seconds, and queries on the splits that it finished."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
from calibrant.exceptions import ParameterError
from calibrant.resampling import CrossValidation
from calibrant.studies import Study, StudyResults


class BlockedClassifier(ConstantClassifier):
    """Writes a file when its fit begins, which lasts longer than any test may."""

    def __init__(self, begun=""):
        super().__init__()
        self.begun = begun

    def fit(self, X, y, sample_weight=None):
        Path(self.begun).touch()
        time.sleep(600)
        return super().fit(X, y, sample_weight)


def make_study(folder, methods):
    return Study("s", datasets=["appeal"], methods=methods, plan=CrossValidation(4), store=folder / "s.db")


@pytest.mark.parametrize("workers", [None, 1])
def test_run_ends_and_goes_on(tmp_path, workers):
    methods = {"bayes": NaiveBayesClassifier(), "constant": ConstantClassifier()}
    study = make_study(tmp_path, methods)
    first = study.run(workers=workers, stop_after=1e-9)
    assert first.n_done < 8
    assert study.run().n_done == 8


@pytest.mark.parametrize("workers", [pytest.param(None, marks=pytest.mark.long), 2])
def test_running_trial_is_ended_and_what_is_finished_is_recorded(tmp_path, workers):
    begun = tmp_path / "begun"
    study = make_study(tmp_path, {"constant": ConstantClassifier(), "blocked": BlockedClassifier(str(begun))})
    status = study.run(workers=workers, stop_after=lambda: begun.exists() and study.status().n_done > 0)
    assert 0 < status.n_done <= 4
    assert (status.n_running, status.n_failed) == (0, 0)


def test_stop_after_must_be_positive(tmp_path):
    with pytest.raises(ParameterError, match="stop_after must be a finite number > 0"):
        make_study(tmp_path, {"constant": ConstantClassifier()}).run(stop_after=0)


def test_selected_splits_are_queried_like_all():
    values = {"iris": np.array([[0.10, 0.20, 0.11, np.nan], [0.30, 0.21, 0.32, 0.3], [0.2, 0.25, 0.24, 0.2]])}
    results = StudyResults.from_values(values, methods=["tree", "bayes", "forest"], metric="mse")
    part = results.select(splits=[0, 1, 2])
    whole = StudyResults.from_values({"iris": values["iris"][:, :3]}, methods=results.methods, metric="mse")
    assert part.table("mse").equals(whole.table("mse"))
    assert part.best("mse").corrected == whole.best("mse").corrected
    assert part.compare("mse").to_frame().equals(whole.compare("mse").to_frame())
    assert part.plans["iris"].words.endswith("3 of 4 splits")
    assert len(part.to_frame()) == 9


@pytest.mark.parametrize("splits", [[], [0, 0], [4], [-1]])
def test_splits_must_exist(splits):
    results = StudyResults.from_values({"iris": np.zeros((2, 4))}, methods=["tree", "bayes"], metric="mse")
    with pytest.raises(ParameterError, match="splits must be different numbers from 0 to 3"):
        results.select(splits=splits)


def test_predictions_of_selected_splits(tmp_path):
    study = Study(
        *("s",),
        datasets=["appeal"],
        methods={"bayes": NaiveBayesClassifier()},
        plan=CrossValidation(3),
        store=tmp_path / "s.db",
        keep_predictions=True,
    )
    study.run()
    pooled = study.results().select(splits=[2]).predictions("bayes")
    assert set(pooled.split.tolist()) == {2}
    assert len(pooled.row) == 500
