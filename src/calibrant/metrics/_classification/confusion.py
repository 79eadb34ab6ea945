"""Confusion matrices, of rows or of all their bootstrap replicates at once, as the measures of them take them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from calibrant.exceptions import ParameterError
from calibrant.metrics._docstrings import Common, document_metric
from calibrant.metrics._metric import Metric, read_rows
from calibrant.metrics._validation.predictions import Predictions

_TRUE_NEGATIVE = 3  # its place among the counts of `two_by_two`
# The counts of successes and of failures, among true positives, false positives, false negatives and true negatives.
RATES = {"precision": (0, 1), "recall": (0, 2), "sensitivity": (0, 2), "specificity": (3, 1), "npv": (3, 2)}


@document_metric
def confusion_matrix(
    y_true: Any, y_proba: Any, *, threshold: float | None = None, inclusive: bool = False, **common: Unpack[Common]
) -> NDArray[np.float64]:
    """Return the weight of the rows of each actual class (rows) and predicted class (columns).

    %(parameters)s
    %(threshold)s

    Returns
    -------
    array of shape (n_classes, n_classes)
        The weights; classes in the order of `labels`, or else sorted.

    Examples
    --------
    >>> confusion_matrix(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7])
    array([[1., 1.],
           [0., 2.]])
    """
    predictions = read_rows("confusion_matrix", y_true, y_proba, common, threshold=threshold, inclusive=inclusive)
    counts = Confusions.of(predictions, threshold, inclusive).counts[0]
    # Without `common.get("labels")` the caller expects sorted classes, whatever order the columns came in.
    order = np.arange(predictions.n_classes) if common.get("labels") is not None else np.argsort(predictions.classes)
    return np.asarray(counts[np.ix_(order, order)])


@dataclass(frozen=True, eq=False)
class Confusions:
    """Confusion matrices over the same classes: that of some rows, or one for each bootstrap replicate of them.

    Parameters
    ----------
    counts : array of shape (n_matrices, n_classes, n_classes)
        The weight of the rows of each actual class (rows) and predicted class (columns).
    predictions : Predictions
        The rows whose classes the matrices have.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> Confusions.of(read_predictions([0, 1, 1], [0.2, 0.5, 0.9])).counts
    array([[[1., 0.],
            [1., 1.]]])
    """

    counts: NDArray[np.float64]
    predictions: Predictions

    @staticmethod
    def of(predictions: Predictions, threshold: float | None = None, inclusive: bool = False) -> Confusions:
        """Return the matrix of some rows, counted once for all metrics."""
        key = ("confusion", threshold, inclusive)
        # A score card asks for a dozen measures of the same matrix.
        if key not in predictions.cache:
            predictions.cache[key] = _counts(predictions, threshold, inclusive)
        return Confusions(predictions.cache[key][None], predictions)

    @property
    def correct(self) -> NDArray[np.float64]:
        """The weight of the rows on the diagonal of each matrix."""
        return np.asarray(np.trace(self.counts, axis1=1, axis2=2))

    @property
    def actual(self) -> NDArray[np.float64]:
        """The weight of the rows of each actual class."""
        return np.asarray(self.counts.sum(axis=2))

    @property
    def predicted(self) -> NDArray[np.float64]:
        """The weight of the rows of each predicted class."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def total(self) -> NDArray[np.float64]:
        """The weight of all rows of each matrix."""
        return self.summed(self.counts)

    @property
    def recalls(self) -> NDArray[np.float64]:
        """The recall of each class; NaN for a class without a row."""
        return ratio(np.diagonal(self.counts, axis1=1, axis2=2), self.actual)

    @staticmethod
    def summed(tables: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of each of some tables."""
        return np.asarray(tables.reshape(len(tables), -1).sum(axis=1))

    def two_by_two(self, who: str, hint: str = "") -> tuple[NDArray[np.float64], ...]:
        """Return true positives, false positives, false negatives and true negatives of each matrix.

        `hint` names what `who` takes instead of `pos_label`, for the message about more than two classes.

        Examples
        --------
        >>> from calibrant.metrics._validation.read_predictions import read_predictions
        >>> [float(n[0]) for n in Confusions.of(read_predictions([0, 1, 1], [0.2, 0.5, 0.9])).two_by_two("f1")]
        [1.0, 0.0, 1.0, 1.0]
        """
        self.predictions.check_two_classes(who, hint)
        # A threshold counts one class against all others, and the matrix then has fewer columns than classes.
        index = self.predictions.positive if self.counts.shape[1] == self.predictions.n_classes else 1
        if self.counts.shape[1] == 2:  # no sums to take, which matters where a jackknife asks for thousands
            other = 1 - index
            pairs = (index, index), (other, index), (index, other), (other, other)
            return tuple(self.counts[:, actual, predicted] for actual, predicted in pairs)
        others = np.flatnonzero(np.arange(self.counts.shape[1]) != index)
        false_positive, false_negative, true_negative = (
            self.summed(np.ascontiguousarray(part))
            for part in (
                self.counts[:, others, index],
                self.counts[:, index, others],
                self.counts[:, others][:, :, others],
            )
        )
        return self.counts[:, index, index], false_positive, false_negative, true_negative


def judge_confusion(
    measure: Callable[..., NDArray[np.float64]],
    predictions: Predictions,
    threshold: float | None = None,
    inclusive: bool = False,
    **options: Any,
) -> float:
    """Return a measure of the confusion matrix of some rows."""
    if threshold is not None and options.get("average") is not None:
        raise ParameterError("threshold is for one class against all others; drop it, or drop average=.")
    return float(measure(Confusions.of(predictions, threshold, inclusive), **options)[0])


def of_confusion(measure: Callable[..., NDArray[np.float64]]) -> partial[float]:
    """Return the `judge` of a metric that a measure of confusion matrices defines."""
    return partial(judge_confusion, measure)


def measure_of(metric: Metric) -> Callable[[Confusions], NDArray[np.float64]] | None:
    """Return the measure of confusion matrices that a metric is, with its options; None for any other metric.

    With a threshold it is None too: the matrix of a replicate is that of the predicted classes.
    """
    judge = metric.judge
    if not isinstance(judge, partial) or judge.func is not judge_confusion:
        return None
    # A threshold has a matrix of its own, which the shared one of the replicates is not.
    return None if judge.keywords.keys() & {"threshold", "inclusive"} else partial(judge.args[0], **judge.keywords)


def values_without_blocks(
    metric: Metric, predictions: Predictions, block: NDArray[np.intp], options: Mapping[str, Any]
) -> NDArray[np.float64] | None:
    """Return a measure of the confusion matrix without each block of rows; None for another metric or a threshold.

    Examples
    --------
    >>> from calibrant.metrics import METRICS
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> predictions = read_predictions([0, 1, 1, 0], [0.2, 0.5, 0.9, 0.7])
    >>> values_without_blocks(METRICS["f1"], predictions, np.array([0, 0, 1, 2]), {}).tolist()
    [0.6666666666666666, 0.0, 0.6666666666666666]
    """
    measure = measure_of(metric)
    if measure is None or options.keys() & {"threshold", "inclusive"}:
        return None
    n_classes, n_blocks = predictions.n_classes, int(block.max()) + 1
    cells, shape = predictions.label * n_classes + predictions.predicted_class(), (n_blocks, n_classes, n_classes)
    of_blocks = block * n_classes**2 + cells
    n_rows = np.bincount(of_blocks, minlength=math.prod(shape)).reshape(shape)
    n_left = n_rows.sum(axis=0) - n_rows
    left: NDArray[np.float64] = n_left.astype(np.float64)
    if predictions.weights is not None:
        weight = np.bincount(of_blocks, predictions.weights, math.prod(shape)).reshape(shape)
        left = np.where(n_left > 0, weight.sum(axis=0) - weight, 0.0)  # an empty cell is exactly 0, as in `_counts`
    return measure(Confusions(left, predictions), **options)


def averaged(
    values: NDArray[np.float64], found: NDArray[np.bool_], actual: NDArray[np.float64], average: str
) -> NDArray[np.float64]:
    """Return the mean of a value of each class found, weighted by its rows if `average` is "weighted"."""
    # Classes without a row have no value: they leave the mean, and do not count as 0.
    if average == "macro":
        return np.asarray(values.mean(axis=1, where=found))
    weights = np.where(found, actual, 0.0)
    return np.asarray((values * weights).sum(axis=1) / weights.sum(axis=1))


def ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return quotients; NaN where the whole is not above 0."""
    # Filled before dividing, so that NumPy has no division by 0 to warn of.
    return np.asarray(np.divide(part, whole, out=np.full(whole.shape, np.nan), where=whole > 0.0))


def _counts(predictions: Predictions, threshold: float | None, inclusive: bool) -> NDArray[np.float64]:
    n_classes = predictions.n_classes
    if n_classes == 2 or threshold is not None:
        predictions.check_two_classes("threshold")
        return _binary_counts(predictions, is_predicted(predictions, threshold, inclusive))
    cells = predictions.label * n_classes + predictions.predicted_class()
    return np.bincount(cells, predictions.weights, n_classes**2).reshape(n_classes, n_classes).astype(np.float64)


def is_predicted(predictions: Predictions, threshold: float | None, inclusive: bool) -> NDArray[np.bool_]:
    """Return whether each row is predicted to be positive: by the greatest probability, or above a threshold.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> is_predicted(read_predictions([0, 1, 1], [0.2, 0.5, 0.9]), 0.4, False)
    array([False,  True,  True])
    """
    if threshold is None:
        return np.asarray(predictions.predicted_class() == predictions.positive)
    column = predictions.column(predictions.positive)
    return np.asarray(column >= threshold if inclusive else column > threshold)


def _binary_counts(predictions: Predictions, predicted: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Count the positive class, in its column of two, against all others."""
    actual = predictions.label == predictions.positive
    counts: NDArray[np.float64]
    if predictions.weights is None:
        # Counts of booleans need neither codes nor sums in floating point.
        both, n_actual, n_predicted = map(np.count_nonzero, (actual & predicted, actual, predicted))
        n_neither = predictions.n_rows - n_actual - n_predicted + both
        counts = np.array([[n_neither, n_predicted - both], [n_actual - both, both]], dtype=np.float64)
    else:  # a sum for each cell, so that an empty one is exactly 0
        counts = np.bincount(2 * actual + predicted, predictions.weights, 4).reshape(2, 2).astype(np.float64)
    return counts[::-1, ::-1] if predictions.n_classes == 2 and predictions.positive == 0 else counts


@of_confusion
def accuracy_of(confusions: Confusions) -> NDArray[np.float64]:
    """Return the fraction of rows whose predicted class is the actual one."""
    return confusions.correct / confusions.total


@of_confusion
def error_of(confusions: Confusions) -> NDArray[np.float64]:
    """Return the fraction of rows whose predicted class is not the actual one."""
    return (confusions.total - confusions.correct) / confusions.total


@of_confusion
def balanced_accuracy_of(confusions: Confusions) -> NDArray[np.float64]:
    """Return the mean recall of the classes that have rows."""
    # A class without a row has no recall; the mean is over those that have.
    recalls = confusions.recalls
    return np.asarray(recalls.mean(axis=1, where=~np.isnan(recalls)))


@of_confusion
def kappa_of(confusions: Confusions, weights: str | None = None) -> NDArray[np.float64]:
    """Return Cohen's kappa (1960), with errors weighted by their distance if `weights` says so."""
    n_classes, total = confusions.counts.shape[1], confusions.total
    by_chance = confusions.actual[:, :, None] * confusions.predicted[:, None, :] / total[:, None, None]
    off = np.abs(np.subtract.outer(np.arange(n_classes), np.arange(n_classes))).astype(np.float64)
    costs = {None: (off > 0).astype(np.float64), "linear": off, "quadratic": off**2}[weights]
    return 1.0 - ratio(confusions.summed(costs * confusions.counts), confusions.summed(costs * by_chance))


@of_confusion
def mcc_of(confusions: Confusions) -> NDArray[np.float64]:
    """Return the correlation of predicted and actual classes (Gorodkin 2004, eq. 8)."""
    actual, predicted, total = confusions.actual, confusions.predicted, confusions.total
    variances = (total**2 - _dot(actual, actual)) * (total**2 - _dot(predicted, predicted))
    covariance = confusions.correct * total - _dot(actual, predicted)
    found = ratio(covariance, np.sqrt(np.maximum(variances, 0.0)))  # below 0, and beyond 1, by rounding only
    return np.asarray(np.minimum(np.maximum(found, -1.0), 1.0))


def _dot(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the dot product of each pair of rows."""
    return np.asarray((one[:, None, :] @ other[:, :, None])[:, 0, 0])


@of_confusion
def f_beta_of(
    confusions: Confusions, beta: float = 1.0, average: str | None = None, who: str = "f_beta"
) -> NDArray[np.float64]:
    """Return the F-measure of the positive class, or its average over classes."""
    if average == "micro":
        # Each row is one prediction of one class: micro averages of precision, recall and F are the accuracy.
        return ratio(confusions.correct, confusions.actual.sum(axis=1))
    if average is None:
        tp, fp, fn, _ = confusions.two_by_two(who)
        # In counts, not precision and recall: defined wherever there is a positive, predicted or actual.
        return ratio((1.0 + beta**2) * tp, (1.0 + beta**2) * tp + beta**2 * fn + fp)
    correct = np.diagonal(confusions.counts, axis1=1, axis2=2)
    of_class = ratio((1.0 + beta**2) * correct, beta**2 * confusions.actual + confusions.predicted)
    return averaged(np.nan_to_num(of_class), ~np.isnan(of_class), confusions.actual, average)


@of_confusion
def sensitivity_specificity_of(confusions: Confusions) -> NDArray[np.float64]:
    """Return the product of sensitivity and specificity."""
    tp, fp, fn, tn = confusions.two_by_two("sensitivity_specificity")
    return ratio(tp * tn, (tp + fn) * (fp + tn))


@of_confusion
def g_mean_of(confusions: Confusions) -> NDArray[np.float64]:
    """Return the geometric mean of the recalls of classes that have rows (Kubat & Matwin 1997)."""
    found = ~np.isnan(confusions.recalls)
    products = np.prod(np.where(found, confusions.recalls, 1.0), axis=1)
    # One root after the other: NumPy's power of a whole array may round otherwise, by the processor.
    roots = zip(products.tolist(), found.sum(axis=1).tolist(), strict=True)
    return np.array([product ** (1.0 / n_classes) for product, n_classes in roots])


@of_confusion
def rate_of(confusions: Confusions, average: str | None = None, name: str = "recall") -> NDArray[np.float64]:
    """Return a rate of `RATES` of the positive class, or its average over classes."""
    if average is None:
        return ratio(*rate_counts(confusions, name))
    counts, actual, predicted = confusions.counts, confusions.actual, confusions.predicted
    others = 1.0 - np.eye(counts.shape[1])
    not_actual, not_predicted = ((others @ of_class[:, :, None])[:, :, 0] for of_class in (actual, predicted))
    trials = {"precision": predicted, "specificity": not_actual, "npv": not_predicted}.get(name, actual)
    correct = np.diagonal(counts, axis1=1, axis2=2)
    if RATES[name][0] == _TRUE_NEGATIVE:
        # By inclusion and exclusion, from sums of rows and columns; below 0 by rounding only.
        correct = np.maximum(not_actual - predicted + correct, 0.0)
    # A class neither predicted nor present says nothing about the predictions.
    found = actual + predicted > 0.0
    if average == "micro":
        return ratio(correct.sum(axis=1, where=found), trials.sum(axis=1, where=found))
    return averaged(np.nan_to_num(ratio(correct, trials)), found, actual, average)


def rate_counts(confusions: Confusions, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weight of the successes and of the trials of a rate of the positive class.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> rate_counts(Confusions.of(read_predictions([0, 1, 1], [0.2, 0.5, 0.9])), "recall")
    (array([1.]), array([2.]))
    """
    counts = confusions.two_by_two(name, hint=" or average=")
    successes, failures = (counts[index] for index in RATES[name])
    return successes, successes + failures
