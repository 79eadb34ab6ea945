"""Consistency bands of bins: the exact spread of the observed frequency of calibrated probabilities, without draws.

The number of positives in a bin is Poisson-binomial. Its distribution is the Fourier transform of its characteristic
function (Hong 2013, "On computing the distribution function for the Poisson binomial distribution") or, where the
variance is large, normal with a correction for skewness (Volkova 1996).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BinBand", "bin_bands", "merge_neighbours"]

_LARGE_VARIANCE = 400.0  # beyond it the corrected normal quantile is at most one count from the exact one
_MAX_GROUPS = 1_000  # more distinct probabilities in a bin are averaged: neighbours hardly differ


class BinBand(NamedTuple):
    """The lower and upper ends of a band, one for each bin."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


def bin_bands(
    bin_: NDArray[np.intp], score: NDArray[np.float64], weight: NDArray[np.float64], *, confidence: float
) -> tuple[BinBand, BinBand]:
    """Return the pointwise and the simultaneous band of the observed frequency in each bin.

    Parameters
    ----------
    bin_ : array of shape (n_groups,)
        The bin of each group of tied rows, numbered from 0 without gaps.
    score, weight : array of shape (n_groups,)
        The probability and the number of rows of each group, by increasing probability; a fractional number counts as
        the next integer of rows that weigh less.
    confidence : float
        The probability that the frequency of one bin lies inside the pointwise band, and those of all bins inside the
        simultaneous one; at least, because numbers of positives are whole. Bins are independent, so each has the
        confidence to the power of 1 / n_bins (Šidák).

    Returns
    -------
    tuple of two BinBand
        The pointwise and the simultaneous band.

    Examples
    --------
    >>> one = bin_bands(np.array([0]), np.array([0.5]), np.array([100.0]), confidence=0.95)[0]
    >>> one.lower, one.upper
    (array([0.4]), array([0.6]))
    """
    n_bins = int(bin_[-1]) + 1
    levels = np.array([confidence, confidence ** (1.0 / n_bins)])
    tails = np.stack([(1.0 - levels) / 2.0, (1.0 + levels) / 2.0], axis=1).ravel()
    starts = np.searchsorted(bin_, np.arange(n_bins + 1))
    ends = np.array([_quantiles(score[a:b], weight[a:b], tails) for a, b in pairwise(starts)])
    return BinBand(ends[:, 0], ends[:, 1]), BinBand(ends[:, 2], ends[:, 3])


def merge_neighbours(
    score: NDArray[np.float64], weight: NDArray[np.float64], max_groups: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean score and the weight of at most `max_groups` groups of neighbours.

    Examples
    --------
    >>> merge_neighbours(np.array([0.1, 0.2, 0.8]), np.array([1.0, 3.0, 1.0]), 2)
    (array([0.175, 0.8  ]), array([4., 1.]))
    """
    if len(score) <= max_groups:
        return score, weight
    starts = np.arange(0, len(score), -(-len(score) // max_groups))
    total = np.add.reduceat(weight, starts)
    return np.add.reduceat(weight * score, starts) / total, total


def _quantiles(
    score: NDArray[np.float64], weight: NDArray[np.float64], tails: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return quantiles of the observed frequency of one bin."""
    total, spread = float(weight.sum()), weight * score * (1.0 - score)
    if spread.sum() <= 0:
        return np.full(len(tails), float((weight * score).sum()) / total)
    scale = float((spread * weight / np.ceil(weight)).sum() / spread.sum())  # 1 for whole numbers of rows
    p, n = merge_neighbours(score, weight / scale, _MAX_GROUPS)
    is_large = float((n * p * (1.0 - p)).sum()) >= _LARGE_VARIANCE
    counts = _normal_counts(p, n, tails) if is_large else _exact_counts(p, n, tails)
    return np.clip(counts * scale / total, 0.0, 1.0)


def _normal_counts(p: NDArray[np.float64], n: NDArray[np.float64], tails: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.special import ndtri  # slow to import

    variance = n * p * (1.0 - p)
    deviation, z = np.sqrt(variance.sum()), ndtri(tails)
    skewness = (variance * (1.0 - 2.0 * p)).sum() / deviation**3
    return np.asarray(np.ceil((n * p).sum() + deviation * (z + skewness * (z**2 - 1.0) / 6.0) - 0.5))


def _exact_counts(p: NDArray[np.float64], n: NDArray[np.float64], tails: NDArray[np.float64]) -> NDArray[np.float64]:
    mean, deviation = float((n * p).sum()), float(np.sqrt((n * p * (1.0 - p)).sum()))
    first = max(int(mean - 12.0 * deviation - 20.0), 0)  # all but 1e-16 of the probability lies in this window
    size = int(24.0 * deviation + 42.0) + 1
    angle = 2j * np.pi * np.fft.fftfreq(size)  # around 0, where the logarithm is continuous, for fractional n
    with np.errstate(divide="ignore"):
        logs = np.log1p(p[:, np.newaxis] * np.expm1(angle)) * n[:, np.newaxis]
    mass = np.fft.fft(np.exp(logs.sum(axis=0) - first * angle)).real / size
    return first + np.searchsorted(np.cumsum(np.maximum(mass, 0.0)), tails * (1.0 - 1e-12)).astype(np.float64)
