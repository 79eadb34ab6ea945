"""Intervals of the difference of two proportions of the same rows, each the inverse of one of McNemar's tests."""

from __future__ import annotations

import math

from scipy.optimize import brentq
from scipy.special import bdtrc

from calibrant.metrics._intervals.proportions import Interval, two_sided_z

__all__ = ["difference_of_share", "mid_p_difference", "score_difference"]

_TOLERANCE = 1e-15  # of the ends, which are at most 1
_LEAST_VARIANCE = 1e-200  # in place of 0, at a difference of 1: the score is too great for any confidence, and finite


def mid_p_difference(only_one: int, only_other: int, n: float, confidence: float) -> Interval:
    """Return the differences that the mid-p test does not reject, of successes in n rows.

    Given the rows where only one of the two succeeds, their number for the first is binomial. Its mid-p interval, that
    of Clopper & Pearson with half the probability of what was observed, is scaled by the share of those rows. Where
    there are none it is unknown, and Tango's interval is returned.

    Examples
    --------
    >>> [round(end, 4) for end in mid_p_difference(3, 0, 100, 0.95)]
    [-0.0079, 0.03]
    """
    n_different = only_one + only_other
    if n_different == 0:
        return score_difference(0, 0, n, confidence)
    tail = 0.5 * (1.0 - confidence)
    low, high = _mid_p_low(only_one, n_different, tail), 1.0 - _mid_p_low(only_other, n_different, tail)
    return difference_of_share(Interval(low, high), n_different, n)


def difference_of_share(share: Interval, n_different: int, n: float) -> Interval:
    """Return the difference of proportions for limits of the first one's share of the rows where they differ.

    Examples
    --------
    >>> difference_of_share(Interval(0.5, 1.0), 10, 100)
    Interval(low=0.0, high=0.1)
    """
    return Interval(*((2.0 * end - 1.0) * n_different / n for end in share))


def score_difference(only_one: int, only_other: int, n: float, confidence: float) -> Interval:
    """Return the differences that the score test does not reject (Tango 1998); of no difference it is McNemar's.

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


def _mid_p_low(successes: int, n: int, tail: float) -> float:
    """Return the chance of success at which more successes, and half of as many, have this probability."""
    if successes == 0:
        return 0.0

    def excess(chance: float) -> float:
        return 0.5 * float(bdtrc(successes - 1, n, chance) + bdtrc(successes, n, chance)) - tail

    return float(brentq(excess, 0.0, 1.0, xtol=_TOLERANCE))


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
