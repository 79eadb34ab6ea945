"""The null distribution of the signed-rank sum, and the pseudo-median with its interval (Hodges & Lehmann 1963)."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["EXACT_UP_TO", "pseudo_median", "pseudo_median_interval", "signed_rank_pvalue"]

_ALL_AVERAGES_UP_TO = 150  # values: bisection takes as long for 300, and less for more
EXACT_UP_TO = 200  # pairs; beyond, the normal approximation is within 0.001 of the exact p-value


def signed_rank_pvalue(positive: float, ranks: NDArray[np.float64]) -> float:
    """Return the two-sided p-value of the sum of the ranks of positive differences, exact even with tied ranks.

    Examples
    --------
    >>> signed_rank_pvalue(1.0, np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    0.125
    """
    if len(ranks) == 0:
        return 1.0
    tail = min(positive, float(ranks.sum()) - positive)
    if len(ranks) <= EXACT_UP_TO:
        probabilities = _sum_probabilities(np.rint(2 * ranks).astype(np.intp))
        return min(1.0, 2.0 * float(probabilities[: round(2 * tail) + 1].sum()))
    deviation = tail - 0.5 * float(ranks.sum())
    return 2.0 * float(ndtr(min(0.0, deviation + 0.5) / (0.5 * math.sqrt(float((ranks**2).sum())))))


def pseudo_median(values: NDArray[np.float64]) -> float:
    """Return the median of the averages of all pairs of values, each paired with itself too.

    Examples
    --------
    >>> pseudo_median(np.array([1.0, 2.0, 9.0]))
    3.5
    """
    ordered, n_pairs = np.sort(values), len(values) * (len(values) + 1) // 2
    return 0.5 * (_pair_average(ordered, (n_pairs + 1) // 2) + _pair_average(ordered, n_pairs // 2 + 1))


def pseudo_median_interval(values: NDArray[np.float64], confidence: float) -> tuple[float, float]:
    """Return the limits of the shifts that the signed-rank test does not reject; infinite where values are too few.

    Examples
    --------
    >>> pseudo_median_interval(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 9.0]), 0.95)
    (1.0, 9.0)
    """
    n, tail = len(values), 0.5 * (1.0 - confidence)
    n_pairs = n * (n + 1) // 2
    if n <= EXACT_UP_TO:
        k = int(np.searchsorted(np.cumsum(_sum_probabilities(np.arange(1, n + 1))), tail, side="right"))
    else:
        k = math.floor(n_pairs / 2 + float(ndtri(tail)) * math.sqrt(n_pairs * (2 * n + 1) / 12))
    ordered = np.sort(values)
    return (_pair_average(ordered, k), _pair_average(ordered, n_pairs + 1 - k)) if k else (-math.inf, math.inf)


def _sum_probabilities(ranks: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the probability of each sum of a random subset of the ranks, each rank in it with probability 1/2."""
    return _sorted_sum_probabilities(tuple(np.sort(ranks).tolist()))


@lru_cache(maxsize=16)  # all pairs of methods over the same data sets have the same ranks, ties apart
def _sorted_sum_probabilities(ranks: tuple[int, ...]) -> NDArray[np.float64]:
    probabilities = np.zeros(sum(ranks) + 1)
    probabilities[0], top = 1.0, 0
    for rank in ranks:
        top += rank
        probabilities[rank : top + 1] += probabilities[: top + 1 - rank].copy()
        probabilities[: top + 1] *= 0.5
    probabilities.flags.writeable = False
    return probabilities


def _pair_average(ordered: NDArray[np.float64], k: int) -> float:
    """Return the k-th least average of two of the sorted values; of many by bisection to adjacent floats."""
    if len(ordered) <= _ALL_AVERAGES_UP_TO:
        one, other = _all_pairs(len(ordered))
        return float(np.partition(0.5 * (ordered[one] + ordered[other]), k - 1)[k - 1])
    low, high = float(ordered[0]), float(ordered[-1])
    if _n_averages_up_to(ordered, low) >= k:
        return low
    while low < (middle := low + 0.5 * (high - low)) < high:
        low, high = (low, middle) if _n_averages_up_to(ordered, middle) >= k else (middle, high)
    return _nearest_average(ordered, high)


@lru_cache(maxsize=4)
def _all_pairs(n: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    one, other = np.triu_indices(n)
    return one, other


def _nearest_average(ordered: NDArray[np.float64], limit: float) -> float:
    """Return the average nearest to the limit of a bisection, so that 0 is 0 and not a rounding error."""
    above = np.minimum(np.searchsorted(ordered, 2 * limit - ordered), len(ordered) - 1)
    averages = 0.5 * np.concatenate([ordered + ordered[above], ordered + ordered[np.maximum(above - 1, 0)]])
    return float(averages[np.argmin(np.abs(averages - limit))])


def _n_averages_up_to(ordered: NDArray[np.float64], limit: float) -> int:
    partners = np.searchsorted(ordered, 2 * limit - ordered, side="right")
    return int((int(partners.sum()) + int((ordered <= limit).sum())) // 2)
