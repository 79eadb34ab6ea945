"""Probabilities and log-odds: which of the two scores are, and the conversion between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from scipy.special import expit

from calibrant import _core
from calibrant._params import Choice
from calibrant.calibration._validation import are_probabilities
from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ON", "On", "Scale", "as_logits", "as_logs", "find_scale", "from_logits", "on_scale"]

On: TypeAlias = Literal["auto", "logit", "score"]
Scale: TypeAlias = Literal["logit", "score"]

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
