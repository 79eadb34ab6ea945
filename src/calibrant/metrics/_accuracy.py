"""How often the class that is decided for comes true."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant.metrics._metric import Metric
from calibrant.metrics._predictions import Predictions, read_more_labels, read_predictions

__all__ = ["DELTA_ACCURACY", "delta_accuracy"]


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
    vote : sequence of length n_rows
        The class that the ensemble votes for.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The class that a single column gives the probability of; by default the last sorted one.
    labels : sequence, optional
        The classes in the order of the columns.

    Returns
    -------
    float
        The difference, from -1 to 1.

    Examples
    --------
    >>> delta_accuracy(["no", "yes", "no", "yes"], [0.1, 0.8, 0.4, 0.3], vote=["no", "no", "no", "no"])
    0.25
    """
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    return _delta_accuracy(read, vote)


def _delta_accuracy(read: Predictions, vote: Any) -> float:
    by_vote = (read_more_labels("vote", vote, read) == read.label).astype(np.float64)
    return read.mean((read.decided() == read.label) - by_vote)


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
