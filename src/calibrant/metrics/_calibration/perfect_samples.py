"""Samples of perfectly calibrated rows: consistency resampling (Bröcker & Smith 2007), by cells of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.metrics._calibration.probability_cells import ProbabilityCells

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

__all__ = ["draw_bin_residuals", "draw_residuals"]

_MANY = 30.0  # the variance of the count of a cell from which on it is drawn from the normal distribution
_MANY_OF_BIN = 12.0  # the same of a bin: p-values of the expected calibration error then differ by less than 0.005


def draw_residuals(cells: ProbabilityCells, rng: np.random.Generator, n_draws: int) -> NDArray[np.float64]:
    """Draw the residuals of perfectly calibrated samples with the same probabilities.

    Classes are drawn from the probabilities. Where rows belong together or weights are sampling probabilities, the
    signs of the residuals of whole clusters are drawn instead, which keeps what is correlated in them (the wild
    bootstrap).
    """
    if cells.by_cluster is not None:
        return _draw_signs(cells.by_cluster, rng, n_draws)
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


def _draw_signs(residuals: csr_array, rng: np.random.Generator, n_draws: int) -> NDArray[np.float64]:
    n_clusters, n_cells = residuals.shape
    if n_clusters <= 2 * n_cells:
        return np.asarray(rng.choice([-1.0, 1.0], (n_draws, n_clusters)) @ residuals)
    # Many clusters: the sums are normal by the central limit theorem, with the same covariance.
    values, vectors = np.linalg.eigh((residuals.T @ residuals).toarray())
    return np.asarray(rng.standard_normal((n_draws, n_cells)) @ (vectors * np.sqrt(np.maximum(values, 0.0))).T)
