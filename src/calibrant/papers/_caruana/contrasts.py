"""Differences between algorithms and maps: their mean over the problems, its interval, and two tests."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from calibrant.comparison import paired_t_test
from calibrant.papers._reproduction.table import Cell

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.papers._caruana.selection import Chosen

__all__ = ["Contrast", "ContrastResult", "contrast_cells"]

_CONFIDENCE = 0.95
_N_PUBLISHED = 7  # problems of the paper


@dataclass(frozen=True)
class Contrast:
    """A weighted sum of the values of algorithms behind maps.

    Parameters
    ----------
    name : str
        Its name.
    metric : str
        The metric.
    terms : tuple of (weight, algorithm, map)
        What is summed.
    """

    name: str
    metric: str
    terms: tuple[tuple[float, str, str], ...]

    def values(self, chosen: Chosen) -> NDArray[np.float64]:
        """Return its values, of shape (n_samples, n_problems)."""
        return np.asarray(sum(weight * chosen.by_sample(name, map_, self.metric) for weight, name, map_ in self.terms))

    def evaluate(self, chosen: Chosen) -> ContrastResult:
        """Return its mean, interval and tests."""
        return ContrastResult.of(self.values(chosen), chosen.shared)


@dataclass(frozen=True)
class ContrastResult:
    """The mean of a contrast over the problems.

    Parameters
    ----------
    mean : float
        The mean over samples and problems.
    low, high : float
        Its 95 % interval: on these problems, how it may vary with the rows that are drawn; with a single sample, how it
        may vary with the problems.
    p_rows : float
        Of the hypothesis that the mean on these problems is 0; NaN with a single sample.
    p_problems : float
        Of the hypothesis that the mean on all problems of which these are a sample is 0: the paired t-test.
    n_negative : int
        Number of problems where the contrast is negative.
    spread : float
        Its standard deviation over the problems.

    Examples
    --------
    >>> values = np.array([[-0.030, -0.010, -0.020], [-0.032, -0.012, -0.018]])
    >>> found = ContrastResult.of(values, np.zeros(3))
    >>> round(found.mean, 4), found.n_negative, found.p_rows < 0.001 < found.p_problems
    (-0.0203, 3, True)
    """

    mean: float
    low: float
    high: float
    p_rows: float
    p_problems: float
    n_negative: int
    spread: float

    @classmethod
    def of(cls, values: NDArray[np.float64], shared: NDArray[np.float64]) -> ContrastResult:
        """Return the result of values of shape (n_samples, n_problems).

        The samples of a problem share rows: with a correlation of ``shared`` the variance of their mean is
        ``(1/k + shared / (1 - shared)) s^2``, as Nadeau & Bengio (2003) correct that of resampled trials.
        """
        n_samples, n_problems = values.shape
        by_problem = values.mean(axis=0)
        low = high = p_rows = p_problems = math.nan
        if n_problems > 1:
            test = paired_t_test(by_problem, np.zeros(n_problems))
            low, high, p_problems = test.low, test.high, test.pvalue
        if n_samples > 1:
            parts = (1 / n_samples + shared / (1 - shared)) * values.var(axis=0, ddof=1) / n_problems**2
            low, high, p_rows = _t_interval(float(by_problem.mean()), parts, n_samples - 1)
        return cls(
            float(by_problem.mean()),
            low,
            high,
            p_rows,
            float(p_problems),
            int(np.count_nonzero(by_problem < 0)),
            float(by_problem.std(ddof=1)) if n_problems > 1 else math.nan,
        )

    def published_error(self, n_problems: int) -> float:
        """Return the standard deviation of the difference to a mean over the paper's problems.

        Its seven and ours are taken as two samples of problems, although they have ours in common.
        """
        return self.spread * math.sqrt(1 / n_problems + 1 / _N_PUBLISHED)


def _t_interval(mean: float, parts: NDArray[np.float64], df: int) -> tuple[float, float, float]:
    """Return the interval and the p-value of a sum of independent parts with these variances (Satterthwaite)."""
    variance = float(parts.sum())
    if variance == 0.0:
        return mean, mean, 1.0 if mean == 0.0 else 0.0
    degrees = variance**2 / float((parts**2 / df).sum())
    half = math.sqrt(variance) * float(stats.t.ppf((1 + _CONFIDENCE) / 2, degrees))
    p_value = 2 * float(stats.t.sf(abs(mean) / math.sqrt(variance), degrees))
    return mean - half, mean + half, p_value


def contrast_cells(result: ContrastResult, row: str, block: str) -> Iterator[Cell]:
    """Yield the figures of a contrast as cells of a table."""
    yield Cell(row, "difference", result.mean, block=block, low=result.low, high=result.high)
    yield Cell(row, "p (rows)", result.p_rows, block=block)
    yield Cell(row, "p (problems)", result.p_problems, block=block)
    yield Cell(row, "problems below 0", result.n_negative, block=block)
