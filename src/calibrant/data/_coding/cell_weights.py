"""The weight of the rows of a coded column by value and class, from which entropies are computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Cells", "cell_weights", "count_cells"]

# Four keys a row take 5 ms by a table of all keys and 15 ms by sorting (100,000 rows); at 64 a row, sorting is faster.
# Tables of up to 8 MB are always made.
_SMALL_TABLE = 2**20
_MOST_KEYS_PER_ROW = 4


@dataclass(frozen=True)
class Cells:
    """The weight of each value and class that occur together, sorted by value, then by class.

    Neighbouring values with rows of the same single class are merged into the last of them: a cut between them is never
    the best one (Fayyad & Irani 1992). ``cumulative`` is the weight of the same class in all cells up to this one.
    """

    values: NDArray[np.intp]
    labels: NDArray[np.intp]
    weights: NDArray[Any]
    cumulative: NDArray[Any]
    n_classes: int

    def part(self, start: int, stop: int) -> Cells:
        """Return the cells of a slice; classes are renumbered where there are more of them than cells."""
        labels, n_classes = self.labels[start:stop], self.n_classes
        if n_classes > len(labels):
            found, labels = np.unique(labels, return_inverse=True)
            n_classes = len(found)
        return Cells(self.values[start:stop], labels, self.weights[start:stop], self.cumulative[start:stop], n_classes)

    def class_weights(self) -> NDArray[Any]:
        """Return the weight of each class."""
        return np.bincount(self.labels, self.weights, self.n_classes).astype(self.weights.dtype)

    def running_weights(self) -> NDArray[Any]:
        """Return the cumulative weight of each cell's class, counted from the first of these cells."""
        first = np.zeros(self.n_classes, dtype=np.intp)
        first[self.labels[::-1]] = np.arange(len(self.labels) - 1, -1, -1)
        before = (self.cumulative - self.weights)[first]
        return np.asarray(self.cumulative - before[self.labels])


def count_cells(
    codes: NDArray[Any], n_values: int, labels: NDArray[Any], n_classes: int, weights: NDArray[Any] | None
) -> Cells:
    """Sum the weights of the rows by value and class, without the rows whose value is missing.

    Memory and time are linear in the rows for any number of classes; the sums of integers are integers.

    Examples
    --------
    >>> cells = count_cells(np.array([0, 2, 1, 2, 9]), 3, np.array([0, 0, 0, 1, 1]), 2, None)
    >>> cells.values, cells.labels, cells.weights, cells.cumulative
    (array([1, 2, 2]), array([0, 0, 1]), array([2, 1, 1]), array([2, 3, 1]))
    """
    values, of_class, sums = _merge_pure_values(*cell_weights(codes, n_values, labels, n_classes, weights))
    return Cells(values, of_class, sums, _cumulative(of_class, sums, n_classes), n_classes)


def cell_weights(
    codes: NDArray[Any], n_values: int, labels: NDArray[Any], n_classes: int, weights: NDArray[Any] | None
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[Any]]:
    """Return the value, the class and the weight of each cell, without merging values.

    Examples
    --------
    >>> cell_weights(np.array([1, 0, 1, 9]), 2, np.array([0, 0, 1, 1]), 2, None)
    (array([0, 1, 1]), array([0, 0, 1]), array([1, 1, 1]))
    """
    is_known = codes < n_values
    if not is_known.all():
        codes, labels = codes[is_known], labels[is_known]
        weights = None if weights is None else weights[is_known]
    keys, sums = _sum_by_key(codes.astype(np.int64) * n_classes + labels, n_values * n_classes, weights)
    return *np.divmod(keys, n_classes), sums


def _sum_by_key(
    keys: NDArray[np.int64], n_keys: int, weights: NDArray[Any] | None
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Return the keys that occur and the sum of the weights of each."""
    if n_keys <= _MOST_KEYS_PER_ROW * len(keys) + _SMALL_TABLE:
        counts = np.bincount(keys, minlength=n_keys)
        found = np.flatnonzero(counts)
        sums = counts if weights is None else np.bincount(keys, weights)
        return found, sums[found].astype(sums.dtype if weights is None else weights.dtype)
    found, position, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return found, counts if weights is None else np.bincount(position, weights).astype(weights.dtype)


def _merge_pure_values(
    values: NDArray[np.intp], labels: NDArray[np.intp], weights: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[Any]]:
    """Merge neighbouring values that have rows of the same single class."""
    if len(values) == 0:
        return values, labels, weights
    is_new = np.append(True, values[1:] != values[:-1])
    is_alone = is_new & np.append(is_new[1:], True)
    starts = np.flatnonzero(np.append(True, ~(is_alone[1:] & is_alone[:-1] & (labels[1:] == labels[:-1]))))
    ends = np.append(starts[1:], len(values)) - 1
    return values[ends], labels[starts], np.add.reduceat(weights, starts)


def _cumulative(labels: NDArray[np.intp], weights: NDArray[Any], n_classes: int) -> NDArray[Any]:
    by_class = np.argsort(labels, kind="stable")
    running = np.cumsum(weights[by_class])
    totals = np.bincount(labels, weights, n_classes).astype(weights.dtype)
    cumulative = np.empty_like(weights)
    cumulative[by_class] = running - (np.cumsum(totals) - totals)[labels[by_class]]
    return cumulative
