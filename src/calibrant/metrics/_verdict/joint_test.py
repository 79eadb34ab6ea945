"""Several tests of perfect calibration as one, with one error rate (Westfall & Young 1993)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant.metrics._calibration.perfect_samples import draw_residuals
from calibrant.metrics._calibration.probability_cells import ProbabilityCells

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["N_DRAWS", "STATISTICS", "JointTest", "critical_values", "joint_test", "joint_tests", "statistics"]

STATISTICS = (
    "intercept",
    "slope",
    "intercept and slope",
    "Spiegelhalter",
    "ECE",
    "scan of ranges",
    "cumulative residuals",
)
N_DRAWS = 999
_FAR = 10.0  # keeps the statistic of ranges, which is negative where no residual is large, above 0


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
    return joint_tests([cells], [draw_residuals(cells, rng, N_DRAWS)], confidence)[0]


def joint_tests(
    parts: Sequence[ProbabilityCells], drawn: Sequence[NDArray[np.float64]], confidence: float = 0.95
) -> list[JointTest]:
    """Test several parts, such as the classes, given residuals of the same calibrated samples for each.

    The p-value of a part is adjusted for all of them: the fraction of samples in which any test of any part has so
    small a p-value.
    """
    values = [_values(cells, residuals) for cells, residuals in zip(parts, drawn, strict=True)]
    together = np.hstack(values)
    pvalues = _pvalues(together)
    least, critical = pvalues.min(axis=1), critical_values(together[1:], confidence)
    found = []
    for number, (cells, own) in enumerate(zip(parts, values, strict=True)):
        columns = slice(number * len(STATISTICS), (number + 1) * len(STATISTICS))
        alone = pvalues[0, columns]
        chance = float(np.mean(least <= alone.min()))
        found.append(
            JointTest(
                1.0 / len(least) if cells.is_impossible else chance,
                chance,
                dict(zip(STATISTICS, alone.tolist(), strict=True)) if cells.variance.any() else {},
                float(np.quantile(own[1:, -1], confidence, method="higher")),
                own[0],
                critical[columns],
            )
        )
    return found


def _values(cells: ProbabilityCells, drawn: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the statistics of the rows, then those of the samples; all 0 where every probability is 0 or 1."""
    if not cells.variance.any():
        return np.zeros((len(drawn) + 1, len(STATISTICS)))
    possible = np.where(cells.variance > 0.0, cells.residual, 0.0)  # no draw has others: `is_impossible` tests them
    return statistics(cells, np.vstack([possible, drawn]))


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
    sums = np.zeros((*residual.shape[:-1], residual.shape[-1] + 1))
    np.cumsum(residual, axis=-1, out=sums[..., 1:])
    longest = sums.max(axis=-1) - sums.min(axis=-1)
    return np.stack(
        [
            np.abs(intercept),
            np.abs(slope),
            intercept**2 + slope**2,
            np.abs(spiegelhalter),
            np.abs(bins).sum(axis=-1) / scale,
            _scan(cells, sums),
            longest / scale,
        ],
        axis=-1,
    )


def _scan(cells: ProbabilityCells, sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the largest standardized residual of the ranges that halve the rows again and again, less a penalty.

    It finds an error of few rows, which sums over all others hide. Narrower ranges are more numerous, which the penalty
    of multiscale tests accounts for (Dümbgen & Spokoiny 2001).
    """
    begin, end = cells.scanned_ranges
    variances = np.append(0.0, np.cumsum(cells.variance))
    variance = variances[end] - variances[begin]
    penalty = np.sqrt(2.0 * np.log(np.e * variances[-1] / variance))
    found = np.abs(sums[..., end] - sums[..., begin]) / np.sqrt(variance) - penalty
    return np.asarray(np.maximum(found.max(axis=-1, initial=-_FAR), -_FAR) + _FAR)


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
