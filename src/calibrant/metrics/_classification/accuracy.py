"""Accuracy, balanced accuracy and error rate of the predicted class."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.metrics._classification.confusion import Confusions, is_predicted, judge_confusion
from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._metric import Metric
from calibrant.metrics._papers import CARUANA, NIELSEN, WITTEN
from calibrant.metrics._validation.options import check_options
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import read_more_labels, read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "ACCURACY",
    "BALANCED_ACCURACY",
    "DELTA_ACCURACY",
    "ERROR",
    "accuracy",
    "balanced_accuracy",
    "delta_accuracy",
    "error",
]


@document_metric
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
    """Return the fraction of rows whose predicted class is the actual one: from 0 to 1 (best).

    %(parameters)s
    %(threshold)s

    %(returns)s
        The accuracy.

    Examples
    --------
    >>> accuracy(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7])
    0.75
    """
    check_options("accuracy", threshold=threshold, inclusive=inclusive)
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    return judge_confusion(_accuracy, predictions, threshold, inclusive)


def _is_correct(
    predictions: Predictions, threshold: float | None = None, inclusive: bool = False
) -> NDArray[np.float64]:
    if threshold is None:
        return np.asarray(predictions.predicted_class() == predictions.label, dtype=np.float64)
    is_positive = predictions.label == predictions.positive
    return np.asarray(is_predicted(predictions, threshold, inclusive) == is_positive, dtype=np.float64)


def _is_wrong(predictions: Predictions, threshold: float | None = None, inclusive: bool = False) -> NDArray[np.float64]:
    return 1.0 - _is_correct(predictions, threshold, inclusive)


def _accuracy(confusions: Confusions) -> NDArray[np.float64]:
    return confusions.correct / confusions.total


@document_metric
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
    """Return the fraction of rows whose predicted class is not the actual one: from 0 (best) to 1.

    Chawla & Cieslak (2006) predict the positive class above a threshold of 0.5.

    %(parameters)s
    %(threshold)s

    %(returns)s
        The error rate.

    Examples
    --------
    >>> error(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7])
    0.25
    """
    check_options("error", threshold=threshold, inclusive=inclusive)
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    return judge_confusion(_error, predictions, threshold, inclusive)


def _error(confusions: Confusions) -> NDArray[np.float64]:
    return (confusions.total - confusions.correct) / confusions.total


@document_metric
def balanced_accuracy(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    threshold: float | None = None,
    inclusive: bool = False,
) -> float:
    """Return the mean, over classes, of the recall of each: from 0 to 1 (best).

    With two classes it is the mean of sensitivity and specificity. Classes without a row are left out.

    %(parameters)s
    %(threshold)s

    %(returns)s
        The balanced accuracy.

    Examples
    --------
    >>> round(balanced_accuracy(["no", "yes", "no", "no"], [0.1, 0.8, 0.6, 0.3], threshold=0.2), 4)  # of 1/3 and 1
    0.6667
    """
    check_options("balanced_accuracy", threshold=threshold, inclusive=inclusive)
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    return judge_confusion(_balanced_accuracy, predictions, threshold, inclusive)


def _balanced_accuracy(confusions: Confusions) -> NDArray[np.float64]:
    recalls = confusions.recalls
    return np.asarray(recalls.mean(axis=1, where=~np.isnan(recalls)))


@document_metric
def delta_accuracy(
    y_true: Any, y_proba: Any, *, vote: Any, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """Return the accuracy of the class of the largest probability less that of an ensemble's vote: higher is better.

    It shows whether an ensemble's probabilities predict classes better or worse than its vote (Nielsen 2004, eq. 14).
    Ties between probabilities are broken in favor of the lower class.

    %(parameters)s
    vote : sequence of length n_rows
        The class that the ensemble votes for.

    %(returns)s
        The difference, from -1 to 1.

    Examples
    --------
    >>> delta_accuracy(["no", "yes", "no", "yes"], [0.1, 0.8, 0.4, 0.3], vote=["no", "no", "no", "no"])
    0.25
    """
    return _delta_accuracy(read_predictions(y_true, y_proba, sample_weight, pos_label, labels), vote)


def _delta_accuracy(predictions: Predictions, vote: Any) -> float:
    by_vote = (read_more_labels("vote", vote, predictions) == predictions.label).astype(np.float64)
    return predictions.mean(_is_correct(predictions) - by_vote)


ACCURACY = Metric(
    *("accuracy", accuracy, partial(judge_confusion, _accuracy), "higher", 0.0, 1.0),
    papers={CARUANA: "ACC", WITTEN: "success rate"},
    hits=_is_correct,
)
ERROR = Metric(
    "error", error, partial(judge_confusion, _error), "lower", 0.0, 1.0, {WITTEN: "error rate"}, hits=_is_wrong
)
BALANCED_ACCURACY = Metric(
    "balanced_accuracy",
    balanced_accuracy,
    partial(judge_confusion, _balanced_accuracy),
    "higher",
    0.0,
    1.0,
    {"Brodersen et al. 2010": "balanced accuracy"},
)
DELTA_ACCURACY = Metric(
    "delta_accuracy", delta_accuracy, _delta_accuracy, "higher", -1.0, 1.0, {NIELSEN: "Delta-Acc"}, needs=("vote",)
)
