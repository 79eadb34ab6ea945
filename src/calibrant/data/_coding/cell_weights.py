"""How much weight the rows of a coded column have at each value, class by class: what entropies are computed from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Cells", "cell_weights", "count_cells"]

_ROOM = 2**20


@dataclass(frozen=True)
class Cells:
    """The weight of each value and class that occur together, by value, then by class.

    Neighbouring values all of one class are one, the last of them: a cut between them is never the best (Fayyad & Irani
    1992). ``so_far`` is the weight of the same class in all cells up to and with this one.
    """

    values: NDArray[np.intp]
    labels: NDArray[np.intp]
    weights: NDArray[Any]
    so_far: NDArray[Any]
    n_classes: int

    def part(self, start: int, stop: int) -> Cells:
        """Give neighbouring cells; where they are fewer than the classes, these are numbered anew."""
        labels, n_classes = self.labels[start:stop], self.n_classes
        if n_classes > len(labels):
            found, labels = np.unique(labels, return_inverse=True)
            n_classes = len(found)
        return Cells(self.values[start:stop], labels, self.weights[start:stop], self.so_far[start:stop], n_classes)

    def class_weights(self) -> NDArray[Any]:
        """Give the weight of each class."""
        return np.bincount(self.labels, self.weights, self.n_classes).astype(self.weights.dtype)

    def running_weights(self) -> NDArray[Any]:
        """Give the weight of the same class in these cells up to and with each; there may be others before them."""
        first = np.zeros(self.n_classes, dtype=np.intp)
        first[self.labels[::-1]] = np.arange(len(self.labels) - 1, -1, -1)
        before = (self.so_far - self.weights)[first]
        return np.asarray(self.so_far - before[self.labels])


def count_cells(
    codes: NDArray[Any], n_values: int, labels: NDArray[Any], n_classes: int, weights: NDArray[Any] | None
) -> Cells:
    """Add the weights of rows up by value and class; rows without a value count nowhere.

    Memory and time go with the rows, whatever the number of classes; whole numbers stay whole.

    Examples
    --------
    >>> cells = count_cells(np.array([0, 2, 1, 2, 9]), 3, np.array([0, 0, 0, 1, 1]), 2, None)
    >>> cells.values, cells.labels, cells.weights, cells.so_far
    (array([1, 2, 2]), array([0, 0, 1]), array([2, 1, 1]), array([2, 3, 1]))
    """
    values, of_class, sums = _join(*cell_weights(codes, n_values, labels, n_classes, weights))
    return Cells(values, of_class, sums, _so_far(of_class, sums, n_classes), n_classes)


def cell_weights(
    codes: NDArray[Any], n_values: int, labels: NDArray[Any], n_classes: int, weights: NDArray[Any] | None
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[Any]]:
    """Give the values, the classes and the weights of cells, each value for itself.

    Examples
    --------
    >>> cell_weights(np.array([1, 0, 1, 9]), 2, np.array([0, 0, 1, 1]), 2, None)
    (array([0, 1, 1]), array([0, 0, 1]), array([1, 1, 1]))
    """
    is_known = codes < n_values
    if not is_known.all():
        codes, labels = codes[is_known], labels[is_known]
        weights = None if weights is None else weights[is_known]
    keys, sums = _add_up(codes.astype(np.int64) * n_classes + labels, n_values * n_classes, weights)
    return *np.divmod(keys, n_classes), sums


def _add_up(
    keys: NDArray[np.int64], n_keys: int, weights: NDArray[Any] | None
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Give each key that occurs and the sum of its weights: by a table of all keys where that is small, else sorted."""
    if n_keys <= 4 * len(keys) + _ROOM:
        counts = np.bincount(keys, minlength=n_keys)
        found = np.flatnonzero(counts)
        sums = counts if weights is None else np.bincount(keys, weights)
        return found, sums[found].astype(sums.dtype if weights is None else weights.dtype)
    found, place, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return found, counts if weights is None else np.bincount(place, weights).astype(weights.dtype)


def _join(
    values: NDArray[np.intp], labels: NDArray[np.intp], weights: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[Any]]:
    """Join neighbouring values that have rows of the same single class."""
    if len(values) == 0:
        return values, labels, weights
    is_new = np.append(True, values[1:] != values[:-1])
    is_alone = is_new & np.append(is_new[1:], True)
    starts = np.flatnonzero(np.append(True, ~(is_alone[1:] & is_alone[:-1] & (labels[1:] == labels[:-1]))))
    ends = np.append(starts[1:], len(values)) - 1
    return values[ends], labels[starts], np.add.reduceat(weights, starts)


def _so_far(labels: NDArray[np.intp], weights: NDArray[Any], n_classes: int) -> NDArray[Any]:
    by_class = np.argsort(labels, kind="stable")
    running = np.cumsum(weights[by_class])
    totals = np.bincount(labels, weights, n_classes).astype(weights.dtype)
    so_far = np.empty_like(weights)
    so_far[by_class] = running - (np.cumsum(totals) - totals)[labels[by_class]]
    return so_far
