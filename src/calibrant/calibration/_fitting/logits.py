"""Probabilities as logits, or as rows of a softmax.

The softmax has a way of its own for two columns, because reductions over an axis of length 2 are slow in numpy.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_softmax, softmax

from calibrant import _core
from calibrant._params import Choice
from calibrant._saved import Text
from calibrant.calibration._validation import are_probabilities
from calibrant.exceptions import ParameterError

On: TypeAlias = Literal["auto", "logit", "score"]
Scale: TypeAlias = Literal["logit", "score"]
SCALE_FIELD = Text("logit", "score")  # of `on_` in model files

ON = Choice("auto", "logit", "score")

_LEAST = 1e-12  # a probability of 0 has no logit; this one's, -27.6, is far below what any sample can show


def as_logits(proba: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log-odds ln(p / (1 - p)), p clipped to 1e-12 from 0 and 1.

    Examples
    --------
    >>> as_logits(np.array([0.5, 0.8, 1.0])).round(3)
    array([ 0.   ,  1.386, 27.631])
    """
    return _core.logits(np.ascontiguousarray(proba).ravel(), _LEAST).reshape(proba.shape)


def as_logs(proba: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ln p, p clipped to at least 1e-12.

    Examples
    --------
    >>> as_logs(np.array([[0.5, 0.5], [0.0, 1.0]])).round(3)
    array([[ -0.693,  -0.693],
           [-27.631,   0.   ]])
    """
    return _core.logs(np.ascontiguousarray(proba).ravel(), _LEAST).reshape(proba.shape)


def from_logits(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 / (1 + e^-z); never NaN, whatever the size of z.

    Examples
    --------
    >>> from_logits(np.array([0.0, -1e9, 1e9]))
    array([0.5, 0. , 1. ])
    """
    return np.asarray(expit(logits))


def find_scale(scores: NDArray[np.float64], on: On) -> Scale:
    """Return the scale of scores: "logit" for probabilities, of which log-odds are taken, "score" for any others.

    Examples
    --------
    >>> find_scale(np.array([0.1, 0.9]), "auto"), find_scale(np.array([-2.0, 0.9]), "auto")
    ('logit', 'score')
    """
    if on == "auto":
        return "logit" if are_probabilities(scores) else "score"
    if on == "logit" and not are_probabilities(scores):
        raise ParameterError(
            "on='logit' takes probabilities in [0, 1]; these scores are not. Use on='score' or 'auto'."
        )
    return on


def on_scale(scores: NDArray[np.float64], scale: Scale) -> NDArray[np.float64]:
    """Return scores on the scale found in fit; where that had probabilities, a score outside [0, 1] is clipped to it.

    Examples
    --------
    >>> on_scale(np.array([0.5, 2.0]), "logit").round(3)
    array([ 0.   , 27.631])
    """
    return as_logits(scores) if scale == "logit" else scores


def softmax_rows(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the softmax of each row, to the bit that of scipy.

    Examples
    --------
    >>> softmax_rows(np.log([[0.2, 0.6], [3.0, 1.0]]))
    array([[0.25, 0.75],
           [0.75, 0.25]])
    """
    if logits.shape[1] != 2:
        return np.asarray(softmax(logits, axis=1))
    powers = np.exp(logits - np.maximum(logits[:, 0], logits[:, 1])[:, np.newaxis])
    return np.asarray(powers / (powers[:, 0] + powers[:, 1])[:, np.newaxis])


def log_softmax_rows(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logarithm of the softmax of each row, to the bit that of scipy.

    Examples
    --------
    >>> np.exp(log_softmax_rows(np.log([[0.2, 0.6]])))
    array([[0.25, 0.75]])
    """
    if logits.shape[1] != 2:
        return np.asarray(log_softmax(logits, axis=1))
    highest = np.maximum(logits[:, 0], logits[:, 1])
    highest[~np.isfinite(highest)] = 0.0
    below = logits - highest[:, np.newaxis]
    powers = np.exp(below)
    with np.errstate(divide="ignore"):
        return np.asarray(below - np.log(powers[:, 0] + powers[:, 1])[:, np.newaxis])


def spread_of_rows(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the difference between the greatest and the least value of each row.

    Examples
    --------
    >>> spread_of_rows(np.array([[3.0, 5.0], [4.0, 1.0]]))
    array([2., 3.])
    """
    if values.shape[1] != 2:
        return np.asarray(np.ptp(values, axis=1))
    return np.abs(values[:, 0] - values[:, 1])
