"""The steps of a table that a report stores where it holds no rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from calibrant.report._analyser.selection_table import SelectionTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["private_cuts", "stored_cuts"]

_DIGITS = 4  # significant ones of thresholds that describe no single row


def stored_cuts(table: SelectionTable, most: int, best: int) -> SelectionTable:
    """Return a table at most so many steps, evenly spread over the rows, with the best step, the first and the last.

    Examples
    --------
    >>> from calibrant.report._analyser.selection_table import selection_table
    >>> table = selection_table(np.arange(100.0), np.arange(100) > 50)
    >>> stored_cuts(table, 5, best=10).threshold
    array([inf, 90., 66., 33.,  0.])
    """
    return table.only(_spread(table, most, best))


def private_cuts(table: SelectionTable, most: int, fewest: int) -> SelectionTable:
    """Return a table of steps with at least so many rows between them, and thresholds that are no row's own.

    Where parts differ by row, that many positive rows stand between them, and negative ones too where theirs differ;
    where rows have weights, that many of both.
    """
    keep = [0]
    last = len(table.threshold) - 1
    counts = table.n_positive + table.n_negative
    columns = [counts] if table.parts is None else [counts, table.n_positive]
    if table.parts is not None and table.parts[3:].any():
        columns.append(table.n_negative)
    if table.has_weights:
        columns = [table.n_positive, table.n_negative]
    for step in _spread(table, most, 0).tolist():
        is_apart = all(column[step] - column[keep[-1]] >= fewest for column in columns)
        if is_apart and all(column[last] - column[step] >= fewest for column in columns):
            keep.append(step)
    steps = np.array([*keep, last])
    return replace(table.only(steps), threshold=_rounded_thresholds(table.threshold, steps))


def _spread(table: SelectionTable, most: int, best: int) -> NDArray[np.intp]:
    counts = table.n_positive + table.n_negative
    if len(counts) <= most:
        return np.arange(len(counts))
    wanted = np.searchsorted(counts, np.linspace(0, counts[-1], most - 1))
    return np.unique(np.append(wanted, best))


def _rounded_thresholds(threshold: NDArray[np.float64], steps: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the middle between the last row selected and the first one that is not, rounded; 0 or less last."""
    after = np.minimum(steps + 1, len(threshold) - 1)
    middle = (threshold[steps] + threshold[after]) / 2.0
    return np.concatenate([[np.inf], _floor(middle[1:-1], _DIGITS), _floor(np.minimum(middle[-1:], 0.0), 1)])


def _floor(values: NDArray[np.float64], digits: int) -> NDArray[np.float64]:
    """Return numbers rounded down to so many significant digits."""
    scale = 10.0 ** (digits - 1 - np.floor(np.log10(np.where(values == 0.0, 1.0, np.abs(values)))))
    return np.asarray(np.floor(values * scale) / scale)
