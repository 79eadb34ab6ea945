"""Rows drawn with replacement by their weights: those of a part of the rows without the others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from calibrant import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["draw_rows"]

_DRAWS_BITS = 32  # draws are split by a bit each, which takes 0.1 s for each halving of so many


def draw_rows(
    weights: NDArray[np.float64], seed: int, *, before: float = 0.0, total: float | None = None
) -> NDArray[np.float64]:
    """Return how often each row is drawn, where as many rows are drawn as the weights of all rows add up to.

    Each draw is a point on the axis of cumulative weights, where `before` is the weight of the rows before these and
    `total` that of all rows. Weights whose sums are exact are drawn the same whatever the parts. From a total of 2^32
    on, a draw counts as the least power of two with which there are fewer than 2^32 draws.

    Examples
    --------
    >>> weights = np.array([1.0, 0.0, 6.0, 2.0, 0.5, 0.5])
    >>> draw_rows(weights, 3)
    array([2., 0., 4., 3., 1., 0.])
    >>> draw_rows(weights[3:], 3, before=7.0, total=10.0)
    array([3., 1., 0.])
    """
    edges = before + np.concatenate([[0.0], np.cumsum(weights)])
    total = float(edges[-1]) if total is None else total
    unit = math.ldexp(1.0, max(0, math.frexp(total)[1] - _DRAWS_BITS))
    return np.asarray(_core.draw_by_weight(seed, max(1, round(total / unit)), total, edges)) * unit
