"""Numbers told by the normal distribution of their cluster, at the precision that they have."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import log_ndtr

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NumberBits", "number_bits"]

_MOST_BITS = 30  # of a centre
_CHOICE_BITS = 5.0  # to say how many bits centres have
_SPREAD_BITS = 6.0  # spreads are the range divided by a power of the root of 2, up to the 63rd
_ROUNDING = 1e-12  # gaps below this share of the values are the computer's
_BIT = math.log(2.0)


class NumberBits(NamedTuple):
    """Bits of the centres, of the spreads, and of the values by them."""

    centres: float
    spreads: float
    values: float


def number_bits(values: NDArray[np.float64], cluster: NDArray[np.intp], n_clusters: int) -> NumberBits:
    """Give the bits of numbers, none of them missing, whose range and precision are known to the receiver.

    The precision is the least gap between two different values. Each centre takes b bits, which point at one of 2^b
    equal parts of the range; b is the number that makes all shortest, and is told. A value takes -log2 of the
    probability that the normal distribution of its cluster gives to its unit of precision.

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
    step, reach = float(gaps.min()), float(distinct[-1] - distinct[0])
    sizes = np.maximum(np.bincount(cluster, minlength=n_clusters), 1)
    means = np.bincount(cluster, values - distinct[0], n_clusters) / sizes
    most = min(_MOST_BITS, math.ceil(math.log2(reach / step)) + 1)
    told = (_with_centres(values - distinct[0], cluster, sizes, means, step, reach, b) for b in range(most + 1))
    return min(told, key=sum)


def _with_centres(
    values: NDArray[np.float64],
    cluster: NDArray[np.intp],
    sizes: NDArray[np.intp],
    means: NDArray[np.float64],
    step: float,
    reach: float,
    n_bits: int,
) -> NumberBits:
    """Give the bits where centres have so many each."""
    width = reach / 2**n_bits
    centres = (np.clip(np.floor(means / width), 0, 2**n_bits - 1) + 0.5) * width
    away = np.abs(values - centres[cluster])
    spreads = np.sqrt(np.bincount(cluster, away**2, len(sizes)) / sizes)
    farthest = np.zeros(len(sizes))
    np.maximum.at(farthest, cluster, away)
    power = np.where(spreads > 0, np.rint(-2 * np.log2(np.maximum(spreads, 1e-300) / reach)), 63)
    power = np.where(farthest < 0.5 * step, 63, np.clip(power, 0, 63))  # the centre says all
    scale = (reach * 2.0 ** (-power / 2))[cluster]
    bits = -_log_chance(away / scale, step / scale).sum() / _BIT
    return NumberBits(_CHOICE_BITS + n_bits * len(sizes), _SPREAD_BITS * len(sizes), float(bits))


def _log_chance(away: NDArray[np.float64], width: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the log-probability of an interval of some width, some way from the middle of a normal distribution."""
    near, far = log_ndtr(0.5 * width - away), log_ndtr(-0.5 * width - away)
    between = near + np.log1p(-np.exp(np.minimum(far - near, -1e-15)))
    density = -0.5 * away**2 + np.log(width) - 0.5 * math.log(2 * math.pi)
    return np.where(width * (1.0 + away) < 1e-4, density, between)
