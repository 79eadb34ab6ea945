"""Several tests of perfect calibration as one, with one error rate (Westfall & Young 1993)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant.metrics._calibration.perfect_samples import draw_residuals
from calibrant.metrics._calibration.probability_cells import ProbabilityCells

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["STATISTICS", "JointTest", "critical_values", "joint_test", "statistics"]

STATISTICS = ("intercept", "slope", "intercept and slope", "Spiegelhalter", "ECE", "cumulative residuals")
_N_DRAWS = 999
_LEAST_PVALUE = 1.0 / (1.0 + _N_DRAWS)


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
    values, critical : array of shape (n_statistics,)
        The statistics, named in `STATISTICS`, and the values at which the test rejects.
    """

    pvalue: float
    pvalue_of_draws: float
    pvalues: dict[str, float]
    longest_run: float
    values: NDArray[np.float64]
    critical: NDArray[np.float64]


def joint_test(cells: ProbabilityCells, rng: np.random.Generator, confidence: float = 0.95) -> JointTest:
    """Test whether probabilities are perfectly calibrated.

    Samples of perfectly calibrated rows are drawn, and the least p-value of the tests is compared with that of the
    samples. The test is exact for independent rows, up to the grouping into cells.
    """
    if not cells.variance.any():
        chance = _LEAST_PVALUE if cells.is_impossible else 1.0
        none = np.zeros(len(STATISTICS))
        return JointTest(chance, 1.0, {}, np.inf, none, none + np.inf)
    possible = np.where(cells.variance > 0.0, cells.residual, 0.0)  # no draw has others: `is_impossible` tests them
    drawn = np.vstack([possible, draw_residuals(cells, rng, _N_DRAWS)])
    values = statistics(cells, drawn)
    pvalues = _pvalues(values)
    least = pvalues.min(axis=1)
    chance = float(np.mean(least <= least[0]))
    return JointTest(
        _LEAST_PVALUE if cells.is_impossible else chance,
        chance,
        dict(zip(STATISTICS, pvalues[0].tolist(), strict=True)),
        float(np.quantile(values[1:, -1], confidence, method="higher")),
        values[0],
        critical_values(values[1:], confidence),
    )


def critical_values(drawn: NDArray[np.float64], confidence: float) -> NDArray[np.float64]:
    """Return the values of the statistics that all tests together reject above, from those of calibrated samples."""
    level = float(np.quantile(_pvalues(drawn).min(axis=1), 1.0 - confidence, method="lower"))
    return np.asarray(np.quantile(drawn, 1.0 - level, axis=0, method="higher"))


def statistics(cells: ProbabilityCells, residual: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the statistics of some samples of residuals, one a column, on scales that do not depend on the rows."""
    scale = np.sqrt(cells.variance.sum())
    intercept = residual.sum(axis=-1) / scale
    away = cells.log_odds - np.average(cells.log_odds, weights=cells.variance)
    slope = _standardized(residual, away, cells.variance)
    spiegelhalter = _standardized(residual, 1.0 - 2.0 * cells.proba, cells.variance)
    bins = np.add.reduceat(residual, cells.bin_starts, axis=-1)
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
