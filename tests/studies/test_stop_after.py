"""A run that ends after some seconds, and queries on the splits that it finished."""

from __future__ import annotations

import time

import numpy as np
import pytest

from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
from calibrant.exceptions import ParameterError
from calibrant.resampling import CrossValidation
from calibrant.studies import Study, StudyResults


class SlowClassifier(NaiveBayesClassifier):
    """Takes longer than the test may."""

    def fit(self, X, y, sample_weight=None):
        time.sleep(30)
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


@pytest.mark.long
def test_running_trial_of_a_worker_is_ended(tmp_path):
    study = make_study(tmp_path, {"constant": ConstantClassifier(), "slow": SlowClassifier()})
    start = time.monotonic()
    status = study.run(workers=1, stop_after=6.0)
    assert time.monotonic() - start < 20
    assert status.n_done < 8
    assert status.n_running == 0


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
