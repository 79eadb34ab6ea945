"""Rates of the predicted class: precision, recall, specificity and negative predictive value."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.exceptions import ParameterError
from calibrant.metrics._classification.confusion import confusion_of, is_predicted, two_by_two
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
    return _rate(predictions, threshold, inclusive, average, "precision")


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
    return _rate(predictions, threshold, inclusive, average, "recall")


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
    return _rate(predictions, threshold, inclusive, average, "sensitivity")


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
    return _rate(predictions, threshold, inclusive, average, "specificity")


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
    return _rate(predictions, threshold, inclusive, average, "npv")


def _rate(
    predictions: Predictions,
    threshold: float | None = None,
    inclusive: bool = False,
    average: str | None = None,
    name: str = "recall",
) -> float:
    if average is not None:
        return _averaged_rate(predictions, threshold, average, name)
    successes, trials = rate_counts(predictions, threshold, inclusive, name)
    return successes / trials if trials > 0 else math.nan


def rate_counts(predictions: Predictions, threshold: float | None, inclusive: bool, name: str) -> tuple[float, float]:
    """Return the weight of the successes and of the trials of a rate of the positive class.

    Examples
    --------
    >>> rate_counts(read_predictions([0, 1, 1], [0.2, 0.5, 0.9]), None, False, "recall")
    (1.0, 2.0)
    """
    counts = two_by_two(predictions, name, threshold, inclusive, hint=" or average=")
    successes, failures = (counts[index] for index in RATES[name])
    return successes, successes + failures


def _averaged_rate(predictions: Predictions, threshold: float | None, average: str, name: str) -> float:
    if threshold is not None:
        raise ParameterError("threshold is for one class against all others; drop it, or drop average=.")
    counts = confusion_of(predictions)
    actual, predicted, others = counts.sum(axis=1), counts.sum(axis=0), 1.0 - np.eye(len(counts))
    trials = {"precision": predicted, "specificity": others @ actual, "npv": others @ predicted}.get(name, actual)
    correct = np.diagonal(counts)
    if RATES[name][0] == _TRUE_NEGATIVE:
        correct = np.maximum(others @ actual - predicted + correct, 0.0)
    found = np.flatnonzero(actual + predicted)
    successes, trials = correct[found], trials[found]
    if average == "micro":
        return float(successes.sum() / trials.sum()) if trials.sum() > 0 else math.nan
    values: NDArray[np.float64] = np.divide(successes, trials, out=np.zeros(len(found)), where=trials > 0)
    return float(np.average(values, weights=actual[found] if average == "weighted" else None))


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
    return Metric(name, function, partial(_rate, name=name), "higher", 0.0, 1.0, papers, classes="two", hits=hits)


PRECISION = _metric(precision, {WITTEN: "precision"})
RECALL = _metric(recall, {WITTEN: "recall"}, _found_positives)
SENSITIVITY = _metric(sensitivity, {WITTEN: "sensitivity"}, _found_positives)
SPECIFICITY = _metric(specificity, {WITTEN: "specificity"}, _found_negatives)
NPV = _metric(npv, {"Altman & Bland 1994": "negative predictive value"})
