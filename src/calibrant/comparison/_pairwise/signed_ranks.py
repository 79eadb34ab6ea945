"""How the sum of signed ranks is distributed where the signs are chance, and the averages of pairs that go with it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["EXACT_UP_TO", "pseudo_median", "pseudo_median_interval", "signed_rank_pvalue"]

EXACT_UP_TO = 200  # pairs; beyond, the normal distribution is within 0.001 of the exact one


def signed_rank_pvalue(positive: float, ranks: NDArray[np.float64]) -> float:
    """Give the two-sided p-value of the sum of the ranks of positive differences, exact for ranks that are tied too.

    Examples
    --------
    >>> signed_rank_pvalue(1.0, np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    0.125
    """
    if len(ranks) == 0:
        return 1.0
    tail = min(positive, float(ranks.sum()) - positive)
    if len(ranks) <= EXACT_UP_TO:
        chances = _chances(np.rint(2 * ranks).astype(np.intp))
        return min(1.0, 2.0 * float(chances[: round(2 * tail) + 1].sum()))
    deviation = tail - 0.5 * float(ranks.sum())
    return 2.0 * float(ndtr(min(0.0, deviation + 0.5) / (0.5 * math.sqrt(float((ranks**2).sum())))))


def pseudo_median(values: NDArray[np.float64]) -> float:
    """Give the median of the averages of all pairs of values, each with itself too (Hodges & Lehmann 1963).

    Examples
    --------
    >>> pseudo_median(np.array([1.0, 2.0, 9.0]))
    3.5
    """
    ordered, n_pairs = np.sort(values), len(values) * (len(values) + 1) // 2
    return 0.5 * (_pair_average(ordered, (n_pairs + 1) // 2) + _pair_average(ordered, n_pairs // 2 + 1))


def pseudo_median_interval(values: NDArray[np.float64], confidence: float) -> tuple[float, float]:
    """Give the shifts of all values that the signed-rank test does not reject; infinite where there are too few.

    Examples
    --------
    >>> pseudo_median_interval(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 9.0]), 0.95)
    (1.0, 9.0)
    """
    n, tail = len(values), 0.5 * (1.0 - confidence)
    n_pairs = n * (n + 1) // 2
    if n <= EXACT_UP_TO:
        k = int(np.searchsorted(np.cumsum(_chances(np.arange(1, n + 1))), tail, side="right"))
    else:
        k = math.floor(n_pairs / 2 + float(ndtri(tail)) * math.sqrt(n_pairs * (2 * n + 1) / 12))
    ordered = np.sort(values)
    return (_pair_average(ordered, k), _pair_average(ordered, n_pairs + 1 - k)) if k else (-math.inf, math.inf)


def _chances(ranks: NDArray[np.intp]) -> NDArray[np.float64]:
    """Give the chance of each sum of some of the ranks, every rank being in it or not like a coin."""
    chances = np.zeros(int(ranks.sum()) + 1)
    chances[0], top = 1.0, 0
    for rank in np.sort(ranks):
        top += int(rank)
        chances[rank : top + 1] += chances[: top + 1 - rank].copy()
        chances[: top + 1] *= 0.5
    return chances


def _pair_average(ordered: NDArray[np.float64], k: int) -> float:
    """Give the k-th least average of two of the sorted values, by halving until two numbers are neighbours."""
    low, high = float(ordered[0]), float(ordered[-1])
    if _n_averages_up_to(ordered, low) >= k:
        return low
    while low < (middle := low + 0.5 * (high - low)) < high:
        low, high = (low, middle) if _n_averages_up_to(ordered, middle) >= k else (middle, high)
    return _nearest_average(ordered, high)


def _nearest_average(ordered: NDArray[np.float64], limit: float) -> float:
    """Give the average itself that halving has come to, so that what is 0 is not a rounding error."""
    above = np.minimum(np.searchsorted(ordered, 2 * limit - ordered), len(ordered) - 1)
    averages = 0.5 * np.concatenate([ordered + ordered[above], ordered + ordered[np.maximum(above - 1, 0)]])
    return float(averages[np.argmin(np.abs(averages - limit))])


def _n_averages_up_to(ordered: NDArray[np.float64], limit: float) -> int:
    partners = np.searchsorted(ordered, 2 * limit - ordered, side="right")
    return int((int(partners.sum()) + int((ordered <= limit).sum())) // 2)
