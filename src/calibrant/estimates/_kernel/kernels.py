"""Class densities as sums of product kernels at the training rows, in blocks of bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calibrant.estimates._kernel.widths import WidthChoice, category_width, numeric_width

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ClassKernels", "fit_kernels", "group_rows", "known"]

_BLOCK = 1 << 22  # pairs of a new and a training row at a time: bounds the two temporary arrays to 32 MB each
_NEAR = float(np.log(np.finfo(np.float64).tiny))  # the logarithm of a kernel that is just above 0 in floating point


@dataclass(frozen=True, slots=True, eq=False)
class ClassKernels:
    """Training rows with a kernel width for each column (rows) and class (columns).

    Parameters
    ----------
    columns : tuple of arrays
        The training rows, column by column.
    label, weight : arrays of shape (n_rows,)
        The class and the weight of each row.
    width : array of shape (n_columns, n_classes)
        The standard deviation of Gaussian kernels; of categories, the probability that a kernel leaves them.
    n_categories : dict of int to int
        Number of categories of each tested column, 0 for a numeric one.

    Examples
    --------
    >>> rows = [np.array([0.0, 2.0, 10.0])]
    >>> kernels = fit_kernels(rows, np.array([0, 0, 1]), np.ones(3), {0: 0}, 2)
    >>> kernels.width.round(3)
    array([[1.305, 0.01 ]])
    >>> densities, is_near = kernels.log_densities([np.array([1.0])], (0,), (0,))
    >>> densities[:, 0].round(2), is_near
    (array([-0.56]), array([ True]))
    """

    columns: tuple[NDArray[Any], ...]
    label: NDArray[np.intp]
    weight: NDArray[np.float64]
    width: NDArray[np.float64]
    n_categories: Mapping[int, int]

    def log_densities(
        self, rows: Sequence[NDArray[Any]], tested: Sequence[int], used: Sequence[int]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the log density of each class (columns) at rows, up to a constant, and whether a kernel is near each.

        ``rows`` has the columns ``used``; training rows with a missing value in a ``tested`` column are left out.
        """
        complete = np.logical_and.reduce([known(self.columns[each]) for each in tested])
        found = [self._log_density(rows, used, complete & (self.label == k), k) for k in range(self.width.shape[1])]
        return np.stack([log for log, _ in found], axis=1), np.any([near for _, near in found], axis=0)

    def _log_density(
        self, rows: Sequence[NDArray[Any]], used: Sequence[int], members: NDArray[np.bool_], k: int
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        if not members.any():
            return np.full(len(rows[0]), -np.inf), np.zeros(len(rows[0]), dtype=bool)
        pairs = [self._pair(new, each, members, k) for new, each in zip(rows, used, strict=True)]
        sums, is_near = _log_sums(pairs, self.weight[members])
        widths = sum(np.log(self.width[each, k]) for each in used if self.n_categories[each] == 0)
        return sums - widths - np.log(self.weight[members].sum()), is_near

    def _pair(self, new: NDArray[Any], column: int, members: NDArray[np.bool_], k: int) -> _Pair:
        """Pair a column of new rows with that of the training rows, in units of the kernel's width."""
        width, n = self.width[column, k], self.n_categories[column]
        old = self.columns[column][members]
        if n == 0:
            return _Pair(new.astype(np.float64) / width, old.astype(np.float64) / width)
        return _Pair(new, old, np.log1p(-width), np.log(width / (n - 1)) if n > 1 else 0.0)


class _Pair(NamedTuple):
    """A column of new and of training rows; for categories, the log kernel where they are equal and where not."""

    new: NDArray[Any]
    old: NDArray[Any]
    equal: float = 0.0
    unequal: float = 0.0

    def add_to(self, block: NDArray[np.float64], rows: slice) -> None:
        new = self.new[rows, np.newaxis]
        if self.old.dtype.kind == "f":
            difference = new - self.old
            difference *= difference
            block -= np.multiply(difference, 0.5, out=difference)
        else:
            block += np.where(new == self.old, self.equal, self.unequal)


def _log_sums(pairs: list[_Pair], weight: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the logarithm of the sum of kernels at each new row, and whether any of them is above 0."""
    n_rows, step = len(pairs[0].new), max(_BLOCK // len(weight), 1)
    sums, peaks = np.empty(n_rows), np.empty(n_rows)
    for start in range(0, n_rows, step):
        rows = slice(start, min(start + step, n_rows))
        block = np.zeros((rows.stop - rows.start, len(weight)))
        with np.errstate(over="ignore"):
            for pair in pairs:
                pair.add_to(block, rows)
        peaks[rows] = block.max(axis=1)
        block -= np.maximum(peaks[rows], np.finfo(np.float64).min)[:, np.newaxis]
        np.exp(block, out=block)
        block *= weight
        with np.errstate(divide="ignore"):
            sums[rows] = np.log(block.sum(axis=1)) + peaks[rows]
    return sums, peaks > _NEAR


def fit_kernels(
    columns: Sequence[NDArray[Any]],
    label: NDArray[np.intp],
    weight: NDArray[np.float64],
    n_categories: Mapping[int, int],
    n_classes: int,
    choice: WidthChoice = "silverman",
) -> ClassKernels:
    """Choose the widths of the kernels, for each tested column and each class separately.

    Examples
    --------
    >>> colours = [np.array([0, 0, 2, 1], dtype=np.int32)]
    >>> fit_kernels(colours, np.array([0, 0, 0, 1]), np.ones(4), {0: 3}, 2).width.round(3)
    array([[0.333, 0.5  ]])
    """
    width = np.ones((len(columns), n_classes))
    for column, n in n_categories.items():
        values, found = columns[column], known(columns[column])
        for k in range(n_classes):
            own = found & (label == k)
            width[column, k] = (
                category_width(values[own], weight[own], n, choice)
                if n
                else numeric_width(values[own], weight[own], values[found], choice)
            )
    return ClassKernels(tuple(columns), label, weight, width, n_categories)


def known(column: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which values of a column are not missing: finite numbers, codes that are not negative.

    Examples
    --------
    >>> known(np.array([1.0, np.nan])), known(np.array([-1, 0]))
    (array([ True, False]), array([False,  True]))
    """
    return np.isfinite(column) if column.dtype.kind == "f" else column >= 0


def group_rows(
    columns: Sequence[NDArray[Any]], row: NDArray[np.intp], number: NDArray[np.intp], sets: Sequence[tuple[int, ...]]
) -> Iterator[tuple[NDArray[np.intp], tuple[int, ...], tuple[int, ...]]]:
    """Yield groups of rows with the same set of columns, of which the same are known.

    Each is positions in ``row``, the columns of the set, and those of them that are known.

    Examples
    --------
    >>> columns = [np.array([1.0, np.nan, 2.0])]
    >>> [(rows.tolist(), known) for rows, _, known in group_rows(columns, np.arange(3), np.zeros(3, int), [(0,)])]
    [([1], ()), ([0, 2], (0,))]
    """
    order = np.argsort(number, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(number[order])) + 1) if len(order) else ():
        features = sets[number[members[0]]]
        is_known = np.array([known(columns[each][row[members]]) for each in features], dtype=bool)
        patterns, which = np.unique(is_known.reshape(len(features), len(members)), axis=1, return_inverse=True)
        for i, pattern in enumerate(patterns.T):
            used = tuple(each for each, flag in zip(features, pattern, strict=True) if flag)
            yield members[which == i], features, used
