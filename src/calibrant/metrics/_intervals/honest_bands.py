"""Bands that cover the whole calibration curve with a stated confidence, whatever the number of rows.

Dimitriadis, Dümbgen, Henzi, Puke & Ziegel (2023), Honest calibration assessment for binary outcome predictions,
Biometrika 110(3). The only assumption is that the curve never falls. Then the rows whose probabilities lie from x_j to
x_k have at least the frequency of positives of rows at x_j, so their exact upper bound of Clopper & Pearson holds
at x_j; it is computed for each of the N (N + 1) / 2 ranges, at the level alpha / (N (N + 1)). The least of the bounds
that hold at x is the upper end of the band there. The lower end is the same with the classes swapped.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, betaln

from calibrant._numbers import as_floats

_MOST_GROUPS = 1_001  # probabilities rounded to three digits; more groups take time quadratically
_MOST_DIGITS = 12  # a probability has 15 to 17 significant ones


class Band(NamedTuple):
    """The lower and the upper end of a band at increasing points `x`, the first 0 and the last 1.

    Between two points the lower end is that of the point before and the upper end that of the point after, since the
    curve never falls.

    Examples
    --------
    >>> band = Band(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.2, 0.4]), np.array([0.6, 0.7, 1.0]))
    >>> band.at([0.25, 0.5, 0.75])
    (array([0. , 0.2, 0.2]), array([0.7, 0.7, 1. ]))
    """

    x: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]

    def at(self, where: object) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the lower and the upper end at some probabilities."""
        points = as_floats(where)
        # Between two points the band is a step: its lower end from the left, its upper end from the right.
        before = self.x.searchsorted(points, side="right") - 1
        return self.lower[before], self.upper[self.x.searchsorted(points, side="left")]

    def outside(self) -> list[tuple[float, float]]:
        """Return the ranges where the diagonal lies outside of the band, from left to right.

        Examples
        --------
        >>> Band(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.6, 0.6]), np.array([1.0, 1.0, 1.0])).outside()
        [(0.5, 0.6)]
        """
        start, end = self.x[:-1], self.x[1:]
        too_low = np.stack([start, np.minimum(self.lower[:-1], end)], axis=1)
        too_high = np.stack([np.maximum(self.upper[1:], start), end], axis=1)
        ranges = np.stack([too_low, too_high], axis=1).reshape(-1, 2)
        return _merged(ranges[ranges[:, 0] < ranges[:, 1]])

    def falling(self) -> tuple[float, float] | None:
        """Return the range where the ends cross, so that the curve falls; None where they do not.

        Examples
        --------
        >>> Band(np.array([0.0, 0.4, 1.0]), np.array([0.0, 0.5, 0.6]), np.array([0.4, 0.3, 1.0])).falling()
        (0.4, 0.4)
        """
        crossed = self.x[self.lower > self.upper]
        return (float(crossed[0]), float(crossed[-1])) if len(crossed) else None


def _merged(ranges: NDArray[np.float64]) -> list[tuple[float, float]]:
    """Join ranges that touch, sorted by their starts."""
    if not len(ranges):
        return []
    is_new = np.append(True, ranges[1:, 0] > np.maximum.accumulate(ranges[:, 1])[:-1])
    first = np.flatnonzero(is_new)
    ends = np.maximum.reduceat(ranges[:, 1], first)
    return list(zip(ranges[first, 0].tolist(), ends.tolist(), strict=True))


def honest_bands(
    score: NDArray[np.float64],
    positive: NDArray[np.float64],
    weight: NDArray[np.float64],
    *,
    confidence: float = 0.95,
    digits: int | Literal["auto"] | None = "auto",
) -> Band:
    """Return the band that covers the whole calibration curve with at least the confidence.

    The ends cross where the rows contradict a curve that never falls.

    Parameters
    ----------
    score : array of shape (n_rows,)
        Probabilities, in any order; rows of equal probability may be passed as one.
    positive : array of shape (n_rows,)
        The weight of the positives of each row: its weight or 0.
    weight : array of shape (n_rows,)
        The weight of each row, above 0. The confidence is proved for whole numbers: that many independent rows.
    confidence : float
        The least probability that no point of the curve lies outside.
    digits : int, "auto" or None
        Round the probabilities outwards to that many digits first, which keeps the confidence and is faster, since the
        time grows with the square of the number of distinct probabilities; None: do not round. "auto" rounds just
        enough to leave at most about 1,000 of them.

    Returns
    -------
    Band
        The band at the probabilities that are left after rounding, and at 0 and 1.

    Examples
    --------
    >>> score = np.repeat([0.2, 0.8], 100)
    >>> positive = np.repeat([0.0, 1.0, 0.0, 1.0], [80, 20, 20, 80])
    >>> band = honest_bands(score, positive, np.ones(200))
    >>> [ends.round(3).tolist() for ends in band]
    [[0.0, 0.2, 0.8, 1.0], [0.0, 0.114, 0.688, 0.688], [0.312, 0.312, 0.886, 1.0]]
    """
    x, group = np.unique(score, return_inverse=True)
    found, total = (np.bincount(group, column).astype(np.float64) for column in (positive, weight))
    if digits == "auto":
        # Not below three digits, however many groups that takes: coarser groups would widen the band visibly.
        fitting = (n for n in range(_MOST_DIGITS) if n < 3 or len(_starts(x, n)) <= _MOST_GROUPS)
        digits = None if len(x) <= _MOST_GROUPS else max(fitting)
    alpha = 1.0 - confidence
    at_upper, upper = _upper_ends(x, found, total, digits, alpha)
    # The lower end is the upper end of the other class, read from right to left.
    at_lower, lower = _upper_ends(1.0 - x[::-1], (total - found)[::-1], total[::-1], digits, alpha)
    return _joined(x[at_upper], upper, x[len(x) - 1 - at_lower[::-1]], 1.0 - lower[::-1])


def _starts(x: NDArray[np.float64], digits: int | None) -> NDArray[np.intp]:
    """Return the start of each group of sorted probabilities that are equal after rounding down."""
    if digits is None:
        return np.arange(len(x))
    rounded = np.floor(x * 10.0**digits)
    return np.flatnonzero(np.append(True, rounded[1:] != rounded[:-1]))


def _upper_ends(
    x: NDArray[np.float64], positive: NDArray[np.float64], weight: NDArray[np.float64], digits: int | None, alpha: float
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the indices of x where the upper end steps, and the upper end there.

    The bound of a group holds at its least probability, which all of its rows reach.
    """
    starts = _starts(x, digits)
    return starts, _least_bounds(np.add.reduceat(positive, starts), np.add.reduceat(weight, starts), alpha)


def _least_bounds(positive: NDArray[np.float64], weight: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """Return, for each group, the least of the bounds over all ranges that start there or later."""
    n_groups = len(weight)
    # N (N + 1) / 2 ranges at either end: Bonferroni over all of them.
    level = alpha / (n_groups * (n_groups + 1.0))
    found, total = np.cumsum(np.append(0.0, positive)), np.cumsum(np.append(0.0, weight))
    bounds, least = np.empty(n_groups), 1.0
    # From the right: the least bound of all later ranges is the start for the next.
    for first in range(n_groups - 1, -1, -1):
        a = found[first + 1 :] - found[first] + 1.0
        b = np.maximum(total[first + 1 :] - total[first] + 1.0 - a, 0.0)
        least = bounds[first] = _least_bound(a, b, level, least)
    return bounds


def _least_bound(a: NDArray[np.float64], b: NDArray[np.float64], level: float, least: float) -> float:
    """Return the least upper bound of some ranges, or `least` if none is below it.

    Beta quantiles are slow: they are computed for the most promising range, then for those that may still be below.
    """
    below = b > (1.0 - least) * (a + b - 1.0)  # a bound is never below the frequency itself
    a, b = a[below], b[below]
    if len(a):
        # The exact bound takes a root search: a cheap lower bound of the tail discards almost all ranges before it.
        tail = _log_tail_bound(a, b, least)
        best = int(tail.argmin())
        if tail[best] < np.log(level):
            # The most promising range first: its bound discards most of the others.
            least = min(least, 1.0 - float(betaincinv(b[best], a[best], level)))
            candidates = _log_tail_bound(a, b, least) < np.log(level)
            least = min(least, 1.0 - float(betaincinv(b[candidates], a[candidates], level).max(initial=0.0)))
    return least


def _log_tail_bound(a: NDArray[np.float64], b: NDArray[np.float64], x: float) -> NDArray[np.float64]:
    """Return the logarithm of a lower bound of the probability that a beta variable exceeds x.

    The probability is the hypergeometric series ``(1-x)^b x^a / (b B(a, b)) sum_i prod_{h<i} (a+b+h) (1-x) / (b+1+h)``.
    With a >= 1 each factor is at least 1 - x, so the sum is at least 1 / x.
    """
    # In logarithms: with thousands of rows the tail is below the smallest double.
    with np.errstate(divide="ignore"):
        return np.asarray(b * np.log1p(-x) + (a - 1.0) * np.log(x) - np.log(b) - betaln(a, b))


def _joined(
    at_upper: NDArray[np.float64], upper: NDArray[np.float64], at_lower: NDArray[np.float64], lower: NDArray[np.float64]
) -> Band:
    """Return both ends on one grid from 0 to 1."""
    x = np.unique(np.concatenate([[0.0, 1.0], at_upper, at_lower]))
    after, before = at_upper.searchsorted(x), at_lower.searchsorted(x, side="right")
    return Band(x, np.append(0.0, lower)[before], np.append(upper, 1.0)[after])
