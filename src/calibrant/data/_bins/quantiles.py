"""Which values close a bin: those where the cumulated weight reaches a multiple of an equal share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ColumnBins", "distinct_bins", "share_targets"]

# Greatest and least value of each bin; the same array where every bin has one value.
ColumnBins = tuple["NDArray[np.float64]", "NDArray[np.float64]"]


def share_targets(total: float, step: float, n_bins: int) -> NDArray[np.float64]:
    """Return the cumulated weights at which bins close, i times the total over the number of bins, rounded up.

    Weights are multiples of ``step``, a power of two, and so are these: comparisons with sums of weights are exact.

    Examples
    --------
    >>> share_targets(10.0, 1.0, 4)
    array([ 3.,  5.,  8., 10.])
    """
    units = round(total / step)
    return np.array([-(-i * units // n_bins) * step for i in range(1, n_bins + 1)])


def distinct_bins(values: NDArray[np.floating[Any]]) -> ColumnBins:
    """Return a bin for each of the distinct values, which are sorted."""
    highs = values.astype(np.float64) + 0.0  # -0.0 becomes 0.0
    return highs, highs
