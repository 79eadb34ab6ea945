"""Information losses in bits: of each row, their sum as a description length, and the rows that make them infinite."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._losses.mean_losses import surprise
from calibrant.metrics._metric import Metric
from calibrant.metrics._papers import WITTEN
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DESCRIPTION_LENGTH", "LOGARITHMIC", "description_length", "infinite_rows", "informational_loss"]

# The metrics that one actual class of probability 0 makes infinite.
LOGARITHMIC = frozenset({"log_loss", "log_loss_bits", "mxe", "nce", "description_length"})


@document_metric
def informational_loss(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> NDArray[np.float64]:
    """Return -log2 p for each row, p the predicted probability of its class (Witten, Frank & Hall 2011, 5.6).

    The loss is in bits, and infinite where p is 0.

    %(parameters)s

    %(returns_losses)s

    Examples
    --------
    >>> informational_loss(["no", "yes", "yes"], [0.5, 0.25, 0.0])
    array([ 1.,  2., inf])
    """
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    losses = np.zeros(predictions.n_input_rows)
    with np.errstate(divide="ignore"):
        losses[predictions.rows] = 0.0 - np.log2(predictions.true_class_proba())
    return losses


@document_metric
def infinite_rows(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> NDArray[np.intp]:
    """Return the rows that make the log-loss infinite: those whose actual class has probability 0.

    %(parameters)s

    Returns
    -------
    array of int
        The positions of those rows, from 0; none of weight 0 is among them.

    Examples
    --------
    >>> infinite_rows(["no", "yes", "yes"], [0.5, 0.0, 1.0])
    array([1])
    """
    return read_predictions(y_true, y_proba, sample_weight, pos_label, labels).zero_probability_rows()


@document_metric
def description_length(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """Return the number of bits that encode the classes of all rows for a receiver who has the probabilities.

    The sum of -log2 p over rows, p the probability of each row's class: L[E|T] of the minimum description length
    principle (Witten, Frank & Hall 2011, 5.9), without the length of the theory itself.

    %(parameters)s

    %(returns)s
        The sum, in bits; infinite where p is 0.

    Examples
    --------
    >>> round(description_length(["no", "yes", "yes"], [0.5, 0.25, 0.5]), 12)
    4.0
    """
    return _description_length(read_predictions(y_true, y_proba, sample_weight, pos_label, labels))


def _description_length(predictions: Predictions) -> float:
    total, at_zero, _ = surprise(predictions)
    return math.inf if at_zero else total / math.log(2.0)


DESCRIPTION_LENGTH = Metric(
    "description_length", description_length, _description_length, "lower", 0.0, math.inf, {WITTEN: "L[E|T]"}
)
