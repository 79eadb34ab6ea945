"""Pooled and calibrated probabilities of the training rows, each stage fitted without the row's own fold."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from calibrant.blending._pool.log_linear_pool import LogLinearPool, fit_pool
from calibrant.calibration import Auto, Calibrator, Temperature, VectorScaling
from calibrant.calibration._internal import ScoredRows
from calibrant.exceptions import CalibrantWarning

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.blending._table.blend_table import BlendSample

_LEAST = 1e-15
_LEAST_CORRELATION = 0.5  # of log-probabilities before and after a map; those that are of use have more than 0.9

__all__ = ["PoolCalibrator", "apply_map", "cross_fit_map", "cross_fit_pool", "fit_map"]


class PoolCalibrator(Auto):
    """The guarded calibration of a pool, whose weights and biases leave little to maps of K x K parameters.

    With more than two classes temperature and vector scaling are tried: with 26 classes the others take minutes.
    """

    _multiclass_maps: ClassVar[Mapping[str, Callable[[], Calibrator]]] = {
        "temperature": Temperature,
        "vector_scaling": VectorScaling,
    }
    _tries_dirichlet: ClassVar[bool] = False


def cross_fit_pool(
    tables: Sequence[NDArray[np.float64]],
    families: Sequence[str],
    sample: BlendSample,
    start: LogLinearPool | None = None,
) -> NDArray[np.float64]:
    """Return the pooled probabilities of the sample, by pools fitted to the other folds; the search starts at one."""
    pooled = np.empty((sample.n_pieces, sample.n_classes))
    for fold in sample.folds:
        inside = sample.fold == fold
        pool = fit_pool([each[~inside] for each in tables], families, sample.take(~inside), start)
        pooled[inside] = pool.proba([each[inside] for each in tables], int(inside.sum()))
    return pooled


def fit_map(proba: NDArray[np.float64], sample: BlendSample) -> PoolCalibrator:
    """Fit the guarded calibration to pooled probabilities."""
    scores = proba[:, 1:] if sample.n_classes == 2 else proba
    scored = ScoredRows(
        np.ascontiguousarray(scores),
        sample.codes.astype(np.int32),
        np.arange(sample.n_classes),
        sample.weight,
        sample.groups,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrantWarning)  # of few rows: the blend itself is drawn to equal weights
        calibrator = PoolCalibrator()._fit_clone(scored)
        return calibrator if _keeps_order(calibrator, proba) else _without_map(scored)


def _keeps_order(calibrator: PoolCalibrator, proba: NDArray[np.float64]) -> bool:
    """Return whether mapped log-probabilities rise with those before.

    A row held out lowers the share of its class in what remains, so without signal held-out predictions are lower for
    the class that came: a map that reverses them gains on held-out rows, and is wrong for new ones.
    """
    before, after = (np.log(np.maximum(each, _LEAST)) for each in (proba, apply_map(calibrator, proba)))
    before, after = before - before.mean(axis=0), after - after.mean(axis=0)
    size = float(np.sqrt(np.sum(before**2) * np.sum(after**2)))
    return size == 0.0 or float(np.sum(before * after)) >= _LEAST_CORRELATION * size


def _without_map(scored: ScoredRows) -> PoolCalibrator:
    calibrator = PoolCalibrator(price=np.inf)._fit_clone(scored)
    calibrator.choice_ = replace(calibrator.choice_, reason="the map that gains reverses the order of predictions")
    return calibrator


def apply_map(calibrator: PoolCalibrator, proba: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return calibrated probabilities, a column for each class."""
    if proba.shape[1] != 2:
        return calibrator._predict_table(proba)
    second = calibrator._predict_table(np.ascontiguousarray(proba[:, 1:])).ravel()
    return np.stack([1.0 - second, second], axis=1)


def cross_fit_map(proba: NDArray[np.float64], sample: BlendSample) -> NDArray[np.float64]:
    """Return the calibrated probabilities of the sample, by maps fitted to the other folds, two at a time."""
    mapped = np.empty_like(proba)
    for pair in np.unique(sample.fold // 2):
        inside = sample.fold // 2 == pair
        mapped[inside] = apply_map(fit_map(proba[~inside], sample.take(~inside)), proba[inside])
    return mapped
