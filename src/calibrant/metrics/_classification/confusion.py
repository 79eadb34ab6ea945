"""The confusion matrix, from which accuracy, agreement, F-measures and costs are computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._ranking.rankings import check_two_classes
from calibrant.metrics._validation.options import check_options
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["confusion_matrix", "confusion_of", "is_predicted", "recall_of_classes", "store_confusion", "two_by_two"]


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
    counts = confusion_of(predictions, threshold, inclusive)
    order = np.arange(predictions.n_classes) if labels is not None else np.argsort(predictions.classes)
    return np.asarray(counts[np.ix_(order, order)])


def confusion_of(
    predictions: Predictions, threshold: float | None = None, inclusive: bool = False
) -> NDArray[np.float64]:
    """Return the weight of the rows by column of the actual and of the predicted class; computed once.

    Examples
    --------
    >>> confusion_of(read_predictions([0, 1, 1], [0.2, 0.5, 0.9]))
    array([[1., 0.],
           [1., 1.]])
    """
    key = ("confusion", threshold, inclusive)
    if key not in predictions.cache:
        predictions.cache[key] = _counts(predictions, threshold, inclusive)
    return np.asarray(predictions.cache[key])


def store_confusion(predictions: Predictions, counts: NDArray[np.float64]) -> None:
    """Store a confusion matrix that is known already.

    Examples
    --------
    >>> predictions = read_predictions([0, 1, 1], [0.2, 0.5, 0.9])
    >>> store_confusion(predictions, np.eye(2))
    >>> confusion_of(predictions)
    array([[1., 0.],
           [0., 1.]])
    """
    predictions.cache["confusion", None, False] = counts


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


def two_by_two(
    predictions: Predictions, who: str, threshold: float | None, inclusive: bool, hint: str = ""
) -> tuple[float, float, float, float]:
    """Return true positives, false positives, false negatives and true negatives.

    `hint` names what `who` takes instead of `pos_label`, for the message about more than two classes.

    Examples
    --------
    >>> two_by_two(read_predictions([0, 1, 1], [0.2, 0.5, 0.9]), "f1", None, False)
    (1.0, 0.0, 1.0, 1.0)
    """
    check_two_classes(predictions, who, hint)
    counts = confusion_of(predictions, threshold, inclusive)
    index = predictions.positive if len(counts) == predictions.n_classes else 1
    if len(counts) == 2:
        cells, other = counts.tolist(), 1 - index
        return cells[index][index], cells[other][index], cells[index][other], cells[other][other]
    others = np.arange(len(counts)) != index
    fp, fn, tn = counts[others, index].sum(), counts[index, others].sum(), counts[others][:, others].sum()
    return float(counts[index, index]), float(fp), float(fn), float(tn)


def recall_of_classes(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the recall of each class of a matrix that has rows.

    Examples
    --------
    >>> recall_of_classes(np.array([[3.0, 1.0], [0.0, 2.0]]))
    array([0.75, 1.  ])
    """
    actual = counts.sum(axis=1)
    return np.asarray(np.diagonal(counts)[actual > 0] / actual[actual > 0])
