"""Intervals of areas under the ROC curve that hold with few rows of a class.

An area is a mean of placements: of the share of the other class that each row of a class is ranked against correctly.
DeLong, DeLong & Clarke-Pearson (1988) estimate its variance by those of the placements of both classes. Here that
variance makes a score interval like Wilson's, shrunk where so few rows are ranked incorrectly that they hardly show it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from calibrant import _core
from calibrant.metrics._intervals.intervals import Interval, wilson_of_quantile

# What is assumed of each class before its rows are seen: so many rows times area times 1 - area, in which placements
# vary by this share of the most they can. Chosen by benchmarks/interval_coverage_auc.py, as are the degrees of freedom.
_ASSUMED_ROWS, _ASSUMED_SHARE = 0.3, 0.65
_MORE_FREEDOM = 1.0  # degrees of freedom beyond the number of rows of a class


def area_interval(
    proba: NDArray[np.float64],
    positive: NDArray[np.bool_],
    weight: NDArray[np.float64] | None,
    confidence: float,
    n_threads: int = 1,
) -> tuple[float, Interval]:
    """Return the area and its interval; NaN where a class has no row.

    Examples
    --------
    >>> proba, positive = np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True])
    >>> area, interval = area_interval(proba, positive, None, 0.95)
    >>> area, round(interval.low, 2), round(interval.high, 2)
    (0.75, 0.12, 0.99)
    >>> area_interval(proba, proba > 0.37, None, 0.95)
    (1.0, Interval(low=0.2044..., high=1.0))
    """
    area, *variances, n_positive, n_negative = _core.area_variance(
        np.ascontiguousarray(proba), np.ascontiguousarray(positive), weight, n_threads
    )
    if math.isnan(area):
        return math.nan, Interval(math.nan, math.nan)
    return area, placement_interval(area, variances, (n_positive, n_negative), confidence)


def placement_interval(area: float, variances: Sequence[float], n_rows: Sequence[float], confidence: float) -> Interval:
    """Return the interval of an area, given the placements of either class.

    Parameters
    ----------
    area : float
        The mean placement.
    variances : pair of float
        The variance of the mean placement of the positive rows, and of the negative ones: that of placements over
        their number; not used for a class of one row.
    n_rows : pair of float
        The number of rows of each class.
    confidence : float
        The confidence.

    Returns
    -------
    Interval
        Wilson's, of as many rows as would make the variance of a proportion that of the area, by the quantile of
        Student's distribution with Welch's degrees of freedom.

    Examples
    --------
    >>> [round(end, 3) for end in placement_interval(0.9, (0.002, 0.0001), (10, 500), 0.95)]
    [0.716, 0.97]
    """
    rows, freedom = _effective_rows(area, variances, n_rows)
    # Student's quantile, not the normal one: the variance comes from as few rows as the rarer class has.
    return wilson_of_quantile(area * rows, rows, float(stdtrit(freedom, 0.5 + confidence / 2.0)))


def area_difference(
    one: NDArray[np.float64],
    other: NDArray[np.float64],
    positive: NDArray[np.bool_],
    weight: NDArray[np.float64] | None,
    confidence: float,
) -> tuple[float, Interval]:
    """Return the difference of two areas on the same rows and its interval.

    Examples
    --------
    >>> positive = np.array([False, False, True, True, True])
    >>> one, other = np.array([0.1, 0.4, 0.3, 0.8, 0.9]), np.array([0.4, 0.1, 0.3, 0.2, 0.9])
    >>> difference, interval = area_difference(one, other, positive, None, 0.95)
    >>> round(difference, 4), round(interval.low, 2), round(interval.high, 2)
    (0.1667, -0.67, 0.82)
    """
    areas, covariances, n_rows = placement_covariances(one, other, positive, weight)
    if areas[0] == areas[1] and np.array_equal(_ranks(one), _ranks(other)):
        return 0.0, Interval(0.0, 0.0)  # a ranking is as good as itself whatever the rows
    return areas[0] - areas[1], placement_difference(areas, covariances, n_rows, confidence)


def placement_difference(
    areas: Sequence[float], covariances: Sequence[NDArray[np.float64]], n_rows: Sequence[float], confidence: float
) -> Interval:
    """Return the interval of the difference of two areas, given the placements of either class by both.

    The intervals of both areas are combined by the square-and-add rule (Newcombe 1998) with their correlation.

    Parameters
    ----------
    areas : pair of float
        The mean placements by either.
    covariances : pair of arrays of shape (2, 2)
        The covariances of the mean placements of the positive rows, and of the negative ones.
    n_rows, confidence
        As in `placement_interval`.

    Returns
    -------
    Interval
        That of the first area less the second.

    Examples
    --------
    >>> covariances = [np.array([[0.002, 0.001], [0.001, 0.002]]), np.zeros((2, 2))]
    >>> [round(end, 3) for end in placement_difference((0.9, 0.8), covariances, (10, 500), 0.95)]
    [-0.078, 0.249]
    """
    ends, errors = [], []
    # Newcombe's square-and-add (MOVER): each area keeps its own skew interval, joined by their correlation.
    for which, area in enumerate(areas):
        variances = [float(each[which, which]) for each in covariances]
        ends.append(placement_interval(area, variances, n_rows, confidence))
        errors.append(math.sqrt(area * (1.0 - area) / _effective_rows(area, variances, n_rows)[0]))
    shared, scale = sum(float(each[0, 1]) for each in covariances), math.prod(errors)
    # Variances are shrunk and covariances are not, so their ratio may leave [-1, 1].
    correlation = min(max(shared / scale, -1.0), 1.0) if scale > 0.0 else 0.0
    (low, high), (other_low, other_high) = ends

    def reach(mine: float, theirs: float) -> float:
        return math.sqrt(max(mine * mine - 2.0 * correlation * mine * theirs + theirs * theirs, 0.0))

    difference = areas[0] - areas[1]
    return Interval(
        difference - reach(areas[0] - low, other_high - areas[1]),
        difference + reach(high - areas[0], areas[1] - other_low),
    )


def placement_covariances(
    one: NDArray[np.float64],
    other: NDArray[np.float64],
    positive: NDArray[np.bool_],
    weight: NDArray[np.float64] | None = None,
) -> tuple[list[float], list[NDArray[np.float64]], list[float]]:
    """Return areas, covariances and numbers of rows, as `placement_difference` takes them.

    Examples
    --------
    >>> positive = np.array([False, False, True, True, True])
    >>> one, other = np.array([0.1, 0.4, 0.3, 0.8, 0.9]), np.array([0.4, 0.1, 0.3, 0.2, 0.9])
    >>> areas, (of_positive, of_negative), n_rows = placement_covariances(one, other, positive)
    >>> round(areas[0], 4), of_positive.diagonal().round(4), n_rows
    (0.8333, array([0.0278, 0.0278]), [3.0, 2.0])
    """
    weights = np.ones(len(one)) if weight is None else weight
    both = [_ranks(scores) for scores in (one, other)]
    means, covariances, n_rows = [], [], []
    for rows in (positive, ~positive):
        placed = np.stack([_share_below(ranks, rows, weights) for ranks in both])
        n = float(weights[rows].sum())
        mean = placed @ weights[rows] / n
        away = placed - mean[:, None]
        means.append(mean)
        n_rows.append(n)
        covariances.append((away * weights[rows]) @ away.T / (n * (n - 1.0)) if n > 1.0 else np.zeros((2, 2)))
    return means[0].tolist(), covariances, n_rows


def placements(
    scores: NDArray[np.float64], positive: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the fraction of negative rows below each positive row, and of positive rows above each negative one.

    Examples
    --------
    >>> placements(np.array([0.1, 0.4, 0.4, 0.8]), np.array([False, False, True, True]))
    (array([0.75, 1.  ]), array([1.  , 0.75]))
    """
    ranks, ones = _ranks(scores), np.ones(len(scores))
    return _share_below(ranks, positive, ones), 1.0 - _share_below(ranks, ~positive, ones)


def _ranks(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the number of distinct scores below each score."""
    return np.unique(scores, return_inverse=True)[1]


def _share_below(ranks: NDArray[np.intp], rows: NDArray[np.bool_], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each of some rows the share of all others that are ranked below it; equal ones count half."""
    others = np.bincount(ranks, np.where(rows, 0.0, weights))
    # A tie counts half, as the area of a trapezium does.
    below = np.cumsum(others) - 0.5 * others
    return np.asarray(below[ranks[rows]] / others.sum())


def _effective_rows(area: float, variances: Sequence[float], n_rows: Sequence[float]) -> tuple[float, float]:
    """Return the number of rows for which the variance of a proportion is that of the area, and degrees of freedom.

    Placements lie within 0 and 1, so their variance is a share of area times 1 - area. The shares of both classes are
    estimated with what is assumed of them, so that they stay above 0 at an area of 1.
    """
    greatest = area * (1.0 - area)
    parts = []
    for variance, n in zip(variances, n_rows, strict=True):
        # Sums of squares, so that what is assumed adds to what is seen like further rows.
        squares = n * (n - 1.0) * variance if n > 1.0 else 0.0
        share = (squares + _ASSUMED_ROWS * _ASSUMED_SHARE) / (max(n - 1.0, 0.0) * greatest + _ASSUMED_ROWS)
        parts.append(share / n)
    # Satterthwaite (1946): degrees of freedom of a sum of variances.
    freedom = sum(parts) ** 2 / sum(part**2 / (n + _MORE_FREEDOM) for part, n in zip(parts, n_rows, strict=True))
    return 1.0 / sum(parts), freedom
