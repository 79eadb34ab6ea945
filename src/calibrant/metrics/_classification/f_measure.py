"""F-measures, sensitivity and specificity of the predicted class."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from calibrant.exceptions import ParameterError
from calibrant.metrics._classification.confusion import confusion_of, recall_of_classes, two_by_two
from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._metric import Metric
from calibrant.metrics._papers import CARUANA, WITTEN
from calibrant.metrics._validation.options import check_options
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import read_predictions

__all__ = ["F1", "F_BETA", "G_MEAN", "SENSITIVITY_SPECIFICITY", "f1", "f_beta", "g_mean", "sensitivity_specificity"]


@document_metric
def f1(
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
    """Return the harmonic mean of precision and recall, 2 TP / (2 TP + FP + FN): from 0 to 1 (best).

    %(parameters_positive)s
    %(threshold)s
    %(average)s

    %(returns_f)s

    Examples
    --------
    >>> f1(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7])
    0.8
    >>> of_three = ["a", "b", "c"], [[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.5, 0.2, 0.3]]
    >>> round(f1(*of_three, average="macro"), 4)  # the mean of 2/3, 1 and 0
    0.5556
    """
    check_options("f1", threshold=threshold, inclusive=inclusive, average=average)
    return _f1(read_predictions(y_true, y_proba, sample_weight, pos_label, labels), threshold, inclusive, average)


def _f1(
    predictions: Predictions, threshold: float | None = None, inclusive: bool = False, average: str | None = None
) -> float:
    return _f_beta(predictions, 1.0, threshold, inclusive, average, "f1")


@document_metric
def f_beta(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    beta: float = 1.0,
    threshold: float | None = None,
    inclusive: bool = False,
    average: str | None = None,
) -> float:
    """Return the weighted harmonic mean of precision and recall: from 0 to 1 (best).

    %(parameters_positive)s
    beta : float
        How many times as much recall counts as precision.
    %(threshold)s
    %(average)s

    %(returns_f)s

    Examples
    --------
    >>> round(f_beta(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7], beta=2), 4)
    0.9091
    """
    check_options("f_beta", beta=beta, threshold=threshold, inclusive=inclusive, average=average)
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    return _f_beta(predictions, beta, threshold, inclusive, average)


def _f_beta(
    predictions: Predictions,
    beta: float = 1.0,
    threshold: float | None = None,
    inclusive: bool = False,
    average: str | None = None,
    who: str = "f_beta",
) -> float:
    if average is not None:
        return _averaged_f(predictions, beta, threshold, average)
    tp, fp, fn, _ = two_by_two(predictions, who, threshold, inclusive)
    total = (1.0 + beta**2) * tp + beta**2 * fn + fp
    return (1.0 + beta**2) * tp / total if total > 0 else math.nan


def _averaged_f(predictions: Predictions, beta: float, threshold: float | None, average: str) -> float:
    if threshold is not None:
        raise ParameterError("threshold is for one class against all others; drop it, or drop average=.")
    counts = confusion_of(predictions, None, False)
    correct, actual, predicted = np.diagonal(counts), counts.sum(axis=1), counts.sum(axis=0)
    if average == "micro":
        return float(correct.sum() / actual.sum())
    total = beta**2 * actual + predicted
    found = total > 0
    of_class = (1.0 + beta**2) * correct[found] / total[found]
    return float(np.average(of_class, weights=actual[found] if average == "weighted" else None))


@document_metric
def sensitivity_specificity(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    threshold: float | None = None,
    inclusive: bool = False,
) -> float:
    """Return the product of sensitivity and specificity: from 0 to 1 (best).

    %(parameters_positive)s
    %(threshold)s

    %(returns)s
        The product; NaN where a class has no row.

    Examples
    --------
    >>> sensitivity_specificity(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7])
    0.5
    """
    check_options("sensitivity_specificity", threshold=threshold, inclusive=inclusive)
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    return _sensitivity_specificity(predictions, threshold, inclusive)


def _sensitivity_specificity(
    predictions: Predictions, threshold: float | None = None, inclusive: bool = False
) -> float:
    tp, fp, fn, tn = two_by_two(predictions, "sensitivity_specificity", threshold, inclusive)
    pairs = (tp + fn) * (fp + tn)
    return tp * tn / pairs if pairs > 0 else math.nan


@document_metric
def g_mean(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    threshold: float | None = None,
    inclusive: bool = False,
) -> float:
    """Return the geometric mean, over classes, of the recall of each: from 0 to 1 (best).

    With two classes it is the root of `sensitivity_specificity`. Classes without a row are left out.

    %(parameters)s
    %(threshold)s

    %(returns)s
        The geometric mean.

    Examples
    --------
    >>> round(g_mean(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7]), 4)
    0.7071
    """
    check_options("g_mean", threshold=threshold, inclusive=inclusive)
    return _g_mean(read_predictions(y_true, y_proba, sample_weight, pos_label, labels), threshold, inclusive)


def _g_mean(predictions: Predictions, threshold: float | None = None, inclusive: bool = False) -> float:
    recall = recall_of_classes(confusion_of(predictions, threshold, inclusive))
    return float(np.prod(recall) ** (1.0 / len(recall)))


F1 = Metric("f1", f1, _f1, "higher", 0.0, 1.0, {CARUANA: "FSC", WITTEN: "F-measure"}, classes="two")
F_BETA = Metric("f_beta", f_beta, _f_beta, "higher", 0.0, 1.0, {"Van Rijsbergen 1979": "1 - E"}, classes="two")
SENSITIVITY_SPECIFICITY = Metric(
    "sensitivity_specificity",
    sensitivity_specificity,
    _sensitivity_specificity,
    "higher",
    0.0,
    1.0,
    {WITTEN: "sensitivity x specificity"},
    classes="two",
)
G_MEAN = Metric("g_mean", g_mean, _g_mean, "higher", 0.0, 1.0, {"Kubat & Matwin 1997": "g"})
