"""The exact weighted quantiles of a column from counts of cells, refined pass by pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.data._bins.cells import CellCounts, cells_of, key_edges, next_float
from calibrant.data._bins.quantiles import ColumnBins, share_targets

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CellValues", "Gathering", "QuantileSearch", "gather_values"]

_MOST_GATHERED = 2**18  # rows of a column whose values are collected, 2 MB; more are divided into finer cells first
_MOST_REPEATED = 2**16  # values that are held without adding up equal ones
_N_CELLS = 2**12  # of a column in a further pass


@dataclass(frozen=True, eq=False)
class Gathering:
    """What is needed of the cells of a column: all distinct values (1), the least one (2), or nothing (0)."""

    edges: NDArray[np.float64]
    wanted: NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class CellValues:
    """Values with their weights; of cells whose least value is wanted that one, of weight 0.

    Equal values are added up only when there are twice as many as after the last time, because that sorts them.
    """

    values: NDArray[np.float64]
    weights: NDArray[np.float64]
    n_distinct: int = 0

    def __add__(self, other: CellValues) -> CellValues:
        """Return the values of both."""
        n_distinct = max(self.n_distinct, other.n_distinct)
        both = CellValues(
            np.concatenate([self.values, other.values]), np.concatenate([self.weights, other.weights]), n_distinct
        )
        return both.distinct() if len(both.values) > max(_MOST_REPEATED, 2 * n_distinct) else both

    def distinct(self) -> CellValues:
        """Return each value once, in order."""
        found, position = np.unique(self.values, return_inverse=True)
        weights: NDArray[np.float64] = np.asarray(np.bincount(position, self.weights, len(found)), dtype=np.float64)
        return CellValues(found, weights, len(found))


def gather_values(
    values: NDArray[np.floating[Any]], weights: NDArray[np.float64] | None, gathering: Gathering
) -> CellValues:
    """Return the values of the cells that are wanted."""
    cells = cells_of(values, gathering.edges)
    wanted = np.append(gathering.wanted, np.int8(0))[cells]  # of NaN nothing
    every, least = wanted == 1, wanted == 2
    lowest = np.full(len(gathering.wanted), np.inf)
    np.minimum.at(lowest, cells[least], values[least])
    has = np.bincount(cells[least], minlength=len(lowest)) > 0
    found = np.concatenate([values[every].astype(np.float64), lowest[has]])
    amounts = np.ones(every.sum()) if weights is None else weights[every]
    return CellValues(found + 0.0, np.concatenate([amounts, np.zeros(has.sum())])).distinct()


class QuantileSearch:
    """The search for the bins of one column.

    Parameters
    ----------
    edges : float64 array
        Edges of the first cells, ascending.
    step : float
        The power of two that weights are multiples of.
    max_bins : int
        The largest number of bins.
    """

    def __init__(self, edges: NDArray[np.float64], step: float, max_bins: int) -> None:
        self.edges, self._step, self._max_bins = edges, step, max_bins
        self._cumulated = np.empty(0)
        self._rows = np.empty(0, dtype=np.int64)
        self._is_sought = np.empty(0, dtype=np.bool_)
        self._targets = np.empty(0)

    def add_counts(self, counts: CellCounts) -> None:
        """Take the counts of all rows between the edges."""
        self._cumulated, self._rows = np.cumsum(counts.weights), counts.rows
        self._targets = share_targets(float(self._cumulated[-1]), self._step, self._max_bins)[:-1]
        self._is_sought = np.zeros(len(self._rows), dtype=np.bool_)
        reached = np.searchsorted(self._cumulated, self._targets)
        occupied = np.flatnonzero(self._rows)
        self._is_sought[occupied[np.searchsorted(occupied, reached)]] = True
        self._is_sought[occupied[-1]] = True  # the greatest value closes the last bin

    def is_fine(self) -> bool:
        """Return whether the cells that hold ends of bins have few values, or one."""
        coarse = self._is_sought & ~self._is_single()
        return bool(self._rows[coarse].sum() <= _MOST_GATHERED) or not coarse.any()

    def _is_single(self) -> NDArray[np.bool_]:
        """Return which cells hold a single float."""
        highs = np.append(self.edges, np.inf)
        lows = np.concatenate([[-np.inf], self.edges])
        is_single: NDArray[np.bool_] = next_float(lows, np.inf) == highs
        is_single[0] = self.edges[0] == -np.inf  # which no edge excludes
        return is_single

    def refine(self) -> None:
        """Divide the cells that hold ends of bins, and forget the edges between others."""
        divided = np.flatnonzero(self._is_sought & ~self._is_single())
        n_cells = max(2, _N_CELLS // len(divided))
        kept = np.flatnonzero(self._is_sought[:-1] | self._is_sought[1:])
        pieces = [self.edges[kept], np.array([-np.inf] if 0 in divided else [])]
        for cell in divided.tolist():
            low = self.edges[cell - 1] if cell else -np.inf
            high = self.edges[cell] if cell < len(self.edges) else np.inf
            pieces.append(key_edges(float(low), float(high), n_cells))
        self.edges = np.unique(np.concatenate(pieces))

    def gathering(self) -> Gathering:
        """Return what is needed of each cell: values where bins end, the least one of those that follow."""
        wanted = np.zeros(len(self._rows), dtype=np.int8)
        occupied = np.flatnonzero(self._rows)
        follows = np.searchsorted(occupied, np.flatnonzero(self._is_sought)) + 1
        wanted[occupied[follows[follows < len(occupied)]]] = 2
        wanted[occupied[0]] = 2
        wanted[self._is_sought] = 1
        return Gathering(self.edges, wanted)

    def bins(self, gathered: CellValues) -> ColumnBins:
        """Return the greatest and least values of the bins, once the values of the cells are known."""
        gathered = gathered.distinct()
        values, weights = gathered.values, gathered.weights
        cells = cells_of(values, self.edges)
        is_sought = self._is_sought[cells]
        before = np.concatenate([[0.0], self._cumulated])[cells]
        first = np.searchsorted(cells, cells)
        within = np.concatenate([[0.0], np.cumsum(weights)])
        reached = before + (within[1:] - within[first])
        ends = np.flatnonzero(is_sought)
        at = ends[np.searchsorted(reached[ends], self._targets)]
        chosen = np.unique(np.append(at, len(values) - 1))
        lows = np.concatenate([[0], chosen[:-1] + 1])
        return values[chosen], values[lows]
