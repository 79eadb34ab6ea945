"""Boosting of several lengths and its calibrated versions in a study: fitted together, stored one by one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from calibrant.calibration import CalibratedClassifier
from calibrant.ensembles import BoostedStumpsClassifier
from calibrant.resampling import CrossValidation, estimate_performance
from calibrant.studies import Study

LENGTHS = [BoostedStumpsClassifier(n_trees=n) for n in (2, 4, 8)]
METHODS = {f"raw {each.n_trees}": each for each in LENGTHS} | {
    f"platt {each.n_trees}": CalibratedClassifier(each, "platt", cv=3) for each in LENGTHS
}


@pytest.mark.parametrize("workers", [None, pytest.param(2, marks=pytest.mark.long)])
def test_a_study_shares_fits_and_has_the_values_of_each_alone(tmp_path: Path, workers: int | None) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3)).round(2)
    y = np.where(X[:, 0] + rng.normal(size=120) > 0, "yes", "no")
    plan = CrossValidation(2, random_state=0)
    store = f"{tmp_path}/studies.db"
    parts = {"datasets": {"noise": (X, y)}, "plan": plan, "metrics": ["mse"], "store": store}
    few = {name: METHODS[name] for name in ("raw 4", "platt 2")}
    Study("study", methods=few, **parts).run(workers=workers)  # the others are added to the stored ones
    study = Study("study", methods=METHODS, **parts)
    study.run(workers=workers, update=True)
    values = study.results().split_values("mse", "noise")
    for found, (name, method) in zip(values, METHODS.items(), strict=True):
        alone = estimate_performance({name: method}, X, y, plan, ["mse"])
        assert np.array_equal(found, alone.split_values("mse", name))
    frame = study.results().to_frame()
    assert set(frame.n_sharing[frame.method == "raw 8"]) == {4}  # of the trials that were not stored before
