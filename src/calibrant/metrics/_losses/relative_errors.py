"""Probabilities compared with the prior: relative errors, and the information gained over it."""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from calibrant.metrics._docstrings import Common
from calibrant.metrics._metric import WITTEN, metric, read_rows
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import read_prior


@metric("lower", 0.0, math.inf, {WITTEN: "relative absolute error"}, needs=("prior",))
def relative_absolute_error(y_true: Any, y_proba: Any, *, prior: Any, **common: Unpack[Common]) -> float:
    """Return the absolute error of the probabilities relative to that of the prior: 0 is best, 1 no better.

    The absolute error of a row is the sum of ``|p - t|`` over classes, where t is 1 for the actual class and 0 for
    the others. Weka prints the ratio for classifiers, in percent.

    %(parameters)s
    %(required_prior)s

    %(returns_relative_to_prior)s

    Examples
    --------
    >>> relative_absolute_error(["no", "yes"], [0.25, 0.75], prior=[0.5, 0.5])
    0.5
    """
    predictions = read_rows("relative_absolute_error", y_true, y_proba, common)
    frequencies = read_prior(prior, predictions, common.get("labels"))
    of_prior = _half_absolute(predictions, frequencies[predictions.label])
    return _ratio(_half_absolute(predictions, predictions.true_class_proba()), of_prior)


def _half_absolute(predictions: Predictions, own: NDArray[np.float64]) -> float:
    """Return the mean of 1 - p of the actual class: half of the absolute error, since probabilities sum to 1."""
    return predictions.mean(1.0 - own)


@metric("lower", 0.0, math.inf, {WITTEN: "root relative squared error"}, needs=("prior",))
def root_relative_squared_error(y_true: Any, y_proba: Any, *, prior: Any, **common: Unpack[Common]) -> float:
    """Return the root of the ratio of `mse` to that of the prior: 0 is best, 1 no better than the prior.

    Weka prints it for classifiers, in percent.

    %(parameters)s
    %(required_prior)s

    %(returns_relative_to_prior)s

    Examples
    --------
    >>> root_relative_squared_error(["no", "yes"], [0.25, 0.75], prior=[0.5, 0.5])
    0.5
    """
    predictions = read_rows("root_relative_squared_error", y_true, y_proba, common)
    frequencies = read_prior(prior, predictions, common.get("labels"))
    squares = np.einsum("ij,ij->i", predictions.proba, predictions.proba)
    error = predictions.mean(1.0 - 2.0 * predictions.true_class_proba() + squares)
    of_prior = predictions.mean(1.0 - 2.0 * frequencies[predictions.label]) + float(frequencies @ frequencies)
    return math.sqrt(_ratio(max(error, 0.0), max(of_prior, 0.0)))


def _ratio(error: float, of_prior: float) -> float:
    if of_prior == 0.0:
        # A prior of one class is already perfect: nothing can be gained relative to it.
        return math.nan if error == 0.0 else math.inf
    return error / of_prior


@metric("higher", -math.inf, math.inf, {"Kononenko & Bratko 1991": "average information score"}, needs=("prior",))
def information_score(y_true: Any, y_proba: Any, *, prior: Any, **common: Unpack[Common]) -> float:
    """Return the mean information score (Kononenko & Bratko 1991), in bits gained over the prior: higher is better.

    Where p, the probability of a row's class, is at least its prior q, the row gains log2 p - log2 q; where it is less
    the prediction misleads, and the row loses log2(1 - p) - log2(1 - q).

    %(parameters)s
    %(required_prior)s

    %(returns)s
        The mean, in bits: 0 for the prior itself, at most the cost of the classes under the prior; infinite where a
        class of prior 0 occurs and has a probability above 0.

    Examples
    --------
    >>> information_score(["no", "yes"], [0.0, 0.5], prior=[0.5, 0.5])  # one bit, and none
    0.5
    """
    predictions = read_rows("information_score", y_true, y_proba, common)
    p, q = predictions.true_class_proba(), read_prior(prior, predictions, common.get("labels"))[predictions.label]
    with np.errstate(divide="ignore", invalid="ignore"):
        # Kononenko & Bratko count misleading probabilities against 1 - p:
        # p below the prior loses what not-p would gain.
        bits = np.where(p >= q, np.log2(p) - np.log2(q), np.log2(1.0 - q) - np.log2(1.0 - p))
    return predictions.mean(np.where(p == q, 0.0, bits))
