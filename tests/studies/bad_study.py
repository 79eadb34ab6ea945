"""Small studies for the tests of bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from tests.studies.bad_methods import BaseRates

from calibrant.bayes import NaiveBayesClassifier
from calibrant.studies import Study

__all__ = ["make_rows", "make_study", "scores_of"]


def make_rows(n_rows: int = 40, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 2)).round(2)
    return X, np.where(X[:, 0] + rng.normal(size=n_rows) > 0, "yes", "no")


def make_study(folder: Path | str, name: str = "study", **changes: Any) -> Study:
    """Return a study of a good method, `rates`, and of those that are passed as `bad`."""
    bad = changes.pop("bad", None)
    store = changes.pop("store", None) or f"{folder}/studies.db"
    parts = {"datasets": {"noise": make_rows()}, "plan": 3, "metrics": ["mse"], "keep_predictions": False}
    methods = {"bayes": NaiveBayesClassifier(), "rates": BaseRates()}
    if bad is not None:
        methods = {"bayes": NaiveBayesClassifier(), "bad": bad, "rates": BaseRates()}
    return Study(name, **(parts | {"methods": methods} | changes), store=store)


def scores_of(study: Study, metric: str = "mse") -> dict[tuple[str, str, int], str]:
    """Return the scores of the trials that are done, to the bit."""
    frame = study.to_frame()
    done = frame[frame["state"] == "done"]
    names = zip(done["dataset"], done["method"], done["split"], strict=True)
    return {name: float(value).hex() for name, value in zip(names, done[metric], strict=True)}
