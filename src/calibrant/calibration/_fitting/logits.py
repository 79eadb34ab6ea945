"""Probabilities and log-odds: which of the two a score is, and the way between them."""

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

__all__ = ["ON", "On", "Scale", "as_logits", "as_logs", "from_logits", "on_scale", "settle_scale"]

On: TypeAlias = Literal["auto", "logit", "score"]
Scale: TypeAlias = Literal["logit", "score"]

ON = Choice("auto", "logit", "score")

_LEAST = 1e-12  # a probability of 0 has no logit


def as_logits(proba: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give ln(p / (1 - p)), p kept 1e-12 away from 0 and 1.

    Examples
    --------
    >>> as_logits(np.array([0.5, 0.8, 1.0])).round(3)
    array([ 0.   ,  1.386, 27.631])
    """
    return _core.logits(np.ascontiguousarray(proba).ravel(), _LEAST).reshape(proba.shape)


def as_logs(proba: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give ln p, p kept 1e-12 away from 0.

    Examples
    --------
    >>> as_logs(np.array([[0.5, 0.5], [0.0, 1.0]])).round(3)
    array([[ -0.693,  -0.693],
           [-27.631,   0.   ]])
    """
    return _core.logs(np.ascontiguousarray(proba).ravel(), _LEAST).reshape(proba.shape)


def from_logits(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give 1 / (1 + e^-z); never NaN, whatever the size of z.

    Examples
    --------
    >>> from_logits(np.array([0.0, -1e9, 1e9]))
    array([0.5, 0. , 1. ])
    """
    return np.asarray(expit(logits))


def settle_scale(scores: NDArray[np.float64], on: On) -> Scale:
    """Say on what scale scores are taken: logits of probabilities, or as they are.

    Examples
    --------
    >>> settle_scale(np.array([0.1, 0.9]), "auto"), settle_scale(np.array([-2.0, 0.9]), "auto")
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
    """Bring scores to the scale settled in fit; a score out of [0, 1] counts as 0 or 1 where probabilities were seen.

    Examples
    --------
    >>> on_scale(np.array([0.5, 2.0]), "logit").round(3)
    array([ 0.   , 27.631])
    """
    return as_logits(scores) if scale == "logit" else scores
