"""Curves of very many points reduced to what can be seen of them, before anything else is made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.report._charts.thinning import extremes_of_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["kept_points"]

_FEW = 5_000


def kept_points(x: NDArray[np.float64], y: NDArray[np.float64], *, top: float = 1.0) -> NDArray[np.intp]:
    """Return the indices of the points to keep of a curve over x from 0 to 1, y from 0 to `top`.

    The chart thins the curve with a bound on its error, of which this is the first step: taken twice it is as once.
    The pages of thirty classes of a million rows would not fit into memory without it.

    Examples
    --------
    >>> x = np.linspace(0, 1, 100_001)
    >>> kept = kept_points(x, x**2)
    >>> len(kept) <= 10_002, kept[0], kept[-1]
    (True, np.int64(0), np.int64(100000))
    """
    if len(x) <= _FEW:
        return np.arange(len(x))
    return extremes_of_columns(x, (y / top,), np.isfinite(x) & np.isfinite(y))
