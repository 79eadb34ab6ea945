"""Numbers encoded by the normal distribution of their cluster, at the precision of the column."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import log_ndtr

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NumberBits", "number_bits"]

_MAX_BITS = 30  # of a centre, so that the number of bits fits in 5
_CHOICE_BITS = 5.0  # for the number of bits of a centre
_SPREAD_BITS = 6.0  # spreads are the range divided by a power of the root of 2, up to the 63rd
_ROUNDING = 1e-12  # gaps below this share of the values count as rounding, not as precision
_BIT = math.log(2.0)


class NumberBits(NamedTuple):
    """Bits of the centres, of the spreads, and of the values coded by them."""

    centres: float
    spreads: float
    values: float


def number_bits(values: NDArray[np.float64], cluster: NDArray[np.intp], n_clusters: int) -> NumberBits:
    """Return the bits of numbers, none of them missing, whose range and precision are known to the receiver.

    The precision is the least gap between two different values. Each centre takes b bits, the number of one of
    2^b equal intervals of the range; b is chosen for the shortest total, and is encoded too. A value takes -log2 of
    the probability of its unit of precision in the normal distribution of its cluster.

    Examples
    --------
    >>> values = np.array([0.0, 1, 2, 100, 101, 102])
    >>> [round(sum(number_bits(values, np.array(c), max(c) + 1)), 1) for c in ([0] * 6, [0, 0, 0, 1, 1, 1])]
    [57.2, 39.5]
    """
    if len(values) == 0:
        return NumberBits(0.0, 0.0, 0.0)
    distinct = np.unique(values)
    gaps = np.diff(distinct)
    gaps = gaps[gaps > _ROUNDING * np.abs(distinct).max()]
    if len(gaps) == 0:
        return NumberBits(0.0, 0.0, 0.0)
    step, spread = float(gaps.min()), float(distinct[-1] - distinct[0])
    sizes = np.maximum(np.bincount(cluster, minlength=n_clusters), 1)
    means = np.bincount(cluster, values - distinct[0], n_clusters) / sizes
    max_bits = min(_MAX_BITS, math.ceil(math.log2(spread / step)) + 1)
    codes = (
        _bits_with_centres(values - distinct[0], cluster, sizes, means, step, spread, n_bits)
        for n_bits in range(max_bits + 1)
    )
    return min(codes, key=sum)


def _bits_with_centres(
    values: NDArray[np.float64],
    cluster: NDArray[np.intp],
    sizes: NDArray[np.intp],
    means: NDArray[np.float64],
    step: float,
    spread: float,
    n_bits: int,
) -> NumberBits:
    """Return the bits where each centre has `n_bits`; values are from 0 to `spread`, a `step` apart or more."""
    width = spread / 2**n_bits
    centres = (np.clip(np.floor(means / width), 0, 2**n_bits - 1) + 0.5) * width
    distance = np.abs(values - centres[cluster])
    sd = np.sqrt(np.bincount(cluster, distance**2, len(sizes)) / sizes)
    farthest = np.zeros(len(sizes))
    np.maximum.at(farthest, cluster, distance)
    power = np.where(sd > 0, np.rint(-2 * np.log2(np.maximum(sd, 1e-300) / spread)), 63)
    power = np.where(farthest < 0.5 * step, 63, np.clip(power, 0, 63))  # the centre alone identifies the value
    scale = (spread * 2.0 ** (-power / 2))[cluster]
    bits = -_log_probability(distance / scale, step / scale).sum() / _BIT
    return NumberBits(_CHOICE_BITS + n_bits * len(sizes), _SPREAD_BITS * len(sizes), float(bits))


def _log_probability(distance: NDArray[np.float64], width: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log-probability of an interval of some width, at some distance from the mean of a standard normal."""
    near, far = log_ndtr(0.5 * width - distance), log_ndtr(-0.5 * width - distance)
    between = near + np.log1p(-np.exp(np.minimum(far - near, -1e-15)))
    density = -0.5 * distance**2 + np.log(width) - 0.5 * math.log(2 * math.pi)
    # Below 1e-4 the difference of two close probabilities loses more digits than the density times the width
    return np.where(width * (1.0 + distance) < 1e-4, density, between)
