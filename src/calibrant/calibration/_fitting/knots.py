"""Maps given at a few scores: lines between knots that keep the order of scores, and the middle of two scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["between", "midpoints"]

_LARGE = 1e307  # differences of larger numbers may overflow


def midpoints(lower: NDArray[np.float64], upper: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the middle of each pair of scores, above the lower one even where no number lies between.

    Examples
    --------
    >>> midpoints(np.array([1.0, 1.0]), np.array([2.0, np.nextafter(1.0, 2.0)])) > 1.0
    array([ True,  True])
    """
    middle = lower / 2 + upper / 2
    return np.where(middle > lower, middle, upper)


def between(
    scores: NDArray[np.float64], knots: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Give values on the lines between knots, those of the ends beyond them; a greater score never has a smaller one.

    Examples
    --------
    >>> between(np.array([0.0, 1.5, 9.0]), np.array([1.0, 2.0]), np.array([0.2, 0.6]))
    array([0.2, 0.4, 0.6])
    """
    if len(knots) == 1:
        return np.full(len(scores), values[0])
    inside = np.clip(scores, knots[0], knots[-1])
    place = np.clip(np.searchsorted(knots, inside, side="right") - 1, 0, len(knots) - 2)
    unit = 0.25 if max(abs(knots[0]), abs(knots[-1])) > _LARGE else 1.0
    start = unit * knots[place]
    share = (unit * inside - start) / (unit * knots[place + 1] - start)
    low, high = values[place], values[place + 1]
    return np.clip(low + share * (high - low), low, high)
