"""Intervals from replicates: percentiles, as they are or moved for bias and skewness (BCa; Efron 1987)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri

from calibrant.metrics._intervals.proportions import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["bca_interval", "percentile_interval"]

_MOST_MISSING = 0.5  # share of replicates without a value beyond which there is no interval


def percentile_interval(drawn: NDArray[np.float64], confidence: float) -> Interval:
    """Give the percentiles of replicates that leave half of the rest on either side.

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
    """Give percentiles corrected for bias and, where values with parts of the rows left out are known, for skewness.

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
    """Give a sixth of the skewness of what each part of the rows contributes."""
    if left_out is None or not np.isfinite(left_out).all():
        return 0.0
    parts = left_out.mean() - left_out
    spread = float((parts**2).sum())
    return float((parts**3).sum()) / (6.0 * spread**1.5) if spread > 0.0 else 0.0


def _percentiles(drawn: NDArray[np.float64], low: float, high: float) -> Interval:
    ordered = np.sort(drawn[~np.isnan(drawn)])
    if len(ordered) <= _MOST_MISSING * len(drawn):
        return Interval(math.nan, math.nan)
    return Interval(*(_at(ordered, share) for share in (low, high)))


def _at(ordered: NDArray[np.float64], share: float) -> float:
    """Give the value that a share of further draws would lie below, between two replicates; infinite ones stay so."""
    place = min(max(share * (len(ordered) + 1.0) - 1.0, 0.0), len(ordered) - 1.0)
    before, after = float(ordered[math.floor(place)]), float(ordered[math.ceil(place)])
    return before if before == after else before + (after - before) * (place - math.floor(place))
