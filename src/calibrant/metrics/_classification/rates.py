"""Rates of the predicted class, such as precision, recall or their means."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.metrics._classification.confusion import Confusions, averaged, is_predicted, of_confusion, ratio
from calibrant.metrics._metric import CARUANA, WITTEN, metric
from calibrant.metrics._validation.options import check_options
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "RATES",
    "f1",
    "f_beta",
    "g_mean",
    "npv",
    "precision",
    "rate_counts",
    "recall",
    "sensitivity",
    "sensitivity_specificity",
    "specificity",
]


_TRUE_NEGATIVE = 3
# The counts of successes and of failures, among true positives, false positives, false negatives and true negatives.
RATES = {"precision": (0, 1), "recall": (0, 2), "sensitivity": (0, 2), "specificity": (3, 1), "npv": (3, 2)}


@of_confusion
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


@metric(
    "higher",
    0.0,
    1.0,
    {WITTEN: "precision"},
    classes="two",
    judge=partial(_rate, name="precision"),
)
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
    return _rate(predictions, threshold, inclusive, average=average, name="precision")


def _found_positives(
    predictions: Predictions, threshold: float | None = None, inclusive: bool = False
) -> NDArray[np.float64]:
    """Return whether each positive row is predicted to be; NaN for negative ones."""
    is_found = is_predicted(predictions, threshold, inclusive)
    return np.where(predictions.label == predictions.positive, is_found, np.nan)


@metric(
    "higher",
    0.0,
    1.0,
    {WITTEN: "recall"},
    classes="two",
    hits=_found_positives,
    judge=partial(_rate, name="recall"),
)
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
    return _rate(predictions, threshold, inclusive, average=average, name="recall")


@metric(
    "higher",
    0.0,
    1.0,
    {WITTEN: "sensitivity"},
    classes="two",
    hits=_found_positives,
    judge=partial(_rate, name="sensitivity"),
)
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
    return _rate(predictions, threshold, inclusive, average=average, name="sensitivity")


def _found_negatives(
    predictions: Predictions, threshold: float | None = None, inclusive: bool = False
) -> NDArray[np.float64]:
    """Return whether each negative row is predicted to be; NaN for positive ones."""
    is_found = ~is_predicted(predictions, threshold, inclusive)
    return np.where(predictions.label != predictions.positive, is_found, np.nan)


@metric(
    "higher",
    0.0,
    1.0,
    {WITTEN: "specificity"},
    classes="two",
    hits=_found_negatives,
    judge=partial(_rate, name="specificity"),
)
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
    return _rate(predictions, threshold, inclusive, average=average, name="specificity")


@metric(
    "higher",
    0.0,
    1.0,
    {"Altman & Bland 1994": "negative predictive value"},
    classes="two",
    judge=partial(_rate, name="npv"),
)
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
    return _rate(predictions, threshold, inclusive, average=average, name="npv")


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


@of_confusion
def _f_beta(
    confusions: Confusions, beta: float = 1.0, average: str | None = None, who: str = "f_beta"
) -> NDArray[np.float64]:
    if average == "micro":
        return ratio(confusions.correct, confusions.actual.sum(axis=1))
    if average is None:
        tp, fp, fn, _ = confusions.two_by_two(who)
        return ratio((1.0 + beta**2) * tp, (1.0 + beta**2) * tp + beta**2 * fn + fp)
    correct = np.diagonal(confusions.counts, axis1=1, axis2=2)
    of_class = ratio((1.0 + beta**2) * correct, beta**2 * confusions.actual + confusions.predicted)
    return averaged(np.nan_to_num(of_class), ~np.isnan(of_class), confusions.actual, average)


_f1 = partial(_f_beta, who="f1")


@metric("higher", 0.0, 1.0, {CARUANA: "FSC", WITTEN: "F-measure"}, classes="two", judge=_f1)
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
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    return _f1(predictions, threshold, inclusive, average=average)


@metric("higher", 0.0, 1.0, {"Van Rijsbergen 1979": "1 - E"}, classes="two", judge=_f_beta)
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
    return _f_beta(predictions, threshold, inclusive, beta=beta, average=average)


@of_confusion
def _sensitivity_specificity(confusions: Confusions) -> NDArray[np.float64]:
    tp, fp, fn, tn = confusions.two_by_two("sensitivity_specificity")
    return ratio(tp * tn, (tp + fn) * (fp + tn))


@metric(
    "higher",
    0.0,
    1.0,
    {WITTEN: "sensitivity x specificity"},
    classes="two",
    judge=_sensitivity_specificity,
)
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


@of_confusion
def _g_mean(confusions: Confusions) -> NDArray[np.float64]:
    found = ~np.isnan(confusions.recalls)
    products = np.prod(np.where(found, confusions.recalls, 1.0), axis=1)
    # One root after the other: NumPy's power of a whole array may round otherwise, by the processor.
    roots = zip(products.tolist(), found.sum(axis=1).tolist(), strict=True)
    return np.array([product ** (1.0 / n_classes) for product, n_classes in roots])


@metric("higher", 0.0, 1.0, {"Kubat & Matwin 1997": "g"}, judge=_g_mean)
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
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    return _g_mean(predictions, threshold, inclusive)
