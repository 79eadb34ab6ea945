"""What is decided against what came true: the table that accuracy, kappa, F and costs are read from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._params import Bool, Nothing, Real, check_param
from calibrant.metrics._ranking.rankings import check_two_classes
from calibrant.metrics._validation.predictions import Predictions, read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["confusion_matrix", "confusion_of", "remember_confusion", "two_by_two"]

_THRESHOLD = Real(0, 1) | Nothing()


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
    """Count the rows of each class by the class that is decided for: actual classes down, decided ones across.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The class that a single column gives the probability of; by default the last sorted one.
    labels : sequence, optional
        The classes in the order of the columns.
    threshold : float, optional
        Decide for the positive class above this probability; by default for the class of the largest one, ties to the
        lower class.
    inclusive : bool
        Decide for the positive class at the threshold itself, too.

    Returns
    -------
    array of shape (n_classes, n_classes)
        The weight of the rows; classes in the order of `labels`, or else sorted.

    Examples
    --------
    >>> confusion_matrix(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7])
    array([[1., 1.],
           [0., 2.]])
    """
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    found = confusion_of(read, threshold, inclusive)
    order = np.arange(read.n_classes) if labels is not None else np.argsort(read.classes)
    return np.asarray(found[np.ix_(order, order)])


def confusion_of(read: Predictions, threshold: float | None = None, inclusive: bool = False) -> NDArray[np.float64]:
    """Count rows by class and decided class, both by their columns; the first time only.

    Examples
    --------
    >>> confusion_of(read_predictions([0, 1, 1], [0.2, 0.5, 0.9]))
    array([[1., 0.],
           [1., 1.]])
    """
    check_param("threshold", threshold, _THRESHOLD)
    check_param("inclusive", inclusive, Bool())
    key = ("confusion", threshold, inclusive)
    if key not in read.memory:
        read.memory[key] = _counted(read, threshold, inclusive)
    return np.asarray(read.memory[key])


def remember_confusion(read: Predictions, counts: NDArray[np.float64]) -> None:
    """Keep the table of rows for whom it is known already.

    Examples
    --------
    >>> read = read_predictions([0, 1, 1], [0.2, 0.5, 0.9])
    >>> remember_confusion(read, np.eye(2))
    >>> confusion_of(read)
    array([[1., 0.],
           [0., 1.]])
    """
    read.memory["confusion", None, False] = counts


def _counted(read: Predictions, threshold: float | None, inclusive: bool) -> NDArray[np.float64]:
    if read.n_classes == 2:
        return _counted_of_two(read, _is_decided(read, threshold, inclusive))
    if threshold is not None:
        check_two_classes(read, "threshold")
        return _counted_of_two(read, _is_decided(read, threshold, inclusive))
    cells = read.label * read.n_classes + read.decided()
    n_classes = read.n_classes
    return np.bincount(cells, read.weights, n_classes**2).reshape(n_classes, n_classes).astype(np.float64)


def _is_decided(read: Predictions, threshold: float | None, inclusive: bool) -> NDArray[np.bool_]:
    """Say which rows are decided to be positive."""
    if threshold is None:
        return np.asarray(read.decided() == read.positive)
    column = read.column(read.positive)
    return np.asarray(column >= threshold if inclusive else column > threshold)


def _counted_of_two(read: Predictions, decided: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Count the positive class, in its column of two, against all others."""
    actual = read.label == read.positive
    if read.weights is None:
        both, is_actual, is_decided = (float(np.count_nonzero(x)) for x in (actual & decided, actual, decided))
    else:
        both, is_actual, is_decided = (float(read.weights @ x) for x in (actual & decided, actual, decided))
    counts = np.empty((2, 2))
    place = read.positive if read.n_classes == 2 else 1
    counts[place, place], counts[1 - place, 1 - place] = both, read.total - is_actual - is_decided + both
    counts[place, 1 - place], counts[1 - place, place] = is_actual - both, is_decided - both
    return counts


def two_by_two(
    read: Predictions, who: str, threshold: float | None, inclusive: bool
) -> tuple[float, float, float, float]:
    """Give true positives, false positives, false negatives and true negatives.

    Examples
    --------
    >>> two_by_two(read_predictions([0, 1, 1], [0.2, 0.5, 0.9]), "f1", None, False)
    (1.0, 0.0, 1.0, 1.0)
    """
    check_two_classes(read, who)
    counts = confusion_of(read, threshold, inclusive)
    place = read.positive if len(counts) == read.n_classes else 1
    tp = float(counts[place, place])
    fp, fn = float(counts[:, place].sum()) - tp, float(counts[place].sum()) - tp
    return tp, fp, fn, float(counts.sum()) - tp - fp - fn
