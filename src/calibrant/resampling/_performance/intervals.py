"""Intervals within the range of a metric, and those of a mean over splits by the variance of the splits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import stdtrit

from calibrant.metrics import Interval
from calibrant.metrics._internal import two_sided_z

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NO_INTERVAL", "ends_in_range", "split_interval"]

NO_INTERVAL = Interval(math.nan, math.nan)
_ROUNDING = 1e-12  # values that differ by less are equal


def split_interval(
    values: NDArray[np.float64],
    n_train: NDArray[Any],
    n_test: NDArray[Any],
    confidence: float,
    k: int,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    n_counted: NDArray[Any] | None = None,
) -> Interval:
    """Return the interval of the mean over splits of the same rows, within the range of the metric.

    The variance of the mean is ``(1/k + n_test/n_train)`` times that of the values: rows that splits share make
    their values correlated, so more splits add less than more rows would. For repeated cross-validation k is the
    number of folds, as Witten, Frank & Hall print it, and there are k - 1 degrees of freedom: with the number of all
    splits in its place intervals of 95 % covered the truth in 80 to 90 % of draws. Splits without a value are left out.

    The interval holds the means from which the observed one is at most so many standard errors away, as Wilson's does.
    Like that of a proportion, the variance is taken as proportional to the distances of the mean from the ends of the
    range. `n_counted` are the rows that a proportion, or an area under the ROC curve, counts in each split: the
    variance is at least that of as many independent rows, with the same correction, as it is of any metric where all
    splits have the same value. Without a range there is no interval then.

    Examples
    --------
    >>> values, n_train, n_test = np.array([0.1, 0.2, 0.15, 0.15]), np.full(4, 75), np.full(4, 25)
    >>> [round(end, 4) for end in split_interval(values, n_train, n_test, 0.95, 4)]
    [0.0508, 0.2492]
    >>> [round(end, 4) for end in split_interval(values, n_train, n_test, 0.95, 4, low=0.0, high=1.0)]
    [0.0762, 0.2739]
    >>> [round(end, 4) for end in split_interval(np.zeros(4), n_train, n_test, 0.95, 4, low=0.0, high=1.0)]
    [0.0, 0.0823]
    """
    is_defined = ~np.isnan(values)
    k, defined = min(k, int(is_defined.sum())), values[is_defined]
    if k < 2 or not np.isfinite(defined).all():
        return NO_INTERVAL
    correction = 1.0 / k + float(n_test[is_defined].mean() / n_train[is_defined].mean())
    square = float(stdtrit(k - 1, 0.5 + 0.5 * confidence)) ** 2
    n_rows = float((n_test if n_counted is None else n_counted)[is_defined].mean())
    # The variance of rows that are counted is known: it takes the quantile of the normal distribution
    least = two_sided_z(confidence) ** 2 / square * correction / n_rows
    variance = correction * float(defined.var(ddof=1))
    return ends_in_range(float(defined.mean()), square, variance, low, high, least, is_counted=n_counted is not None)


def ends_in_range(
    mean: float,
    square: float,
    variance: float,
    low: float,
    high: float,
    least: float,
    *,
    is_counted: bool = False,
) -> Interval:
    """Return the means within some standard errors of a mean, the variance proportional to the distances of the ends.

    Parameters
    ----------
    mean : float
        The mean.
    square : float
        The square of the number of standard errors.
    variance : float
        Its variance.
    low, high : float
        The range of the metric.
    least : float
        The variance over the product of the distances from both ends where it was found to be 0: one over the number of
        rows, as values within a range vary at most like a proportion.
    is_counted : bool
        Whether the metric counts rows: then the variance is never less than that.

    Examples
    --------
    >>> [round(end, 4) for end in ends_in_range(0.1, 1.96**2, 0.1 * 0.9 / 100, 0.0, 1.0, 0.01)]  # Wilson's, 10 of 100
    [0.0552, 0.1744]
    """
    mean = float(np.clip(mean, low, high))  # outside by rounding only
    spread = _from_ends(mean, low, high)
    is_constant = spread == 0.0 or math.sqrt(variance) <= _ROUNDING * max(1.0, abs(mean))
    if is_constant and (math.isinf(low) or math.isinf(high)):
        return NO_INTERVAL
    relative = least if is_constant else variance / spread
    return _ends(mean, square * (max(relative, least) if is_counted else relative), low, high)


def _from_ends(mean: float, low: float, high: float) -> float:
    """Return the product of the distances from the ends of the range that are finite."""
    return math.prod(abs(mean - end) for end in (low, high) if math.isfinite(end))


def _ends(mean: float, square: float, low: float, high: float) -> Interval:
    """Solve ``(mean - x)**2 = square * (x - low) * (high - x)``, without the factors of ends that are infinite."""
    if math.isinf(low) and math.isinf(high):
        return Interval(mean - math.sqrt(square), mean + math.sqrt(square))
    if math.isinf(low):
        mirrored = _ends(-mean, square, -high, math.inf)
        return Interval(-mirrored.high, -mirrored.low)
    distance, length, leading = mean - low, 1.0, 1.0
    if math.isfinite(high):
        length, leading = high - low, 1.0 + square
    middle = distance + square * length / 2.0
    root = math.sqrt(square * (_from_ends(mean, low, high) + square * length**2 / 4.0))
    return Interval(low + distance**2 / (middle + root), min(high, low + (middle + root) / leading))
