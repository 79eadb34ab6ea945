"""How often the class that is decided for comes true."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant.metrics._classification.confusion import confusion_of
from calibrant.metrics._metric import Metric
from calibrant.metrics._validation.predictions import Predictions, read_more_labels, read_predictions

__all__ = ["ACCURACY", "DELTA_ACCURACY", "ERROR", "accuracy", "delta_accuracy", "error"]


def accuracy(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    threshold: float | None = None,
    inclusive: bool = False,
) -> float:
    """Give the share of rows whose class is the one decided for: from 0 to 1 (best).

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
    threshold : float, optional
        Decide for the positive class above this probability; by default for the class of the largest one, ties to the
        lower class.
    inclusive : bool
        Decide for the positive class at the threshold itself, too.

    Returns
    -------
    float
        The share.

    Examples
    --------
    >>> accuracy(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7])
    0.75
    """
    return _accuracy(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels),
        threshold,
        inclusive,
    )


def _accuracy(read: Predictions, threshold: float | None = None, inclusive: bool = False) -> float:
    counts = confusion_of(read, threshold, inclusive)
    return float(np.trace(counts) / counts.sum())


def error(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    threshold: float | None = None,
    inclusive: bool = False,
) -> float:
    """Give the share of rows whose class is not the one decided for: from 0 (best) to 1.

    Chawla & Cieslak (2006) decide for the positive class above a threshold of 0.5.

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
    threshold : float, optional
        Decide for the positive class above this probability; by default for the class of the largest one, ties to the
        lower class.
    inclusive : bool
        Decide for the positive class at the threshold itself, too.

    Returns
    -------
    float
        The share.

    Examples
    --------
    >>> error(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7])
    0.25
    """
    return _error(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels),
        threshold,
        inclusive,
    )


def _error(read: Predictions, threshold: float | None = None, inclusive: bool = False) -> float:
    counts = confusion_of(read, threshold, inclusive)
    return float((counts.sum() - np.trace(counts)) / counts.sum())


def delta_accuracy(
    y_true: Any,
    y_proba: Any,
    *,
    vote: Any,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
) -> float:
    """Give the accuracy of deciding by the largest probability less that of an ensemble's vote: above 0 it is better.

    It tells whether the probabilities of an ensemble spoil or mend its classes (Nielsen 2004, eq. 14). Equal
    probabilities are decided for the lower class.

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
    vote : sequence of length n_rows
        The class that the ensemble votes for.

    Returns
    -------
    float
        The difference, from -1 to 1.

    Examples
    --------
    >>> delta_accuracy(["no", "yes", "no", "yes"], [0.1, 0.8, 0.4, 0.3], vote=["no", "no", "no", "no"])
    0.25
    """
    return _delta_accuracy(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels), vote
    )


def _delta_accuracy(read: Predictions, vote: Any) -> float:
    by_vote = (read_more_labels("vote", vote, read) == read.label).astype(np.float64)
    return read.mean((read.decided() == read.label) - by_vote)


ACCURACY = Metric(
    "accuracy",
    accuracy,
    _accuracy,
    "higher",
    0.0,
    1.0,
    {"Caruana & Niculescu-Mizil 2006": "ACC", "Witten, Frank & Hall 2011": "success rate"},
)
ERROR = Metric("error", error, _error, "lower", 0.0, 1.0, {"Witten, Frank & Hall 2011": "error rate"})
DELTA_ACCURACY = Metric(
    "delta_accuracy",
    delta_accuracy,
    _delta_accuracy,
    "higher",
    -1.0,
    1.0,
    {"Nielsen 2004": "Delta-Acc"},
    needs=("vote",),
)
