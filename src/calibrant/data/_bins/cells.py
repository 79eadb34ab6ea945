"""Ranges of values, called cells, that are counted and refined until each holds few distinct values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CellCounts", "cells_of", "count_cells", "key_edges", "next_float", "sample_edges"]


def cells_of(values: NDArray[np.floating[Any]], edges: NDArray[np.float64]) -> NDArray[np.uint16]:
    """Return the cell of each value: the number of edges that are less; NaN is beyond the last cell.

    Examples
    --------
    >>> cells_of(np.array([1.0, 2.0, 2.5, np.nan]), np.array([1.0, 2.0]))
    array([0, 1, 2, 3], dtype=uint16)
    """
    cells = np.empty(len(values), dtype=np.uint16)
    _core.find_cells(values, edges, cells)
    return np.minimum(cells, np.uint16(len(edges) + 1), out=cells)


@dataclass(frozen=True, eq=False)
class CellCounts:
    """The weight and the number of rows of each cell of a column."""

    weights: NDArray[np.float64]
    rows: NDArray[np.int64]

    def __add__(self, other: CellCounts) -> CellCounts:
        """Return the counts of the rows of both."""
        return CellCounts(self.weights + other.weights, self.rows + other.rows)


def count_cells(
    values: NDArray[np.floating[Any]], weights: NDArray[np.float64] | None, edges: NDArray[np.float64]
) -> CellCounts:
    """Return the counts of the cells between edges; values that are NaN are not counted."""
    cells, n_cells = cells_of(values, edges), len(edges) + 1
    rows = np.bincount(cells, minlength=n_cells + 1)[:n_cells]
    if weights is None:
        return CellCounts(rows.astype(np.float64), rows)
    sums: NDArray[np.float64] = np.asarray(np.bincount(cells, weights, n_cells + 1)[:n_cells], dtype=np.float64)
    return CellCounts(sums, rows)


def sample_edges(sample: NDArray[np.float64], n_edges: int) -> NDArray[np.float64]:
    """Return edges that divide a sorted sample evenly; a value that occurs often has a cell of its own.

    Examples
    --------
    >>> sample_edges(np.array([1.0, 2.0, 3.0, 4.0]), 2)
    array([2., 4.])
    """
    at = np.arange(1, n_edges + 1) * len(sample) // n_edges - 1
    edges, counts = np.unique(sample[at[at >= 0]], return_counts=True)
    alone = next_float(edges[counts > 1], -np.inf)
    return np.unique(np.concatenate([edges, alone])) + 0.0


def next_float(values: NDArray[np.float64], toward: float) -> NDArray[np.float64]:
    """Return the floats next to some, infinite ones included, toward an infinity."""
    with np.errstate(over="ignore", under="ignore"):
        return np.nextafter(values, toward)


def key_edges(low: float, high: float, n_cells: int) -> NDArray[np.float64]:
    """Return the edges of about ``n_cells`` cells from ``low``, which is excluded, to ``high``, which is included.

    Cells have the same number of floats, so that repeated division ends at single values; the last holds ``high``
    alone.

    Examples
    --------
    >>> key_edges(1.0, 1.0 + 2**-50, 4)
    array([1., 1., 1., 1.])
    >>> len(set(key_edges(-np.inf, np.inf, 16)))
    17
    """
    first, last = _key(low), _key(high)
    step = max(1, -(-(last - first) // n_cells))
    keys = [*range(first + step, last - 1, step), last - 1, last]
    return np.array(sorted({_number(key) + 0.0 for key in keys if key > first}))


def _key(value: float) -> int:
    """Return an integer that orders as the value does."""
    bits = int(np.float64(value + 0.0).view(np.uint64))
    return bits ^ (2**64 - 1) if bits >> 63 else bits | 2**63


def _number(key: int) -> float:
    bits = key ^ 2**63 if key >> 63 else key ^ (2**64 - 1)
    return float(np.uint64(bits).view(np.float64))
