"""Intervals of the area under the ROC curve: DeLong, DeLong & Clarke-Pearson (1988), on the scale of log-odds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq
from scipy.stats import rankdata

from calibrant import _core
from calibrant.metrics._intervals.proportions import Interval, two_sided_z

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["area_difference", "area_interval", "area_variance", "combined_difference", "placements"]


def area_interval(
    proba: NDArray[np.float64],
    positive: NDArray[np.bool_],
    weight: NDArray[np.float64] | None,
    confidence: float,
    n_threads: int = 1,
) -> tuple[float, Interval, str]:
    """Return the area, its interval and the name of the method; NaN where a class has no row.

    DeLong's variance makes the interval symmetric in the log-odds of the area, so that it stays within (0, 1). Where
    that variance is 0 or unknown, as at an area of 1, Newcombe's score interval (2006, his method 5) is used.

    Examples
    --------
    >>> proba, positive = np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True])
    >>> area, interval, method = area_interval(proba, positive, None, 0.95)
    >>> area, method, round(interval.low, 2), round(interval.high, 2)
    (0.75, 'DeLong', 0.07, 0.99)
    >>> area_interval(proba, proba > 0.37, None, 0.95)[1:]
    (Interval(low=0.3856..., high=1.0), 'Newcombe')
    """
    area, *variances, n_positive, n_negative = _core.area_variance(
        np.ascontiguousarray(proba), np.ascontiguousarray(positive), weight, n_threads
    )
    variance = sum(variances)
    if math.isnan(area):
        return math.nan, Interval(math.nan, math.nan), ""
    if 0.0 < area < 1.0 and variance > 0.0:
        return area, _log_odds_interval(area, variance, two_sided_z(confidence)), "DeLong"
    return area, _newcombe(area, n_positive, n_negative, two_sided_z(confidence)), "Newcombe"


def area_difference(
    one: NDArray[np.float64], other: NDArray[np.float64], positive: NDArray[np.bool_], confidence: float
) -> tuple[float, Interval, float]:
    """Return the difference of two areas on the same rows, its interval and standard error, by paired placements.

    Examples
    --------
    >>> positive = np.array([False, False, True, True, True])
    >>> one, other = np.array([0.1, 0.4, 0.3, 0.8, 0.9]), np.array([0.4, 0.1, 0.3, 0.2, 0.9])
    >>> difference, interval, _ = area_difference(one, other, positive, 0.95)
    >>> round(difference, 4), round(interval.low, 2), round(interval.high, 2)
    (0.1667, -0.87, 1.0)
    """
    of_one, of_other = (placements(scores, positive) for scores in (one, other))
    differences = [mine - theirs for mine, theirs in zip(of_one, of_other, strict=True)]
    difference = float(differences[0].mean())
    variance = sum(float(each.var(ddof=1)) / len(each) if len(each) > 1 else math.nan for each in differences)
    error = math.sqrt(variance)
    reach = two_sided_z(confidence) * error
    return difference, Interval(max(difference - reach, -1.0), min(difference + reach, 1.0)), error


def combined_difference(one: tuple[float, Interval], other: tuple[float, Interval]) -> Interval:
    """Return the interval of the difference of two values by the interval of each (square-and-add; Newcombe 1998).

    It takes them as independent, and so is too long where they are positively correlated.

    Examples
    --------
    >>> combined_difference((1.0, Interval(0.75, 1.0)), (1.0, Interval(0.5, 1.0)))
    Interval(low=-0.25, high=0.5)
    """
    (mine, (low, high)), (theirs, (their_low, their_high)) = one, other
    difference = mine - theirs
    return Interval(
        difference - math.hypot(mine - low, their_high - theirs),
        difference + math.hypot(high - mine, theirs - their_low),
    )


def placements(
    scores: NDArray[np.float64], positive: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the fraction of negative rows below each positive row, and of positive rows above each negative one.

    They are ranks among all rows less ranks within the class (Sun & Xu 2014).

    Examples
    --------
    >>> placements(np.array([0.1, 0.4, 0.4, 0.8]), np.array([False, False, True, True]))
    (array([0.75, 1.  ]), array([1.  , 0.75]))
    """
    ranks = rankdata(scores)
    n_positive, n_negative = int(positive.sum()), int((~positive).sum())
    of_positive = (ranks[positive] - rankdata(scores[positive])) / n_negative
    of_negative = 1.0 - (ranks[~positive] - rankdata(scores[~positive])) / n_positive
    return of_positive, of_negative


def area_variance(area: float, n_positive: float, n_negative: float) -> float:
    """Return the variance of an area of untied scores, as Hanley & McNeil (1982) have it.

    Examples
    --------
    >>> round(math.sqrt(area_variance(0.893, 51, 58)), 3)  # their example
    0.032
    """
    of_positive, of_negative = area / (2.0 - area), 2.0 * area**2 / (1.0 + area)
    own = area * (1.0 - area)
    sums = own + (n_positive - 1.0) * (of_positive - area**2) + (n_negative - 1.0) * (of_negative - area**2)
    return sums / (n_positive * n_negative)


def _log_odds_interval(area: float, variance: float, z: float) -> Interval:
    middle, reach = math.log(area / (1.0 - area)), z * math.sqrt(variance) / (area * (1.0 - area))
    ends = (min(max(end, -700.0), 700.0) for end in (middle - reach, middle + reach))  # exp overflows beyond 709
    return Interval(*(1.0 / (1.0 + math.exp(-end)) for end in ends))


def _newcombe(area: float, n_positive: float, n_negative: float, z: float) -> Interval:
    """Solve (area - x)^2 = z^2 v(x), v the variance of Hanley & McNeil (1982) with the mean of both numbers of rows."""
    if area == 0.0:
        low, high = _newcombe(1.0, n_positive, n_negative, z)
        return Interval(1.0 - high, 1.0 - low)

    def spread(x: float) -> float:
        rest = (n_positive + n_negative) / 2.0 - 1.0
        return z * z * x * (1.0 + rest * ((1.0 - x) / (2.0 - x) + x / (1.0 + x))) / (n_positive * n_negative)

    if area == 1.0:  # both sides share the factor 1 - x
        return Interval(float(brentq(lambda x: 1.0 - x - spread(x), 0.0, 1.0)), 1.0)
    ends = (brentq(lambda x: (area - x) ** 2 - (1.0 - x) * spread(x), end, area) for end in (0.0, 1.0))
    return Interval(*map(float, ends))
