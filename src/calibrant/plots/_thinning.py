"""Curves of very many points, thinned out to what a picture can show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MAX_POINTS", "thin"]

MAX_POINTS = 10_000  # fewer are drawn as they are; a million take seconds to draw and megabytes to save
_N_STRETCHES = 1_000  # of equal length: a pixel or two of a curve without much noise


def thin(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return few points of a line of very many that look the same: of each stretch both ends, lowest and highest.

    Examples
    --------
    >>> x = np.linspace(0, 1, 100_001)
    >>> thinned_x, thinned_y = thin(x, x**2)
    >>> len(thinned_x) <= 4000, thinned_x[0], thinned_y[-1]
    (True, np.float64(0.0), np.float64(1.0))
    """
    if len(x) <= MAX_POINTS:
        return x, y
    length = np.cumsum(_steps(x) + _steps(y))
    stretch = np.minimum((length / (length[-1] or 1.0) * _N_STRETCHES).astype(np.intp), _N_STRETCHES - 1)
    by_height = np.lexsort([y, stretch])
    ends = np.flatnonzero(np.diff(stretch, prepend=-1)), np.flatnonzero(np.diff(stretch, append=-1))
    kept = np.unique(np.concatenate([*ends, by_height[ends[0]], by_height[ends[1]]]))
    return x[kept], y[kept]


def _steps(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distance of each value from the one before, as a share of the range."""
    return np.abs(np.diff(values, prepend=values[0])) / (float(np.ptp(values)) or 1.0)
