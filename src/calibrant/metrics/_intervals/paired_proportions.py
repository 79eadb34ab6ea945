"""The interval of the difference of two proportions of the same rows (Tango 1998)."""

from __future__ import annotations

import math

from scipy.optimize import brentq

from calibrant.metrics._intervals.proportions import Interval, two_sided_z

__all__ = ["score_difference"]

_TOLERANCE = 1e-15  # of the ends, which are at most 1
_LEAST_VARIANCE = 1e-200  # in place of 0, at a difference of 1: the score is too great for any confidence, and finite


def score_difference(only_one: int, only_other: int, n: float, confidence: float) -> Interval:
    """Return the differences that the score test does not reject; of no difference it is McNemar's chi-squared.

    Examples
    --------
    >>> [round(end, 3) for end in score_difference(1, 7, 21, 0.95)]
    [-0.517, -0.026]
    """
    z, found = two_sided_z(confidence), (only_one - only_other) / n
    ends = []
    for sign, limit in ((1.0, -1.0), (-1.0, 1.0)):

        def excess(difference: float, sign: float = sign) -> float:
            return _score(difference, only_one, only_other, n) - sign * z

        ends.append(limit if found == limit else float(brentq(excess, limit, found, xtol=_TOLERANCE)))
    return Interval(*ends)


def _score(difference: float, only_one: int, only_other: int, n: float) -> float:
    """Return the standardized distance of the observed difference from another, by the variance under the latter."""
    distance = only_one - only_other - n * difference
    if distance == 0.0:
        return 0.0
    slope = (2.0 * n - only_one + only_other) * difference - only_one - only_other
    constant = only_other * difference * (1.0 - difference)
    root = math.sqrt(max(0.0, slope * slope + 8.0 * n * constant))  # below 0 by rounding only
    only_second = (root - slope) / (4.0 * n)  # the likeliest share of rows of the second alone under `difference`
    variance = n * (2.0 * only_second + difference * (1.0 - difference))
    return distance / math.sqrt(max(variance, _LEAST_VARIANCE))
