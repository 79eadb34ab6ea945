"""Probabilities against those of one who knows no more than the shares of the classes: errors as shares, bits won."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.metrics._metric import Metric
from calibrant.metrics._validation.predictions import Predictions, read_predictions
from calibrant.metrics._validation.prior import read_prior

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "INFORMATION_SCORE",
    "RELATIVE_ABSOLUTE_ERROR",
    "ROOT_RELATIVE_SQUARED_ERROR",
    "information_score",
    "relative_absolute_error",
    "root_relative_squared_error",
]


def relative_absolute_error(
    y_true: Any, y_proba: Any, *, prior: Any, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """Give the distance of the probabilities from 0 and 1 as a share of that of the prior: 0 is best, 1 no better.

    The distance of a row is the sum of |p - t| over classes, t 1 for the row's class and 0 for the others. Weka prints
    it for classifiers, in percent.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    prior : sequence of length n_classes or dict
        The share of each class in the training data, in sorted order or that of `labels`, or by class; Weka adds 1 to
        the count of each class first.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The class that a single column gives the probability of; by default the last sorted one.
    labels : sequence, optional
        The classes in the order of the columns.

    Returns
    -------
    float
        The share; infinite where the prior alone makes no error, NaN where neither does.

    Examples
    --------
    >>> relative_absolute_error(["no", "yes"], [0.25, 0.75], prior=[0.5, 0.5])
    0.5
    """
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    return _absolute(read, prior, labels)


def _absolute(read: Predictions, prior: Any, labels: Any = None) -> float:
    shares = read_prior(prior, read, labels)
    return _share(_distance(read, read.of_own_class()), _distance(read, shares[read.label]))


def _distance(read: Predictions, own: NDArray[np.float64]) -> float:
    """Give the mean of 1 - p of the own class, half of the sum of |p - t| where probabilities sum to 1."""
    return read.mean(1.0 - own)


def root_relative_squared_error(
    y_true: Any, y_proba: Any, *, prior: Any, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """Give the root of `mse` as a share of that of the prior: 0 is best, 1 no better than the prior.

    Weka prints it for classifiers, in percent.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    prior : sequence of length n_classes or dict
        The share of each class in the training data, in sorted order or that of `labels`, or by class; Weka adds 1 to
        the count of each class first.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The class that a single column gives the probability of; by default the last sorted one.
    labels : sequence, optional
        The classes in the order of the columns.

    Returns
    -------
    float
        The share; infinite where the prior alone makes no error, NaN where neither does.

    Examples
    --------
    >>> root_relative_squared_error(["no", "yes"], [0.25, 0.75], prior=[0.5, 0.5])
    0.5
    """
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    return _squared(read, prior, labels)


def _squared(read: Predictions, prior: Any, labels: Any = None) -> float:
    shares = read_prior(prior, read, labels)
    square = read.mean(1.0 - 2.0 * read.of_own_class() + np.einsum("ij,ij->i", read.proba, read.proba))
    of_prior = read.mean(1.0 - 2.0 * shares[read.label]) + float(shares @ shares)
    return math.sqrt(_share(max(square, 0.0), max(of_prior, 0.0)))


def _share(error: float, of_prior: float) -> float:
    if of_prior == 0.0:
        return math.nan if error == 0.0 else math.inf
    return error / of_prior


def information_score(
    y_true: Any, y_proba: Any, *, prior: Any, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """Give the mean of the bits that the probabilities tell of the classes (Kononenko & Bratko 1991): more is better.

    Where p, the probability of a row's class, is at least the prior q, it tells log2 p - log2 q; where it is less it
    misleads, and tells log2(1 - q) - log2(1 - p), which is negative.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    prior : sequence of length n_classes or dict
        The share of each class in the training data, in sorted order or that of `labels`, or by class.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The class that a single column gives the probability of; by default the last sorted one.
    labels : sequence, optional
        The classes in the order of the columns.

    Returns
    -------
    float
        The mean, in bits: 0 for the prior itself, at most the bits that the classes cost by the prior alone; infinite
        where a class of prior 0 was foretold, which the prior could not.

    Examples
    --------
    >>> information_score(["no", "yes"], [0.0, 0.5], prior=[0.5, 0.5])  # one bit, and none
    0.5
    """
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    return _information(read, prior, labels)


def _information(read: Predictions, prior: Any, labels: Any = None) -> float:
    p, q = read.of_own_class(), read_prior(prior, read, labels)[read.label]
    with np.errstate(divide="ignore", invalid="ignore"):
        told = np.where(p >= q, np.log2(p) - np.log2(q), np.log2(1.0 - q) - np.log2(1.0 - p))
    return read.mean(np.where(p == q, 0.0, told))


_WEKA = "Witten, Frank & Hall 2011"
RELATIVE_ABSOLUTE_ERROR = Metric(
    "relative_absolute_error",
    relative_absolute_error,
    _absolute,
    "lower",
    0.0,
    math.inf,
    {_WEKA: "relative absolute error"},
    needs=("prior",),
)
ROOT_RELATIVE_SQUARED_ERROR = Metric(
    "root_relative_squared_error",
    root_relative_squared_error,
    _squared,
    "lower",
    0.0,
    math.inf,
    {_WEKA: "root relative squared error"},
    needs=("prior",),
)
INFORMATION_SCORE = Metric(
    "information_score",
    information_score,
    _information,
    "higher",
    -math.inf,
    math.inf,
    {"Kononenko & Bratko 1991": "average information score"},
    needs=("prior",),
)
