"""Piecewise linear maps between knots that preserve the order of scores, and midpoints of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["interpolate", "midpoints"]

_LARGE = 1e307  # differences of larger numbers may overflow


def midpoints(lower: NDArray[np.float64], upper: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the midpoint of each pair of scores, above the lower one even where no double lies between.

    Examples
    --------
    >>> midpoints(np.array([1.0, 1.0]), np.array([2.0, np.nextafter(1.0, 2.0)])) > 1.0
    array([ True,  True])
    """
    middle = lower / 2 + upper / 2
    return np.where(middle > lower, middle, upper)


def interpolate(
    scores: NDArray[np.float64], knots: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Interpolate linearly between knots, constant beyond the ends; rounding never makes the result decrease.

    Examples
    --------
    >>> interpolate(np.array([0.0, 1.5, 9.0]), np.array([1.0, 2.0]), np.array([0.2, 0.6]))
    array([0.2, 0.4, 0.6])
    """
    if len(knots) == 1:
        return np.full(len(scores), values[0])
    inside = np.clip(scores, knots[0], knots[-1])
    left = np.clip(np.searchsorted(knots, inside, side="right") - 1, 0, len(knots) - 2)
    unit = 0.25 if max(abs(knots[0]), abs(knots[-1])) > _LARGE else 1.0
    start = unit * knots[left]
    share = (unit * inside - start) / (unit * knots[left + 1] - start)
    low, high = values[left], values[left + 1]
    return np.clip(low + share * (high - low), low, high)
