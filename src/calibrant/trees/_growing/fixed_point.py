"""Weights in fixed point: multiples of a power of two, whose sums are exact and the same in any order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from calibrant._exact_sums import round_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["fixed_point_step", "fixed_point_weights"]

_EXACT_BITS = 53  # of a double
_COUNT_BITS = 8  # a row that is drawn more than 256 times by chance has not been seen since the universe began


def fixed_point_step(total: float) -> float:
    """Return the power of two whose multiples add up to `total`, times the greatest count of a bag, without rounding.

    Examples
    --------
    >>> fixed_point_step(1000.0) == 2.0 ** (10 + 8 - 53)
    True
    """
    return math.ldexp(1.0, math.frexp(total)[1] + _COUNT_BITS - _EXACT_BITS)


def fixed_point_weights(weights: NDArray[np.float64], total: float | None = None) -> NDArray[np.float64]:
    """Return weights rounded to multiples of one power of two, whole ones as they are; `total` is their exact sum.

    Every sum of them, each counted up to 256 times, is exact in a double, so neither the order of rows nor how they are
    partitioned changes it. A weight above 0 stays above 0.

    Examples
    --------
    >>> fixed_point_weights(np.array([1.0, 2.0, 3.0])).tolist()
    [1.0, 2.0, 3.0]
    >>> rounded = fixed_point_weights(np.array([0.1, 0.2, 0.3]))
    >>> float(np.abs(rounded - [0.1, 0.2, 0.3]).max()) < 1e-13, rounded.sum() == rounded[::-1].sum()
    (True, np.True_)
    """
    total = math.fsum(weights) if total is None else total
    step = fixed_point_step(total)
    if step <= 1.0 and (weights == np.floor(weights)).all():
        return weights
    return np.where(weights > 0, np.maximum(round_weights(weights, step), step), 0.0)
