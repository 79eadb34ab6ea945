"""Sums over the selected rows at every threshold, for profits and their intervals at any costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["SelectionTable", "selection_table"]


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
