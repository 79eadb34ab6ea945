"""What rows cost to tell, given probabilities: the loss of each, of all, and the rows that cost without end."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.metrics._losses.mean_losses import surprise
from calibrant.metrics._metric import Metric
from calibrant.metrics._validation.predictions import Predictions, read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DESCRIPTION_LENGTH", "LOGARITHMIC", "description_length", "infinite_rows", "informational_loss"]

LOGARITHMIC = frozenset({"log_loss", "log_loss_bits", "mxe", "nce", "description_length"})  # infinite at a 0


def informational_loss(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> NDArray[np.float64]:
    """Give -log2 p for each row, p the probability that its class was given (Witten, Frank & Hall 2011, 5.6).

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
    array of shape (n_rows,)
        The loss of each row that was given, in bits; infinite where p is 0; 0 for a row of weight 0.

    Examples
    --------
    >>> informational_loss(["no", "yes", "yes"], [0.5, 0.25, 0.0])
    array([ 1.,  2., inf])
    """
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    losses = np.zeros(read.n_given)
    with np.errstate(divide="ignore"):
        losses[read.rows] = 0.0 - np.log2(read.of_own_class())
    return losses


def infinite_rows(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> NDArray[np.intp]:
    """Give the rows that make the log-loss infinite: those whose class was given a probability of 0.

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
    array of int
        Where those rows stand, from 0; none of weight 0 is among them.

    Examples
    --------
    >>> infinite_rows(["no", "yes", "yes"], [0.5, 0.0, 1.0])
    array([1])
    """
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    return np.asarray(read.rows[read.of_own_class() == 0.0])


def description_length(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """Give the bits that it takes to tell the classes of all rows to one who knows the probabilities.

    The sum of -log2 p over rows, p the probability of each row's class: L[E|T] of the minimum description length
    principle (Witten, Frank & Hall 2011, 5.9). The length of the theory itself is not in it.

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
        The sum, in bits; infinite where p is 0.

    Examples
    --------
    >>> description_length(["no", "yes", "yes"], [0.5, 0.25, 0.5])
    4.0
    """
    return _description_length(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    )


def _description_length(read: Predictions) -> float:
    total, at_zero, _ = surprise(read)
    return math.inf if at_zero else total / math.log(2.0)


DESCRIPTION_LENGTH = Metric(
    "description_length",
    description_length,
    _description_length,
    "lower",
    0.0,
    math.inf,
    {"Witten, Frank & Hall 2011": "L[E|T]"},
)
