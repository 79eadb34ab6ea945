"""Confidence intervals from counts, from moments, or from bootstrap replicates (BCa; Efron 1987)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import betaincinv, ndtr, ndtri

from calibrant._params import CONFIDENCE, Choice, Nothing, Real, check_param
from calibrant.exceptions import ParameterError

_Z = Real(0, closed="right") | Nothing()
_COUNT = Real(0)


class Interval(NamedTuple):
    """The ends of a confidence interval.

    Examples
    --------
    >>> Interval(0.2, 0.4).low
    0.2
    """

    low: float
    high: float


def proportion_interval(
    successes: float,
    n: float,
    confidence: float = 0.95,
    *,
    method: str = "wilson",
    z: float | None = None,
    side: str = "both",
) -> Interval:
    """Return a confidence interval of the probability of success.

    Wilson's interval (1927) is the quadratic that Witten, Frank & Hall (2011, 5.2) solve. Its coverage is
    the nominal one on average; that of Clopper & Pearson (1934) never covers less, and is longer. That of Jeffreys is
    Bayesian, with the prior Beta(1/2, 1/2), and ends at 0 or 1 where no trial, or every one, succeeded. That of Agresti
    & Coull (1998) has Wilson's center and contains his interval. The normal one, Wald's, is that of the textbooks: it
    covers far less than stated where successes or failures are few (Brown, Cai & DasGupta 2001).

    Parameters
    ----------
    successes : float
        The number of successes; it need not be a whole number.
    n : float
        The number of trials.
    confidence : float
        The probability that such intervals cover the true value, between 0 and 1.
    method : {"wilson", "clopper_pearson", "jeffreys", "agresti_coull", "normal"}
        The method.
    z : float, optional
        The normal quantile to use instead of that of `confidence`, such as the book's rounded 1.28; for "wilson",
        "agresti_coull" and "normal".
    side : {"both", "lower", "upper"}
        Both ends; or a lower bound alone, with 1 as the other end, or an upper bound alone, with 0, which hold with
        the whole confidence.

    Returns
    -------
    Interval
        A named tuple ``(low, high)``; (0, 1) without a trial.

    Examples
    --------
    >>> low, high = proportion_interval(750, 1000, z=1.28)
    >>> round(low, 3), round(high, 3)
    (0.732, 0.767)
    >>> [round(end, 4) for end in proportion_interval(0, 10, method="clopper_pearson")]
    [0.0, 0.3085]
    >>> round(proportion_interval(0, 100, method="clopper_pearson", side="upper").high, 4)  # about 3/100
    0.0295
    """
    check_param("confidence", confidence, CONFIDENCE)
    check_param("method", method, Choice(*_BY_QUANTILE, *_BY_TAIL))
    check_param("z", z, _Z)
    check_param("side", side, Choice("both", "lower", "upper"))
    check_param("n", n, _COUNT)
    check_param("successes", successes, _COUNT)
    if successes > n:
        raise ParameterError(f"successes must be at most n; got {successes} of {n}.")
    if z is not None and method not in _BY_QUANTILE:
        raise ParameterError(
            f"z belongs to method='wilson', 'agresti_coull' and 'normal'; got method={method!r}. Pass confidence= "
            "instead."
        )
    if n == 0:
        # No trial, no knowledge: all proportions.
        return Interval(0.0, 1.0)
    tail = (1.0 - confidence) / (2.0 if side == "both" else 1.0)
    if method in _BY_QUANTILE:
        low, high = _BY_QUANTILE[method](float(successes), float(n), float(-ndtri(tail)) if z is None else float(z))
    else:
        low, high = _BY_TAIL[method](float(successes), float(n), tail)
    return Interval(0.0 if side == "upper" else low, 1.0 if side == "lower" else high)


def two_sided_z(confidence: float) -> float:
    """Return the normal quantile that leaves equal tails.

    Examples
    --------
    >>> round(two_sided_z(0.95), 4)
    1.96
    """
    return float(ndtri(0.5 + confidence / 2.0))


def wilson_interval(successes: float, n: float, confidence: float) -> Interval:
    """Return Wilson's interval of a proportion, without input validation."""
    return wilson_of_quantile(successes, n, two_sided_z(confidence))


def wilson_of_quantile(successes: float, n: float, z: float) -> Interval:
    """Return the proportions from which the observed one is at most so many standard errors away (Wilson 1927).

    Examples
    --------
    >>> wilson_of_quantile(0, 3, 1.0)
    Interval(low=0.0, high=0.25)
    """
    # z^2 / (2 n) appears in middle and reach alike; for all or no successes an end is exact and free of rounding.
    frequency, half = successes / n, z * z / (2.0 * n)
    middle = (frequency + half) / (1.0 + 2.0 * half)
    reach = z * np.sqrt(frequency * (1.0 - frequency) / n + half / (2.0 * n)) / (1.0 + 2.0 * half)
    return Interval(
        0.0 if successes == 0 else max(0.0, float(middle - reach)),
        1.0 if successes == n else min(1.0, float(middle + reach)),
    )


def _normal_of_z(successes: float, n: float, z: float) -> Interval:
    frequency = successes / n
    reach = z * math.sqrt(frequency * (1.0 - frequency) / n)
    return Interval(max(0.0, frequency - reach), min(1.0, frequency + reach))


def clopper_pearson(successes: float, n: float, tail: float) -> Interval:
    """Return the exact interval that leaves a tail on either side; counts may be fractional.

    Examples
    --------
    >>> clopper_pearson(0, 10, 0.5)
    Interval(low=0.0, high=0.0669...)
    """
    failures = n - successes
    low = float(betaincinv(successes, failures + 1.0, tail)) if successes > 0 else 0.0
    return Interval(low, float(betaincinv(successes + 1.0, failures, 1.0 - tail)) if failures > 0 else 1.0)


def _jeffreys(successes: float, n: float, tail: float) -> Interval:
    failures = n - successes
    low, high = betaincinv(successes + 0.5, failures + 0.5, np.array([tail, 1.0 - tail]))
    # Brown, Cai & DasGupta (2001): at 0 and n successes Jeffreys' end is moved to 0 or 1, or it would not cover there.
    return Interval(float(low) if successes > 0 else 0.0, float(high) if failures > 0 else 1.0)


_BY_QUANTILE: dict[str, Callable[[float, float, float], Interval]] = {
    "wilson": wilson_of_quantile,
    "agresti_coull": lambda successes, n, z: _normal_of_z(successes + z * z / 2.0, n + z * z, z),
    "normal": _normal_of_z,
}
_BY_TAIL: dict[str, Callable[[float, float, float], Interval]] = {
    "clopper_pearson": clopper_pearson,
    "jeffreys": _jeffreys,
}


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
    # Tango (1998): the ends of the interval are where the score reaches the quantile, one on each side of the estimate.
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
    # The nuisance share maximizes the likelihood under the difference: the root of a quadratic equation.
    slope = (2.0 * n - only_one + only_other) * difference - only_one - only_other
    constant = only_other * difference * (1.0 - difference)
    root = math.sqrt(max(0.0, slope * slope + 8.0 * n * constant))  # below 0 by rounding only
    # Of the two roots the one within [0, 1].
    only_second = (root - slope) / (4.0 * n)  # the likeliest share of rows of the second alone under `difference`
    variance = n * (2.0 * only_second + difference * (1.0 - difference))
    return distance / math.sqrt(max(variance, _LEAST_VARIANCE))


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
    # Ties with the value count half: replicates of a proportion are discrete, and the bias would lean to one side.
    below = (np.count_nonzero(finite < value) + 0.5 * np.count_nonzero(finite == value)) / len(finite)
    # With all replicates on one side the correction is infinite; plain percentiles are the best left.
    if not 0.0 < below < 1.0 or not math.isfinite(value):
        return percentile_interval(drawn, confidence)
    bias, skew = float(ndtri(below)), _acceleration(left_out)
    ends = bias + ndtri(np.array([(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0]))
    # Efron (1987), eq. 6.8: bias shifts the levels twice, skewness stretches the longer tail.
    low, high = ndtr(bias + ends / (1.0 - skew * ends))
    return _percentiles(drawn, float(low), float(high))


def hold(interval: Interval, value: float) -> Interval:
    """Return the interval, widened where needed to hold a value.

    Examples
    --------
    >>> hold(Interval(0.2, 0.3), 0.35)
    Interval(low=0.2, high=0.35)
    """
    return Interval(min(interval.low, value), max(interval.high, value))


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
    # (n + 1) places keep a tail probability of 1 / (n + 1) beyond either end, as in Davison & Hinkley (1997).
    rank = min(max(level * (len(ordered) + 1.0) - 1.0, 0.0), len(ordered) - 1.0)
    before, after = float(ordered[math.floor(rank)]), float(ordered[math.ceil(rank)])
    return before if before == after else before + (after - before) * (rank - math.floor(rank))


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
    # Without the limit the quadratic expansion turns back, and an upper end may lie below the lower one.
    sixth = min(max(sixth, -_MOST_SKEWED), _MOST_SKEWED)
    ends = []
    for z in (float(ndtri((1.0 - confidence) / 2.0)), float(ndtri((1.0 + confidence) / 2.0))):
        level = sixth + (sixth + z) / (1.0 - sixth * (sixth + z))
        ends.append(mean + math.sqrt(variance / n) * (level + sixth * (level**2 - 1.0)))
    return Interval(*ends)
