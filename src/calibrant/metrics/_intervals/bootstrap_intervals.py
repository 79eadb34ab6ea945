"""Bootstrap intervals: percentiles, plain or corrected for bias and skewness (BCa; Efron 1987)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri

from calibrant.metrics._intervals.proportions import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["bca_interval", "percentile_interval"]

_MOST_MISSING = 0.5  # with more replicates undefined, an interval would describe a minority of the samples


def percentile_interval(drawn: NDArray[np.float64], confidence: float) -> Interval:
    """Return the percentiles of replicates that leave equal tails.

    Examples
    --------
    >>> percentile_interval(np.arange(1.0, 100.0), 0.5)
    Interval(low=25.0, high=75.0)
    """
    tail = (1.0 - confidence) / 2.0
    return _percentiles(drawn, tail, 1.0 - tail)


def bca_interval(
    value: float, drawn: NDArray[np.float64], left_out: NDArray[np.float64] | None, confidence: float
) -> Interval:
    """Return percentiles corrected for bias and, given values with blocks of rows left out, for skewness.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> bca_interval(0.0, rng.normal(size=9999), np.array([-1.0, 0.0, 1.0]), 0.95)
    Interval(low=-1.9..., high=1.9...)
    """
    finite = drawn[~np.isnan(drawn)]
    if not len(finite) or math.isnan(value):
        return Interval(math.nan, math.nan)
    below = (np.count_nonzero(finite < value) + 0.5 * np.count_nonzero(finite == value)) / len(finite)
    if not 0.0 < below < 1.0 or not math.isfinite(value):
        return percentile_interval(drawn, confidence)
    bias, skew = float(ndtri(below)), _acceleration(left_out)
    ends = bias + ndtri(np.array([(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0]))
    low, high = ndtr(bias + ends / (1.0 - skew * ends))
    return _percentiles(drawn, float(low), float(high))


def _acceleration(left_out: NDArray[np.float64] | None) -> float:
    """Return a sixth of the skewness of the influence of each block of rows."""
    if left_out is None or not np.isfinite(left_out).all():
        return 0.0
    influence = left_out.mean() - left_out
    squares = float((influence**2).sum())
    return float((influence**3).sum()) / (6.0 * squares**1.5) if squares > 0.0 else 0.0


def _percentiles(drawn: NDArray[np.float64], low: float, high: float) -> Interval:
    ordered = np.sort(drawn[~np.isnan(drawn)])
    if len(ordered) <= _MOST_MISSING * len(drawn):
        return Interval(math.nan, math.nan)
    return Interval(*(_quantile(ordered, level) for level in (low, high)))


def _quantile(ordered: NDArray[np.float64], level: float) -> float:
    """Return the quantile interpolated between two replicates; two infinite ones, whose difference is NaN, stay so."""
    rank = min(max(level * (len(ordered) + 1.0) - 1.0, 0.0), len(ordered) - 1.0)
    before, after = float(ordered[math.floor(rank)]), float(ordered[math.ceil(rank)])
    return before if before == after else before + (after - before) * (rank - math.floor(rank))
