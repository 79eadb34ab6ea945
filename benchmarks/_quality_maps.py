"""The calibration maps that `calibration_quality.py` compares: ours, scikit-learn's, and those of other packages."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator

from calibrant.calibration import CALIBRATORS

Scores = NDArray[np.float64]
Map = Callable[[Scores, NDArray[np.int64], Scores], NDArray[np.float64]]

LEAST = 1e-12


def all_maps() -> dict[str, Map]:
    """Return every map by name: a function of training scores, their classes, and the scores to map."""
    maps: dict[str, Map] = {name: _ours(name) for name in CALIBRATORS if name != "prior_shift"}
    methods = ["sigmoid", "isotonic", "temperature"]
    maps |= {f"scikit-learn {name}": _theirs(name) for name in methods if _has_method(name)}
    if importlib.util.find_spec("betacal"):
        maps["betacal"] = _betacal
    if importlib.util.find_spec("venn_abers"):
        maps["venn-abers"] = _venn_abers
    if importlib.util.find_spec("probmetrics"):
        maps |= {f"probmetrics {name}": _probmetrics(name) for name in ("logistic", "svs", "sms")}
    if importlib.util.find_spec("netcal"):
        maps["netcal histogram"] = _netcal
    return maps


def two_columns(proba: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a column for each class."""
    proba = np.asarray(proba, dtype=np.float64)
    flat = proba.ravel() if proba.ndim == 1 or proba.shape[1] == 1 else None
    return proba if flat is None else np.stack([1.0 - flat, flat], axis=1)


def _ours(name: str) -> Map:
    def apply(scores: Scores, codes: NDArray[np.int64], new_scores: Scores) -> NDArray[np.float64]:
        return two_columns(CALIBRATORS[name]().fit(scores, codes).predict(new_scores))

    return apply


class _Identity(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted classifier whose scores are its rows."""

    def __init__(self, n_classes: int = 2) -> None:
        self.n_classes = n_classes

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def classes_(self) -> NDArray[np.int64]:
        return np.arange(self.n_classes)

    def fit(self, _X: Scores, _y: NDArray[np.int64]) -> _Identity:
        return self

    def decision_function(self, X: Scores) -> Scores:
        return X[:, 0] if X.shape[1] == 1 else X

    def predict(self, X: Scores) -> NDArray[np.int64]:
        return np.zeros(len(X), dtype=np.int64)


def _has_method(name: str) -> bool:
    return name != "temperature" or "temperature" in (CalibratedClassifierCV.__doc__ or "")


def _theirs(method: str) -> Map:
    """Return scikit-learn's map of the scores; temperature scaling takes log-odds, as it does from a model."""

    def apply(scores: Scores, codes: NDArray[np.int64], new_scores: Scores) -> NDArray[np.float64]:
        if method == "temperature" and _are_proba(scores):
            scores, new_scores = _log_odds(scores), _log_odds(new_scores)
        model = FrozenEstimator(_Identity(max(2, scores.shape[1])))
        fitted = CalibratedClassifierCV(model, method=method).fit(scores, codes)
        return np.asarray(fitted.predict_proba(new_scores))

    return apply


def _are_proba(scores: Scores) -> bool:
    return bool(scores.min() >= 0 and scores.max() <= 1)


def _log_odds(scores: Scores) -> Scores:
    clipped = np.clip(scores, LEAST, 1 - LEAST)
    return np.log(clipped / (1 - clipped)) if scores.shape[1] == 1 else np.log(clipped)


def _betacal(scores: Scores, codes: NDArray[np.int64], new_scores: Scores) -> NDArray[np.float64]:
    from betacal import BetaCalibration

    if scores.shape[1] > 1 or not _are_proba(scores):
        raise ValueError("betacal takes probabilities of one class")
    return two_columns(BetaCalibration("abm").fit(scores, codes).predict(new_scores.ravel()))


def _venn_abers(scores: Scores, codes: NDArray[np.int64], new_scores: Scores) -> NDArray[np.float64]:
    from venn_abers import VennAbers

    if scores.shape[1] > 1 or not _are_proba(scores):
        raise ValueError("venn-abers takes probabilities of one class")
    model = VennAbers()
    model.fit(two_columns(scores), codes)
    return np.asarray(model.predict_proba(two_columns(new_scores))[0])


def _probmetrics(name: str) -> Map:
    def apply(scores: Scores, codes: NDArray[np.int64], new_scores: Scores) -> NDArray[np.float64]:
        from probmetrics.calibrators import get_calibrator

        if not _are_proba(scores):
            raise ValueError("probmetrics takes probabilities")
        fitted: Any = get_calibrator(name).fit(two_columns(scores), codes)
        return np.asarray(fitted.predict_proba(two_columns(new_scores)))

    return apply


def _netcal(scores: Scores, codes: NDArray[np.int64], new_scores: Scores) -> NDArray[np.float64]:
    from netcal.binning import HistogramBinning

    if scores.shape[1] > 1 or not _are_proba(scores):
        raise ValueError("netcal is used for two classes only")
    fitted = HistogramBinning(bins=10)
    fitted.fit(scores.ravel(), codes)
    return two_columns(fitted.transform(new_scores.ravel()))
