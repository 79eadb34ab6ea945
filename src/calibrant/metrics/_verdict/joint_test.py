"""Several tests of perfect calibration as one, with one error rate (Westfall & Young 1993)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant.metrics._verdict.cells import ECE_BINS, Cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["STATISTICS", "JointTest", "draw_residuals", "joint_test", "statistics"]

STATISTICS = ("intercept", "slope", "intercept and slope", "Spiegelhalter", "ECE", "cumulative residuals")
_N_DRAWS = 999
_LEAST_PVALUE = 1.0 / (1.0 + _N_DRAWS)
_MANY = 30.0  # of positives and negatives expected of a cell: its count is then drawn from the normal distribution


@dataclass(frozen=True, eq=False)
class JointTest:
    """The p-values of several tests of perfect calibration, and of all of them together.

    Parameters
    ----------
    pvalue : float
        The probability, under perfect calibration, that any of the tests has so small a p-value; the least possible
        one if a row of probability 0 is positive, or one of probability 1 negative.
    pvalue_of_draws : float
        The same, whatever the rows of probability 0 and 1.
    pvalues : dict of str to float
        The p-value of each test on its own.
    longest_run : float
        The standardized sum of residuals in a row that a fraction `1 - confidence` of calibrated samples exceed.
    critical : array of shape (n_statistics,)
        The values of the statistics at which the test rejects.
    """

    pvalue: float
    pvalue_of_draws: float
    pvalues: dict[str, float]
    longest_run: float
    critical: NDArray[np.float64]


def joint_test(cells: Cells, rng: np.random.Generator, confidence: float = 0.95) -> JointTest:
    """Test whether probabilities are perfectly calibrated.

    Samples of perfectly calibrated rows are drawn, and the least p-value of the tests is compared with that of the
    samples. The test is exact for independent rows, up to the grouping into cells.
    """
    if not cells.variance.any():
        chance = _LEAST_PVALUE if cells.is_impossible else 1.0
        return JointTest(chance, 1.0, {}, np.inf, np.full(len(STATISTICS), np.inf))
    possible = np.where(cells.variance > 0.0, cells.residual, 0.0)  # no draw has others: `is_impossible` tests them
    drawn = np.vstack([possible, draw_residuals(cells, rng, _N_DRAWS)])
    values = statistics(cells, drawn)
    pvalues = _pvalues(values)
    least = pvalues.min(axis=1)
    chance = float(np.mean(least <= least[0]))
    level = float(np.quantile(least[1:], 1.0 - confidence, method="lower"))
    critical = np.quantile(values[1:], 1.0 - level, axis=0, method="higher")
    return JointTest(
        _LEAST_PVALUE if cells.is_impossible else chance,
        chance,
        dict(zip(STATISTICS, pvalues[0].tolist(), strict=True)),
        float(np.quantile(values[1:, -1], confidence, method="higher")),
        critical,
    )


def statistics(cells: Cells, residual: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the statistics of some samples of residuals, one a column, on scales that do not depend on the rows."""
    scale = np.sqrt(cells.variance.sum())
    intercept = residual.sum(axis=-1) / scale
    away = cells.log_odds - np.average(cells.log_odds, weights=cells.variance)
    slope = _standardized(residual, away, cells.variance)
    spiegelhalter = _standardized(residual, 1.0 - 2.0 * cells.proba, cells.variance)
    bins = np.add.reduceat(residual, np.flatnonzero(np.diff(cells.ece_bin, prepend=-1)), axis=-1)
    sums = np.cumsum(residual, axis=-1)
    longest = np.maximum(sums.max(axis=-1), 0.0) - np.minimum(sums.min(axis=-1), 0.0)
    return np.stack(
        [
            np.abs(intercept),
            np.abs(slope),
            intercept**2 + slope**2,
            np.abs(spiegelhalter),
            np.abs(bins).sum(axis=-1) / scale,
            longest / scale,
        ],
        axis=-1,
    )


def draw_residuals(cells: Cells, rng: np.random.Generator, n_draws: int) -> NDArray[np.float64]:
    """Draw the residuals of perfectly calibrated samples with the same probabilities.

    Classes are drawn from the probabilities. Where rows belong together or weights are sampling probabilities, the
    signs of the residuals of whole clusters are drawn instead, which keeps what is correlated in them (the wild
    bootstrap).
    """
    if cells.by_cluster is not None:
        return _draw_signs(cells, rng, n_draws)
    shape, p = (n_draws, len(cells.proba)), cells.proba
    is_whole = cells.weight == np.floor(cells.weight)
    is_normal = (cells.variance >= _MANY) | ~is_whole
    drawn = np.empty(shape)
    drawn[:, is_normal] = rng.standard_normal((n_draws, int(is_normal.sum()))) * np.sqrt(cells.variance[is_normal])
    few = ~is_normal
    counts = rng.binomial(cells.weight[few].astype(np.int64), p[few], (n_draws, int(few.sum())))
    drawn[:, few] = counts - cells.weight[few] * p[few]
    return drawn


def _draw_signs(cells: Cells, rng: np.random.Generator, n_draws: int) -> NDArray[np.float64]:
    residuals = cells.by_cluster
    assert residuals is not None
    n_clusters, n_cells = residuals.shape
    if n_clusters <= 2 * n_cells:
        return np.asarray(rng.choice([-1.0, 1.0], (n_draws, n_clusters)) @ residuals)
    # Many clusters: the sums are normal by the central limit theorem, with the same covariance.
    values, vectors = np.linalg.eigh((residuals.T @ residuals).toarray())
    return np.asarray(rng.standard_normal((n_draws, n_cells)) @ (vectors * np.sqrt(np.maximum(values, 0.0))).T)


def _standardized(
    residual: NDArray[np.float64], direction: NDArray[np.float64], variance: NDArray[np.float64]
) -> NDArray[np.float64]:
    scale = np.sqrt(variance @ direction**2)
    return np.asarray(residual @ direction / scale if scale > 0.0 else np.zeros(residual.shape[:-1]))


def _pvalues(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, for each value, the fraction of the values of its column that are at least as large."""
    n = len(values)
    ordered = np.sort(values, axis=0)
    below = [ordered[:, k].searchsorted(values[:, k] * (1.0 - 1e-12), side="left") for k in range(values.shape[1])]
    return np.asarray((n - np.stack(below, axis=1)) / n)
