"""Bins of the columns of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._exact_sums import round_weights, weight_step
from calibrant._threads import n_threads
from calibrant.data._coding.coded_table import CodedTable
from calibrant.data._discretize.mdl import CutRule, mdl_cuts
from calibrant.data._frames.columns import Columns
from calibrant.data._frames.schema import Schema
from calibrant.exceptions import DataError

R = TypeVar("R")
MOST_BYTE_VALUES = 255  # the last code of a byte means missing


@dataclass(frozen=True, eq=False)
class Bins:
    """The greatest and the least value of each bin of the numeric columns, in ascending order; None for nominal ones.

    Examples
    --------
    >>> from calibrant.data._bins.bins import bins_of
    >>> from calibrant.data._frames.columns import fit_columns
    >>> bins_of(fit_columns([[1.0], [2.0], [3.0], [4.0]]), None, 2).highs
    (array([2., 4.]),)
    """

    schema: Schema
    highs: tuple[NDArray[np.float64] | None, ...]
    lows: tuple[NDArray[np.float64] | None, ...]

    @property
    def n_values(self) -> list[int]:
        """Number of bins or categories of each column."""
        pairs = zip(self.schema.features, self.highs, strict=True)
        return [len(feature.categories) if highs is None else len(highs) for feature, highs in pairs]

    @property
    def fits_bytes(self) -> bool:
        """Whether each code is a byte."""
        return max(self.n_values) <= MOST_BYTE_VALUES

    def check_bytes(self) -> None:
        """Raise if a column has more bins or categories than a byte has codes."""
        for feature, n_values in zip(self.schema.features, self.n_values, strict=True):
            if n_values > MOST_BYTE_VALUES:
                what = "categories" if feature.kind == "nominal" else "bins"
                raise DataError(
                    f"column {feature.name!r} has {n_values:,} {what}; at most {MOST_BYTE_VALUES} are supported here. "
                    "Group its rare categories, or pass a table in memory."
                )

    def code(self, columns: Columns, out: NDArray[np.uint8] | None = None, *, n_jobs: int | None = 1) -> Any:
        """Return the codes of columns that match the schema, a row of bytes for each row, 255 where missing."""
        matrix = np.empty((columns.n_rows, len(columns.arrays)), dtype=np.uint8) if out is None else out
        sources = [
            (array, len(feature.categories)) if highs is None else array
            for feature, highs, array in zip(self.schema.features, self.highs, columns.arrays, strict=True)
        ]
        if columns.n_rows:
            _core.code_bytes(sources, list(self.highs), matrix, n_threads(n_jobs))
        return matrix

    def mdl_cuts(
        self, column: int, class_weights: NDArray[np.float64], rule: CutRule = "fayyad_irani"
    ) -> NDArray[np.float64]:
        """Return the cut points of a column, none of a nominal one, from the class weights of its bins."""
        highs, lows = self.highs[column], self.lows[column]
        if highs is None or not len(highs):
            return np.empty(0)
        # A row for each bin and class that occur stands for all rows of both, with their weight.
        codes, labels = np.nonzero(class_weights[: len(highs)])
        only = Bins(Schema((self.schema.features[column],), self.schema.named), (highs,), (lows,))
        rows = only.table(np.ascontiguousarray(codes.astype(np.uint8)[:, np.newaxis]))
        weights = class_weights[codes, labels]
        return mdl_cuts(rows, labels, class_weights.shape[1], weights, rule)[0] if len(codes) else np.empty(0)

    def table(self, matrix: NDArray[np.uint8], *, n_jobs: int | None = 1) -> CodedTable:
        """Return the table of a matrix of codes, which is not copied."""
        states = [
            (n_values, highs, lows if highs is not lows else None)
            for n_values, highs, lows in zip(self.n_values, self.highs, self.lows, strict=True)
        ]
        return CodedTable(_core.byte_table(matrix, states, n_threads(n_jobs)), self.schema)


# Greatest and least value of each bin; the same array where every bin has one value.
ColumnBins = tuple["NDArray[np.float64]", "NDArray[np.float64]"]


@lru_cache(maxsize=16)  # of all columns without missing values
def share_targets(total: float, step: float, n_bins: int) -> NDArray[np.float64]:
    """Return the cumulated weights at which bins close, i times the total over the number of bins, rounded up.

    Weights are multiples of ``step``, a power of two, and so are these: comparisons with sums of weights are exact.

    Examples
    --------
    >>> share_targets(10.0, 1.0, 4)
    array([ 3.,  5.,  8., 10.])
    """
    units = round(total / step)
    targets = np.array([-(-i * units // n_bins) * step for i in range(1, n_bins + 1)])
    targets.flags.writeable = False
    return targets


def distinct_bins(values: NDArray[np.floating[Any]]) -> ColumnBins:
    """Return a bin for each of the distinct values, which are sorted."""
    highs = values.astype(np.float64) + 0.0  # -0.0 becomes 0.0
    return highs, highs


_FEWEST_SELECTED = 8192  # values: fewer are sorted sooner
_PEEK = 4096  # values, evenly spread, that show in most cases that a column has more distinct ones than bins
_SORTED_AT_ONCE = 256  # columns of a matrix of few rows, so that they stay in the cache


def bins_of(columns: Columns, weights: NDArray[np.float64] | None, max_bins: int, *, n_jobs: int | None = 1) -> Bins:
    """Return bins of equal weight: a bin ends at the first value where the cumulated weight reaches its share.

    A column of at most ``max_bins`` distinct values has a bin for each. Equal values are never separated, so that
    there may be fewer bins. Weights that are not whole numbers are rounded to multiples of a power of two whose sums
    are exact, so that the bins do not depend on the order of the rows.

    Examples
    --------
    >>> from calibrant.data._frames.columns import fit_columns
    >>> bins = bins_of(fit_columns([[1.0], [2.0], [2.0], [3.0], [9.0]]), None, 3)
    >>> bins.highs, bins.lows
    ((array([2., 3., 9.]),), (array([1., 3., 9.]),))
    """
    step = 1.0 if weights is None else weight_step(float(weights.max()), len(weights))
    rounded = None if weights is None else round_weights(weights, step)
    if columns.matrix is not None and rounded is None and max_bins < columns.n_rows < _FEWEST_SELECTED:
        blocks = [columns.matrix[:, j : j + _SORTED_AT_ONCE] for j in range(0, len(columns.arrays), _SORTED_AT_ONCE)]
        of_blocks = _in_threads(partial(_block_bins, max_bins=max_bins), blocks, n_jobs)
        return _of_pairs(columns.schema, [pair for pairs in of_blocks for pair in pairs])
    numeric = [
        array
        for feature, array in zip(columns.schema.features, columns.arrays, strict=True)
        if feature.kind == "numeric"
    ]
    found = iter(_in_threads(partial(_column_bins, weights=rounded, step=step, max_bins=max_bins), numeric, n_jobs))
    pairs = [next(found) if feature.kind == "numeric" else (None, None) for feature in columns.schema.features]
    return _of_pairs(columns.schema, pairs)


def _in_threads(find: Callable[[Any], R], parts: Sequence[Any], n_jobs: int | None) -> list[R]:
    threads = min(n_threads(n_jobs), len(parts))
    if threads <= 1:
        return list(map(find, parts))
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(find, parts))


def _of_pairs(schema: Schema, pairs: Sequence[ColumnBins | tuple[None, None]]) -> Bins:
    return Bins(schema, tuple(highs for highs, _ in pairs), tuple(lows for _, lows in pairs))


def _block_bins(block: NDArray[np.floating[Any]], max_bins: int) -> list[ColumnBins]:
    """Return the bins of the columns of a matrix of few rows that count once each.

    Bins end at the same positions of all sorted columns that have neither missing values nor equal ones there: finding
    them for many columns at a time takes a quarter of the time.
    """
    ordered = np.array(block.T, order="C")
    ordered.sort(axis=1)
    at = share_targets(float(len(block)), 1.0, max_bins).astype(np.intp) - 1
    starts = np.append(0, at[:-1] + 1)
    highs, lows = (np.take(ordered, where, axis=1).astype(np.float64) + 0.0 for where in (at, starts))
    n_distinct = 1 + np.count_nonzero(ordered[:, 1:] != ordered[:, :-1], axis=1)
    is_plain = (n_distinct > max_bins) & (highs[:, :-1] < lows[:, 1:]).all(axis=1) & ~np.isnan(ordered[:, -1])
    return [
        (highs[j], lows[j]) if is_plain[j] else _column_bins(ordered[j], None, 1.0, max_bins) for j in range(len(highs))
    ]


def _column_bins(
    values: NDArray[np.floating[Any]], weights: NDArray[np.float64] | None, step: float, max_bins: int
) -> ColumnBins:
    if weights is None:
        if len(values) >= _FEWEST_SELECTED and _has_many_values(values, max_bins):
            return _selected_bins(values, max_bins)
        ordered = np.sort(values)
        cumulated = None
    else:
        order = np.argsort(values)
        ordered, cumulated = values[order], np.cumsum(weights[order])
    ordered = ordered[: np.searchsorted(ordered, np.inf, side="right")]  # NaN is last
    distinct = _few_distinct(ordered, max_bins)
    if distinct is not None:
        return distinct_bins(distinct)
    if cumulated is None:
        at = share_targets(float(len(ordered)), 1.0, max_bins).astype(np.intp) - 1
    else:
        cumulated = cumulated[: len(ordered)]
        at = np.searchsorted(cumulated, share_targets(float(cumulated[-1]), step, max_bins))
    at[-1] = len(ordered) - 1  # a last value may weigh nothing after rounding
    highs = np.unique(ordered[at])
    follows = np.searchsorted(ordered, highs[:-1], side="right")
    lows = np.concatenate([ordered[:1], ordered[follows]])
    return highs.astype(np.float64) + 0.0, lows.astype(np.float64) + 0.0


def _has_many_values(values: NDArray[np.floating[Any]], most: int) -> bool:
    """Return whether some values, evenly spread, are already more than ``most``; False where that is not known."""
    some = np.sort(values[:: max(1, len(values) // _PEEK)])
    return len(_distinct(some[: np.searchsorted(some, np.inf, side="right")])) > most


def _selected_bins(values: NDArray[np.floating[Any]], max_bins: int) -> ColumnBins:
    """Return the bins of rows that count once each without sorting all values: a fifth of the time."""
    n_known = len(values) - int(np.count_nonzero(np.isnan(values)))
    at = share_targets(float(n_known), 1.0, max_bins).astype(np.int64) - 1
    at[-1] = n_known - 1
    selected: Any = _core.values_at(values, np.concatenate([[0], at]))
    found, following = selected
    highs, first = np.unique(found[1:], return_index=True)
    return highs, np.concatenate([found[:1], following[1:][first[:-1]]])


def _few_distinct(ordered: NDArray[np.floating[Any]], most: int) -> NDArray[np.floating[Any]] | None:
    """Return the distinct values of sorted ones; None if there are more than ``most``."""
    if len(_distinct(ordered[:: max(1, len(ordered) // _PEEK)])) > most:
        return None
    found = _distinct(ordered)
    return found if len(found) <= most else None


def _distinct(ordered: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    is_first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]
