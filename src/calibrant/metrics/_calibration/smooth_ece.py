"""Smooth calibration error (Blasiok & Nakkiran 2023): a kernel instead of bins, and a width that chooses itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.fft import dct
from scipy.optimize import brentq

from calibrant.metrics._metric import Metric
from calibrant.metrics._validation.prediction_rows import TwoClass
from calibrant.metrics._validation.predictions import Predictions, read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SMOOTH_ECE", "smooth_ece"]

_CELLS, _ROWS, _LEAST = 2**14, 2**20, 1e-9


def smooth_ece(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """Give the smooth calibration error: 0 is best.

    The differences between outcomes and probabilities are smoothed by a normal kernel, reflected at 0 and 1, and the
    result is integrated without its sign. The wider the kernel, the smaller the integral: the error is the one width
    that equals its own integral. It has no bins, and changes little where probabilities do. With more than two classes
    it speaks of the decided one.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The class that a single column gives the probability of; by default the last sorted one.
    labels : sequence, optional
        The classes in the order of the columns.

    Returns
    -------
    float
        The error, from 0 to 1.

    Examples
    --------
    >>> round(smooth_ece([0, 0, 0, 1], [0.5, 0.5, 0.5, 0.5]), 4)  # a quarter too many everywhere
    0.25
    """
    return _smooth_ece(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    )


def _smooth_ece(read: Predictions) -> float:
    surplus = _surplus(read.judged()) / read.total
    surplus[[0, -1]] *= 2.0  # each end is its own reflection
    waves = dct(surplus, type=1) / 2.0
    if _integral(waves, _LEAST) <= _LEAST:
        return 0.0
    return min(1.0, float(brentq(lambda width: _integral(waves, width) - width, _LEAST, 2.0, xtol=1e-12)))


def _surplus(rows: TwoClass) -> NDArray[np.float64]:
    """Sum outcome less probability at the points of a grid from 0 to 1, each row shared by the two around it."""
    sums = np.zeros(_CELLS + 1)
    for begin in range(0, len(rows.proba), _ROWS):
        part = slice(begin, begin + _ROWS)
        place = rows.proba[part] * _CELLS
        below = np.minimum(place.astype(np.intp), _CELLS - 1)
        value = rows.positive[part] - rows.proba[part]
        value = value if rows.weight is None else value * rows.weight[part]
        above = (place - below) * value
        sums += np.bincount(below, value - above, _CELLS + 1) + np.bincount(below + 1, above, _CELLS + 1)
    return sums


def _integral(waves: NDArray[np.float64], width: float) -> float:
    """Damp each wave as the kernel does, and integrate the sum of them without its sign."""
    damped = waves * np.exp(-0.5 * (width * np.pi * np.arange(len(waves))) ** 2)
    sizes = np.abs(dct(damped, type=1))
    return float((sizes.sum() - (sizes[0] + sizes[-1]) / 2.0) / _CELLS)


SMOOTH_ECE = Metric("smooth_ece", smooth_ece, _smooth_ece, "lower", 0.0, 1.0, {"Blasiok & Nakkiran 2023": "smECE"})
