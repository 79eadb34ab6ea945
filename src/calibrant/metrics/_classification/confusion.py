"""The confusion matrix, from which accuracy, agreement, F-measures and costs are computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.exceptions import ParameterError
from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._metric import Metric
from calibrant.metrics._ranking.rankings import check_two_classes
from calibrant.metrics._validation.options import check_options
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Confusions", "averaged", "confusion_matrix", "is_predicted", "judge_confusion", "measure_of", "ratio"]


@document_metric
def confusion_matrix(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    threshold: float | None = None,
    inclusive: bool = False,
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
    check_options("confusion_matrix", threshold=threshold, inclusive=inclusive)
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    counts = Confusions.of(predictions, threshold, inclusive).counts[0]
    order = np.arange(predictions.n_classes) if labels is not None else np.argsort(predictions.classes)
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
        >>> [float(n[0]) for n in Confusions.of(read_predictions([0, 1, 1], [0.2, 0.5, 0.9])).two_by_two("f1")]
        [1.0, 0.0, 1.0, 1.0]
        """
        check_two_classes(self.predictions, who, hint)
        # A threshold counts one class against all others, and the matrix then has fewer columns than classes.
        index = self.predictions.positive if self.counts.shape[1] == self.predictions.n_classes else 1
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
    """Return a measure of the confusion matrix of some rows: the `judge` of such metrics, bound to their measure."""
    if threshold is not None and options.get("average") is not None:
        raise ParameterError("threshold is for one class against all others; drop it, or drop average=.")
    return float(measure(Confusions.of(predictions, threshold, inclusive), **options)[0])


def measure_of(metric: Metric) -> Callable[[Confusions], NDArray[np.float64]] | None:
    """Return the measure of confusion matrices that a metric is, with its options; None for any other metric.

    With a threshold it is None too: the matrix of a replicate is that of the predicted classes.
    """
    judge = metric.judge
    if not isinstance(judge, partial) or judge.func is not judge_confusion:
        return None
    return None if judge.keywords.keys() & {"threshold", "inclusive"} else partial(judge.args[0], **judge.keywords)


def averaged(
    values: NDArray[np.float64], found: NDArray[np.bool_], actual: NDArray[np.float64], average: str
) -> NDArray[np.float64]:
    """Return the mean of a value of each class found, weighted by its rows if `average` is "weighted"."""
    if average == "macro":
        return np.asarray(values.mean(axis=1, where=found))
    weights = np.where(found, actual, 0.0)
    return np.asarray((values * weights).sum(axis=1) / weights.sum(axis=1))


def ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return quotients; NaN where the whole is not above 0."""
    return np.asarray(np.divide(part, whole, out=np.full(whole.shape, np.nan), where=whole > 0.0))


def _counts(predictions: Predictions, threshold: float | None, inclusive: bool) -> NDArray[np.float64]:
    n_classes = predictions.n_classes
    if n_classes == 2:
        return _binary_counts(predictions, is_predicted(predictions, threshold, inclusive))
    if threshold is not None:
        check_two_classes(predictions, "threshold")
        return _binary_counts(predictions, is_predicted(predictions, threshold, inclusive))
    cells = predictions.label * n_classes + predictions.predicted_class()
    return np.bincount(cells, predictions.weights, n_classes**2).reshape(n_classes, n_classes).astype(np.float64)


def is_predicted(predictions: Predictions, threshold: float | None, inclusive: bool) -> NDArray[np.bool_]:
    """Return whether each row is predicted to be positive: by the greatest probability, or above a threshold.

    Examples
    --------
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
        both, n_actual, n_predicted = map(np.count_nonzero, (actual & predicted, actual, predicted))
        n_neither = predictions.n_rows - n_actual - n_predicted + both
        counts = np.array([[n_neither, n_predicted - both], [n_actual - both, both]], dtype=np.float64)
    else:  # a sum for each cell, so that an empty one is exactly 0
        counts = np.bincount(2 * actual + predicted, predictions.weights, 4).reshape(2, 2).astype(np.float64)
    return counts[::-1, ::-1] if predictions.n_classes == 2 and predictions.positive == 0 else counts
