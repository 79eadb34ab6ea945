"""Rates of the predicted class: precision, recall, specificity and negative predictive value."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.metrics._classification.confusion import Confusions, averaged, is_predicted, judge_confusion, ratio
from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._metric import Metric
from calibrant.metrics._papers import WITTEN
from calibrant.metrics._validation.options import check_options
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "NPV",
    "PRECISION",
    "RATES",
    "RECALL",
    "SENSITIVITY",
    "SPECIFICITY",
    "npv",
    "precision",
    "rate_counts",
    "recall",
    "sensitivity",
    "specificity",
]

_TRUE_NEGATIVE = 3
# The counts of successes and of failures, among true positives, false positives, false negatives and true negatives.
RATES = {"precision": (0, 1), "recall": (0, 2), "sensitivity": (0, 2), "specificity": (3, 1), "npv": (3, 2)}


@document_metric
def precision(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    threshold: float | None = None,
    inclusive: bool = False,
    average: str | None = None,
) -> float:
    """Return the fraction of the rows predicted to be positive that are: from 0 to 1 (best).

    It is also known as the positive predictive value.

    %(parameters_positive)s
    %(threshold)s
    %(average)s

    %(returns)s
        The fraction; NaN where no row is predicted to be positive.

    Examples
    --------
    >>> round(precision(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7]), 4)
    0.6667
    >>> of_three = ["a", "b", "c"], [[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.5, 0.2, 0.3]]
    >>> precision(*of_three, average="macro")  # the mean of 1/2, 1 and 0
    0.5
    """
    check_options("precision", threshold=threshold, inclusive=inclusive, average=average)
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    return judge_confusion(_rate, predictions, threshold, inclusive, average=average, name="precision")


@document_metric
def recall(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    threshold: float | None = None,
    inclusive: bool = False,
    average: str | None = None,
) -> float:
    """Return the fraction of the positive rows that are predicted to be: from 0 to 1 (best).

    It is also known as `sensitivity` and as the true positive rate.

    %(parameters_positive)s
    %(threshold)s
    %(average)s

    %(returns)s
        The fraction; NaN where no row is positive.

    Examples
    --------
    >>> round(recall(["no", "yes", "yes", "yes"], [0.1, 0.8, 0.4, 0.7], threshold=0.5), 4)
    0.6667
    """
    check_options("recall", threshold=threshold, inclusive=inclusive, average=average)
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    return judge_confusion(_rate, predictions, threshold, inclusive, average=average, name="recall")


@document_metric
def sensitivity(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    threshold: float | None = None,
    inclusive: bool = False,
    average: str | None = None,
) -> float:
    """Return the fraction of the positive rows that are predicted to be: from 0 to 1 (best).

    It is another name of `recall`, the one that medicine uses.

    %(parameters_positive)s
    %(threshold)s
    %(average)s

    %(returns)s
        The fraction; NaN where no row is positive.

    Examples
    --------
    >>> sensitivity(["ill", "well", "ill", "well"], [0.8, 0.3, 0.4, 0.1], pos_label="ill")
    0.5
    """
    check_options("sensitivity", threshold=threshold, inclusive=inclusive, average=average)
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    return judge_confusion(_rate, predictions, threshold, inclusive, average=average, name="sensitivity")


@document_metric
def specificity(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    threshold: float | None = None,
    inclusive: bool = False,
    average: str | None = None,
) -> float:
    """Return the fraction of the negative rows that are predicted to be: from 0 to 1 (best).

    It is 1 less the false positive rate.

    %(parameters_positive)s
    %(threshold)s
    %(average)s

    %(returns)s
        The fraction; NaN where every row is positive.

    Examples
    --------
    >>> specificity(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7])
    0.5
    """
    check_options("specificity", threshold=threshold, inclusive=inclusive, average=average)
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    return judge_confusion(_rate, predictions, threshold, inclusive, average=average, name="specificity")


@document_metric
def npv(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    threshold: float | None = None,
    inclusive: bool = False,
    average: str | None = None,
) -> float:
    """Return the fraction of the rows predicted to be negative that are: from 0 to 1 (best).

    It is known as the negative predictive value.

    %(parameters_positive)s
    %(threshold)s
    %(average)s

    %(returns)s
        The fraction; NaN where every row is predicted to be positive.

    Examples
    --------
    >>> npv(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.3])
    0.5
    """
    check_options("npv", threshold=threshold, inclusive=inclusive, average=average)
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    return judge_confusion(_rate, predictions, threshold, inclusive, average=average, name="npv")


def _rate(confusions: Confusions, average: str | None = None, name: str = "recall") -> NDArray[np.float64]:
    if average is None:
        return ratio(*rate_counts(confusions, name))
    counts, actual, predicted = confusions.counts, confusions.actual, confusions.predicted
    others = 1.0 - np.eye(counts.shape[1])
    not_actual, not_predicted = ((others @ of_class[:, :, None])[:, :, 0] for of_class in (actual, predicted))
    trials = {"precision": predicted, "specificity": not_actual, "npv": not_predicted}.get(name, actual)
    correct = np.diagonal(counts, axis1=1, axis2=2)
    if RATES[name][0] == _TRUE_NEGATIVE:
        correct = np.maximum(not_actual - predicted + correct, 0.0)
    found = actual + predicted > 0.0
    if average == "micro":
        return ratio(correct.sum(axis=1, where=found), trials.sum(axis=1, where=found))
    return averaged(np.nan_to_num(ratio(correct, trials)), found, actual, average)


def rate_counts(confusions: Confusions, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weight of the successes and of the trials of a rate of the positive class.

    Examples
    --------
    >>> rate_counts(Confusions.of(read_predictions([0, 1, 1], [0.2, 0.5, 0.9])), "recall")
    (array([1.]), array([2.]))
    """
    counts = confusions.two_by_two(name, hint=" or average=")
    successes, failures = (counts[index] for index in RATES[name])
    return successes, successes + failures


def _found_positives(
    predictions: Predictions, threshold: float | None = None, inclusive: bool = False
) -> NDArray[np.float64]:
    """Return whether each positive row is predicted to be; NaN for negative ones."""
    is_found = is_predicted(predictions, threshold, inclusive)
    return np.where(predictions.label == predictions.positive, is_found, np.nan)


def _found_negatives(
    predictions: Predictions, threshold: float | None = None, inclusive: bool = False
) -> NDArray[np.float64]:
    """Return whether each negative row is predicted to be; NaN for positive ones."""
    is_found = ~is_predicted(predictions, threshold, inclusive)
    return np.where(predictions.label != predictions.positive, is_found, np.nan)


def _metric(
    function: Callable[..., float],
    papers: dict[str, str],
    hits: Callable[[Predictions], NDArray[np.float64]] | None = None,
) -> Metric:
    name = function.__name__
    judge = partial(judge_confusion, partial(_rate, name=name))
    return Metric(name, function, judge, "higher", 0.0, 1.0, papers, classes="two", hits=hits)


PRECISION = _metric(precision, {WITTEN: "precision"})
RECALL = _metric(recall, {WITTEN: "recall"}, _found_positives)
SENSITIVITY = _metric(sensitivity, {WITTEN: "sensitivity"}, _found_positives)
SPECIFICITY = _metric(specificity, {WITTEN: "specificity"}, _found_negatives)
NPV = _metric(npv, {"Altman & Bland 1994": "negative predictive value"})
