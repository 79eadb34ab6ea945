"""Sums over the selected rows at every threshold, for profits at any costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class SelectionTable:
    """Sums over the selected rows, from no row to all rows; tied rows are one step.

    Parameters
    ----------
    threshold : array of shape (n_steps,)
        Rows with at least this score are selected; infinity for none.
    tp, fp : array of shape (n_steps,)
        The weight of the positive and of the negative ones.
    n_positive, n_negative : array of shape (n_steps,)
        Their number.
    parts : array of shape (6, n_steps) or None
        Sums of the first three powers of the parts by row, of positive and of negative rows.
    """

    threshold: NDArray[np.float64]
    tp: NDArray[np.float64]
    fp: NDArray[np.float64]
    n_positive: NDArray[np.intp]
    n_negative: NDArray[np.intp]
    parts: NDArray[np.float64] | None = None

    @property
    def has_weights(self) -> bool:
        """Whether rows count for more or less than one."""
        return not (np.array_equal(self.tp, self.n_positive) and np.array_equal(self.fp, self.n_negative))

    def profits(self, cells: Mapping[str, float]) -> NDArray[np.float64]:
        """Return the total profit at every step."""
        fn, tn = self.tp[-1] - self.tp, self.fp[-1] - self.fp
        by_row = 0.0 if self.parts is None else self.parts[0] + self.parts[3]
        return np.asarray(cells["tp"] * self.tp + cells["fp"] * self.fp + cells["fn"] * fn + cells["tn"] * tn + by_row)

    def only(self, steps: NDArray[np.intp]) -> SelectionTable:
        """Return the table at some of its steps."""
        parts = None if self.parts is None else self.parts[:, steps]
        threshold, tp, fp = (column[steps] for column in (self.threshold, self.tp, self.fp))
        return SelectionTable(threshold, tp, fp, self.n_positive[steps], self.n_negative[steps], parts)


def selection_table(
    score: NDArray[np.float64],
    is_positive: NDArray[np.bool_],
    weight: NDArray[np.float64] | None = None,
    part: NDArray[np.float64] | None = None,
) -> SelectionTable:
    """Sum over the rows in descending order of their score.

    Examples
    --------
    >>> table = selection_table(np.array([0.2, 0.9, 0.4, 0.4]), np.array([False, True, True, False]))
    >>> table.threshold, table.tp
    (array([inf, 0.9, 0.4, 0.2]), array([0., 1., 2., 2.]))
    """
    order = np.argsort(-score, kind="stable")
    ranked = score[order]
    ends = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), len(ranked) - 1)
    positive = is_positive[order]
    weights = np.ones(len(score)) if weight is None else weight[order]

    def sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.append(0.0, np.cumsum(values)[ends])

    parts = None
    if part is not None:
        powers = [weights * part[order] ** power for power in (1, 2, 3)]
        parts = np.stack([sums(np.where(which, power, 0.0)) for which in (positive, ~positive) for power in powers])
    tp, fp = (sums(np.where(which, weights, 0.0)) for which in (positive, ~positive))
    n_positive, n_negative = (np.append(0, np.cumsum(which)[ends]) for which in (positive, ~positive))
    return SelectionTable(np.append(np.inf, ranked[ends]), tp, fp, n_positive, n_negative, parts)


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
    # The middle between the last row selected and the first one that is not, rounded; 0 or less last
    middle = (table.threshold[steps] + table.threshold[np.minimum(steps + 1, last)]) / 2.0
    inner, end = _floor(middle[1:-1], _DIGITS), _floor(np.minimum(middle[-1:], 0.0), 1)
    return replace(table.only(steps), threshold=np.concatenate([[np.inf], inner, end]))


def _spread(table: SelectionTable, most: int, best: int) -> NDArray[np.intp]:
    counts = table.n_positive + table.n_negative
    if len(counts) <= most:
        return np.arange(len(counts))
    wanted = np.searchsorted(counts, np.linspace(0, counts[-1], most - 1))
    return np.unique(np.append(wanted, best))


def _floor(values: NDArray[np.float64], digits: int) -> NDArray[np.float64]:
    """Return numbers rounded down to so many significant digits."""
    scale = 10.0 ** (digits - 1 - np.floor(np.log10(np.where(values == 0.0, 1.0, np.abs(values)))))
    return np.asarray(np.floor(values * scale) / scale)
