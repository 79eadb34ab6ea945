"""Cuts of numeric columns by class entropy, stopped by minimum description length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from calibrant.data._coding.coded_table import CodedTable

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


CutRule = Literal["fayyad_irani", "kononenko"]
# Whether to accept a cut, from the class weights of the interval and of both sides, and the number of possible cuts.
AcceptsCut: TypeAlias = Callable[["NDArray[Any]", "NDArray[Any]", "NDArray[Any]", float], bool]


def fayyad_irani(whole: NDArray[Any], left: NDArray[Any], right: NDArray[Any], n_cuts: float) -> bool:
    """Return whether the information gain exceeds the cost of coding the cut and the class entropies of both sides.

    Examples
    --------
    >>> fayyad_irani(np.array([9, 9]), np.array([9, 0]), np.array([0, 9]), 17)
    True
    """
    h, k = _entropy(whole), int(np.count_nonzero(whole))
    gain, differences = float(whole.sum()) * h, k * h
    for side in (left, right):
        gain -= float(side.sum()) * _entropy(side)
        differences -= int(np.count_nonzero(side)) * _entropy(side)
    return gain > float(np.log2(n_cuts)) + float(k * np.log2(3) + np.log1p(-2 * 3.0 ** (-k)) / _LN2) - differences


def kononenko(whole: NDArray[Any], left: NDArray[Any], right: NDArray[Any], n_cuts: float) -> bool:
    """Return whether coding the classes of the two sides apart takes fewer bits than coding them together.

    Examples
    --------
    >>> kononenko(np.array([2, 2]), np.array([1, 1]), np.array([1, 1]), 3)
    False
    """
    k = int(np.count_nonzero(whole))
    before, low, high = (_log2_codes(side, k) for side in (whole, left, right))
    return before > float(np.log2(n_cuts)) + low + high


CUT_RULES: dict[CutRule, AcceptsCut] = {"fayyad_irani": fayyad_irani, "kononenko": kononenko}


def _entropy(counts: NDArray[Any]) -> float:
    shares = counts / counts.sum()
    return -float(xlogy(shares, shares).sum()) / _LN2


def _log2_codes(counts: NDArray[Any], n_classes: int) -> float:
    """Return the bits that code the class frequencies of an interval and then the class of each row."""
    n = float(counts.sum())
    frequencies = gammaln(n + n_classes) - gammaln(n + 1) - gammaln(n_classes)
    return float((frequencies + gammaln(n + 1) - gammaln(counts + 1.0).sum()) / _LN2)


_NLogN = Callable[[Any], Any]

# Entropies that differ by less than this share of the largest are ties: the order of summation changes them by as much.
_TIE_TOLERANCE = 1e-12
# Fewer than two rows cannot be split; the tolerance allows for rounding in a sum of weights.
_MIN_WEIGHT = 2 - 1e-9
# The table of n log n for integer weights takes 128 MB at this total; beyond it the function is computed.
_MAX_TABLED_WEIGHT = 2**24
# 40 cuts of 100,000 values take 2 ms by comparing all values with each cut, and 7 ms by binary search.
_MAX_COMPARED_CUTS = 40
_LN2 = float(np.log(2))


def mdl_cuts(
    table: CodedTable,
    labels: NDArray[np.integer[Any]],
    n_classes: int,
    weights: NDArray[np.float64] | None = None,
    rule: CutRule = "fayyad_irani",
    among: Literal["rows", "values"] = "rows",
) -> list[NDArray[np.float64]]:
    """Return the cut points of every column, none for a nominal one.

    Parameters
    ----------
    table : CodedTable
        The columns.
    labels : array of shape (n_rows,)
        The class of each row as a number below `n_classes`.
    n_classes : int
        Number of classes.
    weights : array of shape (n_rows,), optional
        The weight of each row, a frequency above 0.
    rule : {"fayyad_irani", "kononenko"}
        The stopping rule.
    among : {"rows", "values"}
        The possible cuts that a cut is coded among: those between any two rows, or only those between distinct values,
        which takes fewer bits (Weka's "better encoding").

    Returns
    -------
    list of arrays
        The cut points of each column in ascending order.

    Examples
    --------
    >>> from calibrant.data import CodedTable
    >>> table = CodedTable.from_frame([[float(i), "u"] for i in range(20)])
    >>> mdl_cuts(table, np.arange(20) // 10, 2)
    [array([9.5]), array([], dtype=float64)]
    """
    weights = _as_integers(weights)
    n_log_n = _make_n_log_n(table.n_rows, weights)
    cuts = []
    for column in range(table.n_columns):
        values, ends = table.values(column), np.empty(0, dtype=np.intp)
        if values is not None:
            cells = count_cells(table.codes(column), len(values), labels, n_classes, weights)
            ends = _accepted_cuts(cells, n_log_n, CUT_RULES[rule], among)
        cuts.append(np.empty(0) if values is None else _midpoints(values, table.lows(column), ends))
    return cuts


def interval_codes(values: NDArray[np.floating[Any]], cuts: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return the index of the interval of each value, -1 for NaN; a value equal to a cut is below it.

    Examples
    --------
    >>> interval_codes(np.array([0.0, 1.5, 9.0, np.nan]), np.array([1.5, 2.5]))
    array([ 0,  0,  2, -1], dtype=int32)
    """
    if len(cuts) > _MAX_COMPARED_CUTS:
        codes = np.searchsorted(cuts, values, side="left").astype(np.int32)
        codes[np.isnan(values)] = -1
        return codes
    values = np.ascontiguousarray(values, dtype=np.float64)
    n_below: NDArray[np.int8] = np.negative(np.isnan(values), dtype=np.int8)
    for cut in cuts:
        n_below += (values > cut).view(np.int8)
    return n_below.astype(np.int32)


def _midpoints(
    values: NDArray[np.float64], lows: NDArray[np.float64] | None, codes: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the midpoints to the next values, or a value itself if no float lies between or one is infinite."""
    low, high = values[codes], (values if lows is None else lows)[codes + 1]
    with np.errstate(over="ignore", invalid="ignore"):
        middle = (low + high) / 2
    return np.where((low <= middle) & (middle < high), middle, low)


# --- the search ---------------------------------------------------------------------------------------------------


def _accepted_cuts(
    cells: Cells, n_log_n: _NLogN, accepts: AcceptsCut, among: Literal["rows", "values"]
) -> NDArray[np.intp]:
    """Return the last code below each accepted cut, searching both sides of each in turn."""
    pending, ends = [(cells, cells.class_weights(), -1)], []
    while pending:
        part, counts, below = pending.pop()
        if np.count_nonzero(counts) < 2 or counts.sum() < _MIN_WEIGHT:
            continue
        stop = _best_cut(part, counts, n_log_n)
        left, right = part.part(0, stop), part.part(stop, len(part.values))
        low, high = left.class_weights(), right.class_weights()
        n_cuts = float(counts.sum() if among == "rows" else part.values[-1] - below) - 1  # all codes have rows
        if stop and accepts(counts, low, high, n_cuts):
            ends.append(part.values[stop - 1])
            pending += [(left, low, below), (right, high, int(part.values[stop - 1]))]
    return np.sort(np.array(ends, dtype=np.intp))


def _best_cut(cells: Cells, counts: NDArray[Any], n_log_n: _NLogN) -> int:
    """Return the number of cells below the cut of least class entropy, the first of ties; 0 if there is none."""
    ends = np.flatnonzero(np.diff(cells.values))
    if len(ends) == 0:
        return 0
    left, weights = cells.running_weights(), cells.weights
    right = counts[cells.labels] - left
    steps = n_log_n(left) - n_log_n(left - weights) + n_log_n(right) - n_log_n(right + weights)
    n, n_left = counts.sum(), np.cumsum(weights)[ends]
    bits = n_log_n(n_left) + n_log_n(n - n_left) - np.cumsum(steps)[ends]
    return int(ends[np.argmax(bits <= bits.min() + _TIE_TOLERANCE * n_log_n(n))]) + 1


# --- numbers ------------------------------------------------------------------------------------------------------


def _as_integers(weights: NDArray[np.float64] | None) -> NDArray[Any] | None:
    """Return integral weights as integers, so that a weight of 2 equals the row twice to the last bit."""
    if weights is None or weights.sum() > _MAX_TABLED_WEIGHT or (weights != np.floor(weights)).any():
        return weights
    return weights.astype(np.int64)


def _make_n_log_n(n_rows: int, weights: NDArray[Any] | None) -> _NLogN:
    """Return the function n log2 n, a table of it where all weights are integers."""
    if weights is not None and weights.dtype.kind == "f":
        return lambda n: xlogy(np.maximum(n, 0), np.maximum(n, 1e-300)) / _LN2
    n = np.arange((n_rows if weights is None else int(weights.sum())) + 1)
    table: NDArray[np.float64] = xlogy(n, n) / _LN2
    return table.__getitem__
