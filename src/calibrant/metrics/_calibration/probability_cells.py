"""Rows grouped into cells of nearly equal probability, from which the verdict on calibration is computed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array
from scipy.special import logit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
    from calibrant.metrics._validation.predictions import BinaryRows

__all__ = ["ECE_BINS", "ProbabilityCells", "cells_of", "group_rows", "width_bins"]

ECE_BINS = 15  # of equal width, as in `ece`; no cell crosses their edges
_MOST_CELLS = 1_000  # each then holds 0.1 % of the rows; tests draw a number for each cell a thousand times
_SCANNED_LEVELS = 7  # the narrowest range that is scanned holds 1/128 of the variance
_LEAST_SCANNED = 2.0  # variance of such a range: fewer rows are drawn too coarsely to show anything
_LEAST = 1e-12  # keeps the log-odds of 0 and 1 finite


@dataclass(frozen=True, eq=False)
class ProbabilityCells:
    """Cells of rows with nearly equal probabilities, in increasing order.

    Parameters
    ----------
    weight : array of shape (n_cells,)
        The weight of the rows of each cell.
    proba : array of shape (n_cells,)
        Their mean probability.
    residual : array of shape (n_cells,)
        The weight of their positives less the expected one.
    low, high : array of shape (n_cells,)
        Their least and largest probability.
    variance : array of shape (n_cells,)
        The variance of the residual if the probabilities are perfectly calibrated and the rows independent.
    by_cluster : sparse array of shape (n_clusters, n_cells) or None
        The residual of each cluster in each cell; None where rows are independent and weights are frequencies.
    """

    weight: NDArray[np.float64]
    proba: NDArray[np.float64]
    residual: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    variance: NDArray[np.float64]
    by_cluster: csr_array | None = None

    @cached_property
    def log_odds(self) -> NDArray[np.float64]:
        """The log-odds of the mean probability of each cell."""
        return np.asarray(logit(np.clip(self.proba, _LEAST, 1.0 - _LEAST)))

    @cached_property
    def ece_bin(self) -> NDArray[np.intp]:
        """The bin of equal width that each cell lies in."""
        return width_bins(self.low, ECE_BINS)

    @cached_property
    def bin_starts(self) -> NDArray[np.intp]:
        """The first cell of each bin that has rows."""
        return np.flatnonzero(np.diff(self.ece_bin, prepend=-1))

    @cached_property
    def scanned_ranges(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The first cell and the end of ranges that hold a half, a quarter … of the variance, each half overlapped."""
        ends = np.cumsum(self.variance)
        pairs = []
        for level in range(1, _SCANNED_LEVELS + 1):
            parts = np.arange(2 ** (level + 1) + 1) / 2.0 ** (level + 1) * ends[-1]
            places = ends.searchsorted(parts[1:-1] * (1.0 + 1e-12))
            places = np.concatenate([[0], places, [len(ends)]])
            pairs.append(np.stack([places[:-2], places[2:]]))
        begin, end = np.unique(np.concatenate(pairs, axis=1), axis=1)
        variance = np.append(0.0, ends)[end] - np.append(0.0, ends)[begin]
        is_enough = variance >= _LEAST_SCANNED
        return begin[is_enough], end[is_enough]

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(self.weight.sum())

    @property
    def is_impossible(self) -> bool:
        """Whether a row of probability 0 is positive, or one of probability 1 negative."""
        certain = (self.high == 0.0) | (self.low == 1.0)
        return bool((self.residual[certain] != 0.0).any())

    def take(self, which: NDArray[np.bool_]) -> ProbabilityCells:
        """Return some of the cells, of independent rows."""
        columns = (self.weight, self.proba, self.residual, self.low, self.high, self.variance)
        return ProbabilityCells(*(column[which] for column in columns))


def cells_of(plan: BootstrapPlan) -> ProbabilityCells:
    """Group the rows of a plan.

    Examples
    --------
    >>> from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> cells = cells_of(BootstrapPlan(read_predictions([0, 1, 1, 0], [0.2, 0.7, 0.7, 0.7])))
    >>> cells.proba, cells.residual.round(3)
    (array([0.2, 0.7]), array([-0.2, -0.1]))
    """
    return plan.once("cells", lambda: _cells_of(plan))


def _cells_of(plan: BootstrapPlan) -> ProbabilityCells:
    return group_rows(plan.predictions.calibration_rows(), plan.clusters())[0]


def group_rows(
    rows: BinaryRows, clusters: NDArray[np.intp] | None = None, most_cells: int = _MOST_CELLS
) -> tuple[ProbabilityCells, NDArray[np.intp]]:
    """Group some rows, and return the cells and the cell of each row."""
    order = np.argsort(rows.proba, kind="stable")
    proba, positive = rows.proba[order], rows.positive[order]
    weight = None if rows.weight is None else rows.weight[order]
    start = _starts(proba, weight, most_cells)
    ones = np.diff(np.append(start, len(proba))).astype(np.float64)
    of_cell = ones if weight is None else np.add.reduceat(weight, start)
    expected = np.add.reduceat(proba if weight is None else proba * weight, start)
    found = np.add.reduceat(positive.astype(np.float64) if weight is None else positive * weight, start)
    low, high = proba[start], proba[np.append(start[1:], len(proba)) - 1]
    mean = np.clip(expected / of_cell, low, high)
    residual = np.where(low == high, found - of_cell * mean, found - expected)
    cell = np.repeat(np.arange(len(start)), ones.astype(np.intp))
    by_cluster = None
    if clusters is not None:
        each = (positive - proba) * (1.0 if weight is None else weight)
        by_cluster = csr_array((each, (clusters[order], cell)), shape=(int(clusters.max()) + 1, len(start)))
        by_cluster.sum_duplicates()
    variance = _copies(of_cell, weight, start) * mean * (1.0 - mean)
    of_row = np.empty_like(cell)
    of_row[order] = cell
    return ProbabilityCells(of_cell, mean, residual, low, high, variance, by_cluster), of_row


def width_bins(proba: NDArray[np.float64], n_bins: int) -> NDArray[np.intp]:
    """Return the bin of equal width of each probability; one on an edge belongs to the upper bin.

    Examples
    --------
    >>> width_bins(np.array([0.0, 0.2, 0.6, 1.0]), 5)
    array([0, 1, 3, 4])
    """
    return np.searchsorted(np.arange(1, n_bins) / n_bins, proba, side="right")


def _starts(proba: NDArray[np.float64], weight: NDArray[np.float64] | None, most_cells: int) -> NDArray[np.intp]:
    """Return the first row of each cell of sorted probabilities; rows of equal probability stay together."""
    new = np.flatnonzero(np.append(True, proba[1:] != proba[:-1]))
    if len(new) <= most_cells:
        return new
    before = new if weight is None else np.append(0.0, np.cumsum(weight))[new]
    total = len(proba) if weight is None else weight.sum()
    share = np.floor(before / total * most_cells)
    bins = width_bins(proba[new], ECE_BINS)
    is_certain = (proba[new] == 0.0) | (proba[new] == 1.0)
    steps = (np.diff(share) != 0) | (np.diff(bins) != 0) | (np.diff(is_certain) != 0)
    return np.asarray(new[np.append(True, steps)])


def _copies(
    of_cell: NDArray[np.float64], weight: NDArray[np.float64] | None, start: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the number of rows that have the variance of each cell: a weight of 2.5 is two rows and half a row."""
    if weight is None or (weight == np.floor(weight)).all():
        return of_cell
    whole = np.floor(weight)
    return np.asarray(np.add.reduceat(whole + (weight - whole) ** 2, start))
