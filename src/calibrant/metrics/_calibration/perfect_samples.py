"""Samples of perfectly calibrated rows: consistency resampling (Bröcker & Smith 2007), by cells of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.metrics._calibration.probability_cells import ProbabilityCells

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from calibrant.metrics._validation.predictions import Predictions

__all__ = ["draw_bin_residuals", "draw_class_counts", "draw_residuals", "draw_signs"]

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
    if cells.by_cluster is not None:
        return draw_signs(cells.by_cluster, rng, n_draws)
    is_normal = (cells.variance >= _MANY) | (cells.weight != np.floor(cells.weight))
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
    ends = np.ascontiguousarray(np.cumsum(predictions.proba, axis=1).T, dtype=np.float32)
    ends /= ends[-1]
    own, of_predicted, predicted = cells[:-1].ravel(), cells[-1], predictions.predicted_class()
    rows, n_rows = np.arange(predictions.n_rows), predictions.n_rows
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
            label = _draw_labels(ends, rng)
            right = label == predicted
            counts += np.bincount(own[label * n_rows + rows], left, n_cells + 1)
            counts += np.bincount(of_predicted[right], None if left is None else left[right], n_cells + 1)
    return drawn[:, :-1]


def _draw_labels(ends: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw a class for each row, given the running sums of its probabilities."""
    number = rng.random(ends.shape[1], dtype=np.float32)
    label = np.zeros(ends.shape[1], dtype=np.intp)
    for end in ends[:-1]:
        label += number >= end
    return label


def draw_bin_residuals(cells: ProbabilityCells, rng: np.random.Generator, n_draws: int) -> NDArray[np.float64]:
    """Draw the residuals of perfectly calibrated samples in the bins of the expected calibration error.

    Bins of many rows are drawn from the normal distribution, so the time does not grow with the number of rows.
    """
    start = cells.bin_starts
    if cells.by_cluster is not None:
        return np.asarray(np.add.reduceat(draw_residuals(cells, rng, n_draws), start, axis=1))
    variance = np.add.reduceat(cells.variance, start)
    drawn = rng.standard_normal((n_draws, len(start))) * np.sqrt(variance)
    few = variance < _MANY_OF_BIN
    if few.any():
        of_bin = np.repeat(np.arange(len(start)), np.diff(np.append(start, len(cells.proba))))
        part = cells.take(few[of_bin])
        drawn[:, few] = np.add.reduceat(draw_residuals(part, rng, n_draws), part.bin_starts, axis=1)
    return drawn


def draw_signs(residuals: csr_array, rng: np.random.Generator, n_draws: int) -> NDArray[np.float64]:
    """Draw sums over clusters, in rows, of residuals whose signs are drawn for whole clusters."""
    n_clusters, n_cells = residuals.shape
    if n_clusters <= 2 * n_cells or n_cells > _MOST_FACTORED:
        drawn = np.empty((n_draws, n_cells))
        step = max(_MOST_SIGNS // n_clusters, 1)
        for begin in range(0, n_draws, step):
            part = drawn[begin : begin + step]
            part[:] = rng.choice([-1.0, 1.0], (len(part), n_clusters)) @ residuals
        return drawn
    # Many clusters: the sums are normal by the central limit theorem, with the same covariance.
    values, vectors = np.linalg.eigh((residuals.T @ residuals).toarray())
    return np.asarray(rng.standard_normal((n_draws, n_cells)) @ (vectors * np.sqrt(np.maximum(values, 0.0))).T)
