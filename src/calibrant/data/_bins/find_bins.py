"""Bins of a source: exact weighted quantiles from counts of cells, refined pass by pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._exact_sums import round_weights, weight_step
from calibrant.data._bins.bins import Bins, ColumnBins, distinct_bins, share_targets
from calibrant.data._frames.values import numeric_values
from calibrant.data._sources.source import Source
from calibrant.data._sources.source_part import SourcePart
from calibrant.data._sources.survey import Survey


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


# Of the values that are collected of all columns; where they would take more, cells are divided first.
_GATHERED_BYTES = 100_000_000
_COLUMN_BYTES = 1_000_000  # of the sample of a column, later of the counts of its cells
_LEAST_GATHERED = 2**14  # rows of a column that are collected at any rate, so that passes stay few
_MOST_PIECES = 64  # of the values of a column: parts may have few rows each
_N_CELLS = 2**12  # of a column in a further pass


@dataclass(frozen=True, eq=False)
class Gathering:
    """The values to collect of each cell of a column: those of all rows (1), the least one (2), or nothing (0)."""

    edges: NDArray[np.float64]
    wanted: NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class CellValues:
    """The values of rows with their weights, in pieces, and the least value of each cell of which that is wanted.

    ``weights`` is None where rows count once each.
    """

    values: tuple[NDArray[np.float64], ...]
    weights: tuple[NDArray[np.float64], ...] | None
    lowest: NDArray[np.float64]

    def __add__(self, other: CellValues) -> CellValues:
        """Return the values of both; their pieces are not copied unless they are many."""
        values, lowest = self.values + other.values, np.minimum(self.lowest, other.lowest)
        weights = None if self.weights is None or other.weights is None else self.weights + other.weights
        if len(values) > _MOST_PIECES:
            values, weights = (np.concatenate(values),), None if weights is None else (np.concatenate(weights),)
        return CellValues(values, weights, lowest)


def gather_values(
    values: NDArray[np.floating[Any]], weights: NDArray[np.float64] | None, gathering: Gathering
) -> CellValues:
    """Return the values of the cells that are wanted."""
    cells = cells_of(values, gathering.edges)
    wanted = np.append(gathering.wanted, np.int8(0))[cells]  # of NaN nothing
    every, least = wanted == 1, wanted == 2
    lowest = np.full(len(gathering.wanted), np.inf)
    np.minimum.at(lowest, cells[least], values[least])
    found = values[every].astype(np.float64) + 0.0  # -0.0 becomes 0.0
    amounts = None if weights is None else (weights[every],)
    return CellValues((found,), amounts, lowest[gathering.wanted == 2] + 0.0)


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
        occupied = np.flatnonzero(self._rows)  # rounded weights may be 0: a bin ends where there are rows
        self._is_sought[occupied[np.searchsorted(occupied, reached)]] = True
        self._is_sought[occupied[-1]] = True  # the greatest value closes the last bin

    def is_fine(self, most_rows: int) -> bool:
        """Return whether the cells that hold ends of bins have few rows, or one value."""
        coarse = self._is_sought & ~self._is_single()
        return bool(self._rows[coarse].sum() <= most_rows) or not coarse.any()

    def _is_single(self) -> NDArray[np.bool_]:
        """Return a mask of the cells that hold a single float."""
        highs = np.append(self.edges, np.inf)
        lows = np.concatenate([[-np.inf], self.edges])
        is_single: NDArray[np.bool_] = next_float(lows, np.inf) == highs
        is_single[0] = self.edges[0] == -np.inf  # which no edge excludes
        return is_single

    def refine(self) -> None:
        """Divide the cells that hold ends of bins, and forget the edges between others."""
        divided = np.flatnonzero(self._is_sought & ~self._is_single())
        n_cells = max(2, _N_CELLS // len(divided))
        # Counts of cells without an end are needed in sum only, so that the number of edges stays bounded.
        kept = np.flatnonzero(self._is_sought[:-1] | self._is_sought[1:])
        pieces = [self.edges[kept], np.array([-np.inf] if 0 in divided else [])]
        for cell in divided.tolist():
            low = self.edges[cell - 1] if cell else -np.inf
            high = self.edges[cell] if cell < len(self.edges) else np.inf
            pieces.append(key_edges(float(low), float(high), n_cells))
        self.edges = np.unique(np.concatenate(pieces))

    def gathering(self) -> Gathering:
        """Return the values to collect of each cell: all where bins end, the least one of those that follow."""
        wanted = np.zeros(len(self._rows), dtype=np.int8)
        occupied = np.flatnonzero(self._rows)
        follows = np.searchsorted(occupied, np.flatnonzero(self._is_sought)) + 1
        wanted[occupied[follows[follows < len(occupied)]]] = 2
        wanted[occupied[0]] = 2
        wanted[self._is_sought] = 1  # last: a cell that follows another may hold an end too
        wanted[self._is_sought & self._is_single()] = 0  # their one value is known, and they may have most rows
        return Gathering(self.edges, wanted)

    def bins(self, gathered: CellValues) -> ColumnBins:
        """Return the greatest and least values of the bins, once the values of the cells are known."""
        values, weights = self._distinct(gathered)
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

    def _distinct(self, gathered: CellValues) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return each value once, in order, with its weight; only the values are of use where no bin ends."""
        single = np.flatnonzero(self._is_sought & self._is_single())
        alone, of_cells = np.append(self.edges, np.inf)[single] + 0.0, np.diff(self._cumulated, prepend=0.0)[single]
        values = np.concatenate([*gathered.values, alone, gathered.lowest])
        n_rows = len(values) - len(alone) - len(gathered.lowest)
        of_rows = (np.ones(n_rows),) if gathered.weights is None else gathered.weights
        weights = np.concatenate([*of_rows, of_cells, np.zeros(len(gathered.lowest))])
        found, position = np.unique(values, return_inverse=True)
        return found, np.asarray(np.bincount(position, weights, len(found)), dtype=np.float64)


_LEAST_CELLS, _MOST_CELLS = 2**10, 2**14  # counted in the first pass; more take longer to search than a further pass
_ROWS_OF_ENDS = 2**15  # to be collected of all cells that hold the end of a bin


def find_bins(source: Source, max_bins: int = 255) -> Bins:
    """Return the bins that `bins_of` returns for all rows in memory, to the bit.

    A first pass finds the columns of few distinct values, and samples the others; the next counts the rows between
    values of the sample, again in finer cells where these hold too many rows, and the last collects the values of the
    cells in which bins end. Beside the part that is read this takes at most 100 MB and 1 MB a column, however many rows
    there are.

    Examples
    --------
    >>> import polars
    >>> from calibrant.data._sources.open_source import open_source
    >>> lazy = polars.LazyFrame({"age": [31.0, 64.0, 45.0, 19.0], "ill": [0, 1, 1, 0]})
    >>> find_bins(open_source(lazy, target="ill", batch_size=3), 2).highs
    (array([31., 64.]),)
    """
    step, found, searches = _start(source, max_bins)
    _count(source, dict(searches), step)
    if searches:
        gatherings = {name: search.gathering() for name, search in searches.items()}
        gathered = source.reduce(_gather_part, gatherings, step, merge=_merge, description="Finding bins")
        found |= {name: search.bins(gathered.pop(name)) for name, search in searches.items()}
    pairs = [found.get(feature.name, (None, None)) for feature in source.schema.features]
    return Bins(source.schema, tuple(highs for highs, _ in pairs), tuple(lows for _, lows in pairs))


def bins_memory(n_columns: int) -> int:
    """Return the most bytes that finding bins takes beside the part that is read.

    Examples
    --------
    >>> bins_memory(100)
    200000000
    """
    return _GATHERED_BYTES + n_columns * _COLUMN_BYTES


def _start(source: Source, max_bins: int) -> tuple[float | None, dict[str, ColumnBins], dict[str, QuantileSearch]]:
    """Return the step of weights, the bins of few values, and the searches; the samples of values end here."""
    survey = source.survey(max_bins)
    step = None if survey.are_ones else weight_step(survey.largest_weight, survey.n_rows)
    found = _few_values(survey)
    searches = {
        facts.name: QuantileSearch(
            _first_edges(facts.distinct.sample.known(), survey.n_rows, max_bins), step or 1.0, max_bins
        )
        for facts in survey.columns
        if facts.kind == "numeric" and facts.name not in found
    }
    return step, found, searches


def _few_values(survey: Survey) -> dict[str, ColumnBins]:
    """Return the bins of numeric columns that have few distinct values, or none at all."""
    found: dict[str, ColumnBins] = {}
    for facts in survey.columns:
        if facts.kind == "numeric" and facts.is_empty:
            found[facts.name] = distinct_bins(np.empty(0))
        elif facts.kind == "numeric" and facts.distinct.values is not None:
            found[facts.name] = distinct_bins(facts.distinct.values)
    return found


def _first_edges(sample: NDArray[np.float64], n_rows: int, max_bins: int) -> NDArray[np.float64]:
    """Return edges so close that the cells in which bins end have few rows in all."""
    n_cells = max(_LEAST_CELLS, min(_MOST_CELLS, n_rows * max_bins // _ROWS_OF_ENDS))
    return sample_edges(sample, min(n_cells, len(sample))) if len(sample) else np.zeros(1)


def _count(source: Source, searches: dict[str, QuantileSearch], step: float | None) -> None:
    """Count cells, and divide those that hold the ends of bins, until they are fine enough."""
    bytes_of_rows = len(searches) * (8 if step is None else 16)
    most_rows = max(_LEAST_GATHERED, _GATHERED_BYTES // max(1, bytes_of_rows))
    while searches:
        edges = {name: search.edges for name, search in searches.items()}
        counts = source.reduce(_count_part, edges, step, merge=_merge, description="Finding bins")
        for name, search in list(searches.items()):
            search.add_counts(counts.pop(name))
            if search.is_fine(most_rows):
                del searches[name]
            else:
                search.refine()


def _count_part(
    part: SourcePart, edges: Mapping[str, NDArray[np.float64]], step: float | None
) -> dict[str, CellCounts]:
    weights = _weights(part, step)
    return {name: count_cells(_values(part, name), weights, each) for name, each in edges.items()}


def _gather_part(part: SourcePart, gatherings: Mapping[str, Gathering], step: float | None) -> dict[str, CellValues]:
    weights = _weights(part, step)
    return {name: gather_values(_values(part, name), weights, each) for name, each in gatherings.items()}


def _merge(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Add up in the first, column by column, because both of all columns would be held twice."""
    for name in one:
        one[name] = one[name] + other[name]
    return one


def _values(part: SourcePart, name: str) -> NDArray[np.floating[Any]]:
    return numeric_values(part.frame[name], name) if part.n_rows else np.empty(0)


def _weights(part: SourcePart, step: float | None) -> NDArray[np.float64] | None:
    return None if step is None or part.weights is None else round_weights(part.weights, step)
