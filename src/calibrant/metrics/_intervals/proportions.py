"""Confidence intervals of a proportion."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, ndtri

from calibrant._params import Choice, Nothing, Real, check_param
from calibrant.exceptions import ParameterError

__all__ = ["CONFIDENCE", "Interval", "proportion_interval", "two_sided_z", "wilson_interval", "wilson_of_quantile"]

CONFIDENCE = Real(0, 1, closed="neither")
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
    _check_counts(successes, n)
    if z is not None and method not in _BY_QUANTILE:
        raise ParameterError(
            f"z belongs to method='wilson', 'agresti_coull' and 'normal'; got method={method!r}. Pass confidence= "
            "instead."
        )
    if n == 0:
        return Interval(0.0, 1.0)
    tail = (1.0 - confidence) / (2.0 if side == "both" else 1.0)
    low, high = _ends(method, float(successes), float(n), tail, z)
    return Interval(0.0 if side == "upper" else low, 1.0 if side == "lower" else high)


def _ends(method: str, successes: float, n: float, tail: float, z: float | None) -> Interval:
    """Return the interval that leaves a tail on either side."""
    if method in _BY_QUANTILE:
        return _BY_QUANTILE[method](successes, n, float(-ndtri(tail)) if z is None else float(z))
    return _BY_TAIL[method](successes, n, tail)


def two_sided_z(confidence: float) -> float:
    """Return the normal quantile that leaves equal tails.

    Examples
    --------
    >>> round(two_sided_z(0.95), 4)
    1.96
    """
    return float(ndtri(0.5 + confidence / 2.0))


def _check_counts(successes: float, n: float) -> None:
    check_param("n", n, _COUNT)
    check_param("successes", successes, _COUNT)
    if successes > n:
        raise ParameterError(f"successes must be at most n; got {successes} of {n}.")


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


def _agresti_coull_of_z(successes: float, n: float, z: float) -> Interval:
    return _normal_of_z(successes + z * z / 2.0, n + z * z, z)


def _clopper_pearson(successes: float, n: float, tail: float) -> Interval:
    failures = n - successes
    low = float(betaincinv(successes, failures + 1.0, tail)) if successes > 0 else 0.0
    return Interval(low, float(betaincinv(successes + 1.0, failures, 1.0 - tail)) if failures > 0 else 1.0)


def _jeffreys(successes: float, n: float, tail: float) -> Interval:
    failures = n - successes
    low, high = betaincinv(successes + 0.5, failures + 0.5, np.array([tail, 1.0 - tail]))
    return Interval(float(low) if successes > 0 else 0.0, float(high) if failures > 0 else 1.0)


_BY_QUANTILE: dict[str, Callable[[float, float, float], Interval]] = {
    "wilson": wilson_of_quantile,
    "agresti_coull": _agresti_coull_of_z,
    "normal": _normal_of_z,
}
_BY_TAIL: dict[str, Callable[[float, float, float], Interval]] = {
    "clopper_pearson": _clopper_pearson,
    "jeffreys": _jeffreys,
}
