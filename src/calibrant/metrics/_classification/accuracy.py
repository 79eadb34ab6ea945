"""Accuracy of the predicted class, also beyond chance or among the likeliest classes."""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from calibrant.metrics._classification.confusion import (
    accuracy_of,
    balanced_accuracy_of,
    error_of,
    is_predicted,
    kappa_of,
    mcc_of,
)
from calibrant.metrics._docstrings import Agreement, Common, Decision
from calibrant.metrics._metric import CARUANA, NIELSEN, WITTEN, judge_rows, metric, read_rows
from calibrant.metrics._validation.predictions import Predictions


def _is_correct(
    predictions: Predictions, threshold: float | None = None, inclusive: bool = False
) -> NDArray[np.float64]:
    if threshold is None:
        return np.asarray(predictions.predicted_class() == predictions.label, dtype=np.float64)
    is_positive = predictions.label == predictions.positive
    return np.asarray(is_predicted(predictions, threshold, inclusive) == is_positive, dtype=np.float64)


@metric("higher", 0.0, 1.0, {CARUANA: "ACC", WITTEN: "success rate"}, hits=_is_correct, judge=accuracy_of)
def accuracy(y_true: Any, y_proba: Any, **options: Unpack[Decision]) -> float:
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
    return judge_rows("accuracy", y_true, y_proba, options)


def _is_wrong(predictions: Predictions, threshold: float | None = None, inclusive: bool = False) -> NDArray[np.float64]:
    return 1.0 - _is_correct(predictions, threshold, inclusive)


@metric("lower", 0.0, 1.0, {WITTEN: "error rate"}, hits=_is_wrong, judge=error_of)
def error(y_true: Any, y_proba: Any, **options: Unpack[Decision]) -> float:
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
    return judge_rows("error", y_true, y_proba, options)


@metric("higher", 0.0, 1.0, {"Brodersen et al. 2010": "balanced accuracy"}, judge=balanced_accuracy_of)
def balanced_accuracy(y_true: Any, y_proba: Any, **options: Unpack[Decision]) -> float:
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
    return judge_rows("balanced_accuracy", y_true, y_proba, options)


@metric("higher", -1.0, 1.0, {NIELSEN: "Delta-Acc"}, needs=("vote",))
def delta_accuracy(y_true: Any, y_proba: Any, *, vote: Any, **common: Unpack[Common]) -> float:
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
    predictions = read_rows("delta_accuracy", y_true, y_proba, common)
    by_vote = (predictions.read_labels("vote", vote) == predictions.label).astype(np.float64)
    return predictions.mean(_is_correct(predictions) - by_vote)


@metric("higher", -math.inf, 1.0, {WITTEN: "kappa statistic", "Cohen 1960": "kappa"}, judge=kappa_of)
def kappa(y_true: Any, y_proba: Any, **options: Unpack[Agreement]) -> float:
    """Return Cohen's kappa, the agreement beyond chance relative to the most possible: at most 1 (best).

    %(parameters)s
    %(threshold)s
    weights : {"linear", "quadratic"}, optional
        For ordered classes, in the order of the columns: weight an error by the number of classes it is off, or by
        the square of that.

    %(returns)s
        The coefficient; NaN where chance alone is always correct.

    Examples
    --------
    >>> kappa(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7])
    0.5
    """
    return judge_rows("kappa", y_true, y_proba, options)


@metric("higher", -1.0, 1.0, {"Matthews 1975": "C", "Gorodkin 2004": "R_K"}, judge=mcc_of)
def mcc(y_true: Any, y_proba: Any, **options: Unpack[Decision]) -> float:
    """Return the correlation of predicted and actual classes: from -1 to 1 (best).

    Matthews (1975) defines it for two classes, Gorodkin (2004) for several.

    %(parameters)s
    %(threshold)s

    %(returns)s
        The correlation; NaN where all rows are of one class, or predicted to be.

    Examples
    --------
    >>> round(mcc(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7]), 4)
    0.5774
    """
    return judge_rows("mcc", y_true, y_proba, options)


def is_in_top(predictions: Predictions, k: int = 2) -> NDArray[np.float64]:
    """Return 1 for each row whose actual class is among the k most likely ones, and 0 for others.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> is_in_top(read_predictions([0, 2], [[0.4, 0.3, 0.3], [0.4, 0.3, 0.3]], labels=[0, 1, 2]))
    array([1., 0.])
    """
    proba, own = predictions.proba, predictions.true_class_proba()[:, None]
    # Equal probabilities are ranked by the order of the class names, not of the columns, so permuted columns agree.
    rank = np.argsort(np.argsort(predictions.classes, kind="stable"))
    is_before = (proba > own) | ((proba == own) & (rank < rank[predictions.label][:, None]))
    return np.asarray(is_before.sum(axis=1) < k, dtype=np.float64)


@metric("higher", 0.0, 1.0, {"Russakovsky et al. 2015": "1 - top-k error"}, hits=is_in_top)
def top_k_accuracy(y_true: Any, y_proba: Any, *, k: int = 2, **common: Unpack[Common]) -> float:
    """Return the fraction of rows whose actual class is among the k most likely ones: from 0 to 1 (best).

    With k = 1 it is the accuracy. Ties are broken in favor of the lower class.

    %(parameters)s
    k : int
        The number of classes; from the number of all classes on, the value is 1.

    %(returns)s
        The fraction.

    Examples
    --------
    >>> top_k_accuracy(["a", "b", "c", "c"], [[0.5, 0.3, 0.2], [0.4, 0.3, 0.3], [0.5, 0.4, 0.1], [0.1, 0.3, 0.6]], k=2)
    0.75
    """
    predictions = read_rows("top_k_accuracy", y_true, y_proba, common, k=k)
    return predictions.mean(is_in_top(predictions, k))
