"""Intervals of a mean from its moments: the BCa interval (Efron 1987) without replicates."""

from __future__ import annotations

import math

from scipy.special import ndtri

from calibrant.metrics._intervals.proportions import Interval

__all__ = ["mean_interval"]

_MOST_SKEWED = 0.1  # a sixth of the skewness of the mean; beyond, the expansion does not rise with the level


def mean_interval(mean: float, square: float, cube: float, n: float, confidence: float) -> Interval:
    """Return the BCa interval of a mean, given the means of the squares and of the cubes.

    Bias correction and acceleration of a mean are both a sixth of its skewness, and its quantiles follow the expansion
    of Cornish & Fisher (1938).

    Examples
    --------
    >>> low, high = mean_interval(0.5, 0.5, 0.5, 100, 0.95)  # half of 100 rows are 1, the others 0
    >>> round(low, 3), round(high, 3)
    (0.402, 0.598)
    """
    variance = max(square - mean**2, 0.0)
    if variance == 0.0:
        return Interval(mean, mean)
    skewness = (cube - 3.0 * mean * square + 2.0 * mean**3) / variance**1.5
    sixth = skewness / (6.0 * math.sqrt(n))
    sixth = min(max(sixth, -_MOST_SKEWED), _MOST_SKEWED)
    ends = []
    for z in (float(ndtri((1.0 - confidence) / 2.0)), float(ndtri((1.0 + confidence) / 2.0))):
        level = sixth + (sixth + z) / (1.0 - sixth * (sixth + z))
        ends.append(mean + math.sqrt(variance / n) * (level + sixth * (level**2 - 1.0)))
    return Interval(*ends)
