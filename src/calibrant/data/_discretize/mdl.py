"""Cut points of coded columns by class entropy: the recursive search of Fayyad & Irani (1993)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import xlogy

from calibrant.data._coding.cell_weights import Cells, count_cells
from calibrant.data._discretize.stopping_rules import CUT_RULES, CutRule, Pays

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._coding.coded_table import CodedTable

__all__ = ["interval_codes", "mdl_cuts"]

_NLogN = Callable[[Any], Any]

# Entropies closer than this share of the greatest are equal: summed in another order they would be.
_SLACK = 1e-12
# Two rows can be parted; weights that should add up to two may miss it by rounding.
_LEAST = 2 - 1e-9
_MOST_WHOLE = 2**24
# So many comparisons of all values are quicker than a search for each.
_FEW_CUTS = 40
_LN2 = float(np.log(2))


def mdl_cuts(
    table: CodedTable,
    labels: NDArray[np.integer[Any]],
    n_classes: int,
    weights: NDArray[np.float64] | None = None,
    rule: CutRule = "fayyad_irani",
    among: Literal["rows", "values"] = "rows",
) -> list[NDArray[np.float64]]:
    """Find the cut points of every column; none for a nominal one.

    Parameters
    ----------
    table : CodedTable
        The columns.
    labels : array of shape (n_rows,)
        The class of each row as a number below `n_classes`.
    n_classes : int
        Number of classes.
    weights : array of shape (n_rows,), optional
        How often each row counts; none is 0.
    rule : {"fayyad_irani", "kononenko"}
        When a cut pays.
    among : {"rows", "values"}
        From which other cuts one has to be told: those between any two rows, or those between different values alone,
        which takes fewer bits (Weka's "better encoding").

    Returns
    -------
    list of arrays
        The cut points of each column, ascending.

    Examples
    --------
    >>> from calibrant.data import CodedTable
    >>> table = CodedTable.from_frame([[float(i), "u"] for i in range(20)])
    >>> mdl_cuts(table, np.arange(20) // 10, 2)
    [array([9.5]), array([], dtype=float64)]
    """
    weights = _whole(weights)
    n_log_n = _make_n_log_n(table.n_rows, weights)
    cuts = []
    for column in range(table.n_columns):
        values, ends = table.values(column), np.empty(0, dtype=np.intp)
        if values is not None:
            cells = count_cells(table.codes(column), len(values), labels, n_classes, weights)
            ends = _last_codes(cells, n_log_n, CUT_RULES[rule], among)
        cuts.append(np.empty(0) if values is None else _between(values, ends))
    return cuts


def interval_codes(values: NDArray[np.floating[Any]], cuts: NDArray[np.float64]) -> NDArray[np.int32]:
    """Give the number of the interval of each value, -1 for NaN; a value at a cut lies below it.

    Examples
    --------
    >>> interval_codes(np.array([0.0, 1.5, 9.0, np.nan]), np.array([1.5, 2.5]))
    array([ 0,  0,  2, -1], dtype=int32)
    """
    if len(cuts) > _FEW_CUTS:
        codes = np.searchsorted(cuts, values, side="left").astype(np.int32)
        codes[np.isnan(values)] = -1
        return codes
    values = values.astype(np.float64, copy=False)
    codes = np.where(np.isnan(values), np.int32(-1), np.int32(0))
    for cut in cuts:
        codes += values > cut
    return codes


def _between(values: NDArray[np.float64], codes: NDArray[np.intp]) -> NDArray[np.float64]:
    """Give the points half-way to the next value; the value itself where no number lies between, or it is infinite."""
    low, high = values[codes], values[codes + 1]
    with np.errstate(over="ignore", invalid="ignore"):
        middle = (low + high) / 2
    return np.where((low <= middle) & (middle < high), middle, low)


# --- the search ---------------------------------------------------------------------------------------------------


def _last_codes(cells: Cells, n_log_n: _NLogN, pays: Pays, among: Literal["rows", "values"]) -> NDArray[np.intp]:
    """Give the last code below each cut that pays, searched in the whole and then in the parts of each cut."""
    parts, ends = [(cells, cells.class_weights(), -1)], []
    while parts:
        part, counts, below = parts.pop()
        if np.count_nonzero(counts) < 2 or counts.sum() < _LEAST:
            continue
        stop = _best_stop(part, counts, n_log_n)
        left, right = part.part(0, stop), part.part(stop, len(part.values))
        low, high = left.class_weights(), right.class_weights()
        n_cuts = float(counts.sum() if among == "rows" else part.values[-1] - below) - 1  # every code has rows
        if stop and pays(counts, low, high, n_cuts):
            ends.append(part.values[stop - 1])
            parts += [(left, low, below), (right, high, int(part.values[stop - 1]))]
    return np.sort(np.array(ends, dtype=np.intp))


def _best_stop(cells: Cells, counts: NDArray[Any], n_log_n: _NLogN) -> int:
    """Count the cells below the cut that leaves the least class entropy; the first of equals, 0 where there is none."""
    ends = np.flatnonzero(np.diff(cells.values))
    if len(ends) == 0:
        return 0
    left, weights = cells.running_weights(), cells.weights
    right = counts[cells.labels] - left
    steps = n_log_n(left) - n_log_n(left - weights) + n_log_n(right) - n_log_n(right + weights)
    n, n_left = counts.sum(), np.cumsum(weights)[ends]
    bits = n_log_n(n_left) + n_log_n(n - n_left) - np.cumsum(steps)[ends]
    return int(ends[np.argmax(bits <= bits.min() + _SLACK * n_log_n(n))]) + 1


# --- numbers ------------------------------------------------------------------------------------------------------


def _whole(weights: NDArray[np.float64] | None) -> NDArray[Any] | None:
    """Give whole weights as integers: their entropies are looked up, and a weight of 2 is the row twice to the bit."""
    if weights is None or weights.sum() > _MOST_WHOLE or (weights != np.floor(weights)).any():
        return weights
    return weights.astype(np.int64)


def _make_n_log_n(n_rows: int, weights: NDArray[Any] | None) -> _NLogN:
    """Make the function n log2 n: a table where all weights are whole."""
    if weights is not None and weights.dtype.kind == "f":
        return lambda n: xlogy(np.maximum(n, 0), np.maximum(n, 1e-300)) / _LN2
    n = np.arange((n_rows if weights is None else int(weights.sum())) + 1)
    table: NDArray[np.float64] = xlogy(n, n) / _LN2
    return table.__getitem__
