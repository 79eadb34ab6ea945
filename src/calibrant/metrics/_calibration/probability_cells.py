"""Rows in cells of nearly equal probability, as observed or as drawn from the probabilities (Bröcker & Smith 2007)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import logit

from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
from calibrant.metrics._validation.predictions import BinaryRows, Predictions

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
    def signs(self) -> SignDraws | None:
        """The draws of residuals of whole clusters, None where rows are independent; what they share is made once."""
        return None if self.by_cluster is None else SignDraws(self.by_cluster)

    @cached_property
    def bin_starts(self) -> NDArray[np.intp]:
        """The first cell of each bin of equal width that has rows."""
        return np.flatnonzero(np.diff(width_bins(self.low, ECE_BINS), prepend=-1))

    @cached_property
    def scanned_ranges(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The first cell and the end of ranges that hold a half, a quarter … of the variance, each half overlapped."""
        ends = np.cumsum(self.variance)
        pairs = []
        for level in range(1, _SCANNED_LEVELS + 1):
            parts = np.arange(2 ** (level + 1) + 1) / 2.0 ** (level + 1) * ends[-1]
            # The factor keeps a boundary that falls on a cell's end from moving by a rounding error of the running sum.
            places = ends.searchsorted(parts[1:-1] * (1.0 + 1e-12))
            places = np.concatenate([[0], places, [len(ends)]])
            pairs.append(np.stack([places[:-2], places[2:]]))
        # Levels share ranges where cells are coarse: each is tested once.
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
        # Only certain probabilities can be refuted by a single row.
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
    return plan.once("cells", lambda: group_rows(plan.predictions.calibration_rows(), plan.clusters())[0])


def group_rows(
    rows: BinaryRows, clusters: NDArray[np.intp] | None = None, most_cells: int = _MOST_CELLS
) -> tuple[ProbabilityCells, NDArray[np.intp]]:
    """Group some rows, and return the cells and the cell of each row."""
    # Stable: rows of equal probability keep their order, so sums have the same bits whatever sorted them.
    order = np.argsort(rows.proba, kind="stable")
    proba, positive = rows.proba[order], rows.positive[order]
    weight = None if rows.weight is None else rows.weight[order]
    start = _starts(proba, weight, most_cells)
    ones = np.diff(np.append(start, len(proba))).astype(np.float64)
    of_cell = ones if weight is None else np.add.reduceat(weight, start)
    expected = np.add.reduceat(proba if weight is None else proba * weight, start)
    found = np.add.reduceat(positive.astype(np.float64) if weight is None else positive * weight, start)
    low, high = proba[start], proba[np.append(start[1:], len(proba)) - 1]
    # Rounding may carry a mean of equal numbers outside of them.
    mean = np.clip(expected / of_cell, low, high)
    # From the same mean as the variance, so that a cell of one probability has no residual by rounding.
    residual = np.where(low == high, found - of_cell * mean, found - expected)
    cell = np.repeat(np.arange(len(start)), ones.astype(np.intp))
    by_cluster = None
    if clusters is not None:
        each = (positive - proba) * (1.0 if weight is None else weight)
        by_cluster = csr_array((each, (clusters[order], cell)), shape=(int(clusters.max()) + 1, len(start)))
        # Clusters have several rows in a cell: one entry each, or products would count pairs of rows twice.
        by_cluster.sum_duplicates()
    copies = of_cell
    if weight is not None and (weight != np.floor(weight)).any():
        # Rows that have the variance of each cell: a weight of 2.5 is two rows and half a row.
        copies = np.add.reduceat(np.floor(weight) + (weight - np.floor(weight)) ** 2, start)
    variance = copies * mean * (1.0 - mean)
    # Back to the order of the rows: callers pair cells with other columns.
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
    # Edges as k / n, not k times a step: 0.3 is exactly the edge that a reader computes.
    return np.searchsorted(np.arange(1, n_bins) / n_bins, proba, side="right")


def _starts(proba: NDArray[np.float64], weight: NDArray[np.float64] | None, most_cells: int) -> NDArray[np.intp]:
    """Return the first row of each cell of sorted probabilities; rows of equal probability stay together."""
    new = np.flatnonzero(np.append(True, proba[1:] != proba[:-1]))
    if len(new) <= most_cells:
        return new
    before = new if weight is None else np.append(0.0, np.cumsum(weight))[new]
    total = len(proba) if weight is None else weight.sum()
    # Blocks of equal weight, but cut as well at the bins' edges and around
    # certain probabilities, which mean something else.
    share = np.floor(before / total * most_cells)
    bins = width_bins(proba[new], ECE_BINS)
    is_certain = (proba[new] == 0.0) | (proba[new] == 1.0)
    steps = (np.diff(share) != 0) | (np.diff(bins) != 0) | (np.diff(is_certain) != 0)
    return np.asarray(new[np.append(True, steps)])


_MANY = 30.0  # the variance of the count of a cell from which on it is drawn from the normal distribution
_MOST_FACTORED = 1_200  # cells whose covariance is factored, in time cubic in their number
_MOST_SIGNS = 4_000_000  # drawn at once: 32 MB
_MANY_OF_BIN = 12.0  # the same of a bin: p-values of the expected calibration error then differ by less than 0.005


def draw_residuals(cells: ProbabilityCells, rng: np.random.Generator, n_draws: int) -> NDArray[np.float64]:
    """Draw the residuals of perfectly calibrated samples with the same probabilities.

    Classes are drawn from the probabilities. Where rows belong together or weights are sampling probabilities, the
    signs of the residuals of whole clusters are drawn instead, which keeps what is correlated in them (the wild
    bootstrap).
    """
    # Signs of whole clusters keep what rows share, of which no model is known (the wild bootstrap of Wu 1986).
    if cells.signs is not None:
        return cells.signs.draw(rng, n_draws)
    # A fractional weight has no binomial count; the normal law has its mean and its variance.
    is_normal = (cells.variance >= _MANY) | (cells.weight != np.floor(cells.weight))
    # A single row is drawn by one comparison, which is cheaper than a binomial of 1.
    is_single = ~is_normal & (cells.weight == 1.0)
    is_counted = ~is_normal & ~is_single
    drawn = np.empty((n_draws, len(cells.proba)))
    normal = rng.standard_normal((n_draws, int(is_normal.sum())))
    drawn[:, is_normal] = normal * np.sqrt(cells.variance[is_normal])
    p = cells.proba[is_single]
    drawn[:, is_single] = (rng.random((n_draws, len(p))) < p) - p
    weight, p = cells.weight[is_counted], cells.proba[is_counted]
    drawn[:, is_counted] = rng.binomial(weight.astype(np.int64), p, (n_draws, len(p))) - weight * p
    return drawn


def draw_class_counts(
    predictions: Predictions, cells: NDArray[np.intp], n_cells: int, rng: np.random.Generator, n_draws: int
) -> NDArray[np.float64]:
    """Draw the class of each row from its own probabilities, and count the rows of each cell.

    Parameters
    ----------
    predictions : Predictions
        Rows whose weights, if any, are frequencies; a fraction of a row is drawn as one.
    cells : array of shape (n_classes + 1, n_rows)
        The cell where a row counts if it is of a class; in the last line, where it counts in addition if it is of its
        predicted class. `n_cells` is that of rows that count nowhere.
    n_cells : int
        The number of cells.
    rng : numpy Generator
        The source of randomness.
    n_draws : int
        The number of samples.

    Returns
    -------
    array of shape (n_draws, n_cells)
        The counts.
    """
    # Single precision halves the memory of classes times rows; a class is drawn otherwise with a probability near 1e-7.
    ends = np.ascontiguousarray(np.cumsum(predictions.proba, axis=1).T, dtype=np.float32)
    # The last end is 1 whatever the rounding, so a number below 1 finds a class.
    ends /= ends[-1]
    own, of_predicted, predicted = cells[:-1].ravel(), cells[-1], predictions.predicted_class()
    rows, n_rows = np.arange(predictions.n_rows), predictions.n_rows
    # Whole copies draw classes of their own; what is left of a fractional weight is one more row that counts less.
    whole = np.floor(predictions.weight).astype(np.int64)
    left = None if predictions.weights is None else predictions.weights - whole
    chances = predictions.proba / predictions.proba.sum(axis=1, keepdims=True)
    drawn = np.zeros((n_draws, n_cells + 1))
    for counts in drawn:
        if left is not None:
            of_class = rng.multinomial(whole, chances)
            counts += np.bincount(own, of_class.T.ravel(), n_cells + 1)
            counts += np.bincount(of_predicted, of_class[rows, predicted], n_cells + 1)
        if left is None or left.any():
            number, label = rng.random(n_rows, dtype=np.float32), np.zeros(n_rows, dtype=np.intp)
            # One comparison an end and no search: a few passes over a line beat a lookup for each row.
            for end in ends[:-1]:
                label += number >= end
            right = label == predicted
            counts += np.bincount(own[label * n_rows + rows], left, n_cells + 1)
            counts += np.bincount(of_predicted[right], None if left is None else left[right], n_cells + 1)
    return drawn[:, :-1]


def draw_bin_residuals(cells: ProbabilityCells, rng: np.random.Generator, n_draws: int) -> NDArray[np.float64]:
    """Draw the residuals of perfectly calibrated samples in the bins of the expected calibration error.

    Bins of many rows are drawn from the normal distribution, so the time does not grow with the number of rows.
    """
    start = cells.bin_starts
    if cells.by_cluster is not None:
        return np.asarray(np.add.reduceat(draw_residuals(cells, rng, n_draws), start, axis=1))
    variance = np.add.reduceat(cells.variance, start)
    drawn = rng.standard_normal((n_draws, len(start))) * np.sqrt(variance)
    # Only bins of few rows are drawn cell by cell; for others the normal law differs by less than readers can see.
    few = variance < _MANY_OF_BIN
    if few.any():
        of_bin = np.repeat(np.arange(len(start)), np.diff(np.append(start, len(cells.proba))))
        part = cells.take(few[of_bin])
        drawn[:, few] = np.add.reduceat(draw_residuals(part, rng, n_draws), part.bin_starts, axis=1)
    return drawn


class SignDraws:
    """Sums over clusters, in rows, of residuals whose signs are drawn for whole clusters.

    Examples
    --------
    >>> drawn = SignDraws(csr_array([[1.0, 0.0], [2.0, 0.5]])).draw(np.random.default_rng(0), 3)
    >>> np.abs(drawn).tolist()
    [[3.0, 0.5], [1.0, 0.5], [3.0, 0.5]]
    """

    def __init__(self, residuals: csr_array) -> None:
        self._residuals = residuals

    def draw(self, rng: np.random.Generator, n_draws: int) -> NDArray[np.float64]:
        """Draw some samples."""
        n_clusters, n_cells = self._residuals.shape
        if n_clusters > 2 * n_cells and n_cells <= _MOST_FACTORED:
            return np.asarray(rng.standard_normal((n_draws, n_cells)) @ self._factor.T)
        drawn = np.empty((n_draws, n_cells))
        step = max(_MOST_SIGNS // n_clusters, 1)
        for begin in range(0, n_draws, step):
            part = drawn[begin : begin + step]
            part[:] = rng.choice([-1.0, 1.0], (len(part), n_clusters)) @ self._residuals
        return drawn

    @cached_property
    def _factor(self) -> NDArray[np.float64]:
        # Many clusters: the sums are normal by the central limit theorem, with the same covariance.
        # An eigendecomposition, not Cholesky's: cells without residuals make the covariance singular.
        values, vectors = np.linalg.eigh((self._residuals.T @ self._residuals).toarray())
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
