"""The standard error of a weighted mean, over rows or over groups of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["standard_error_of_mean"]


def standard_error_of_mean(
    values: NDArray[np.float64], weight: NDArray[np.float64], groups: NDArray[np.intp] | None = None
) -> float:
    """Return the standard error of a weighted mean; rows of a group are one observation.

    Without groups weights are frequencies. With groups it is that of a ratio of totals of groups (Cochran 1977), which
    holds for weights of any kind.

    Examples
    --------
    >>> values = np.array([1.0, 1.0, 3.0, 3.0])
    >>> round(standard_error_of_mean(values, np.ones(4)), 3)
    0.577
    >>> standard_error_of_mean(values, np.ones(4), np.array([0, 0, 1, 1]))
    1.0
    """
    total = float(weight.sum())
    deviations = values - float(weight @ values) / total
    if groups is None:
        return float(np.sqrt(float(weight @ deviations**2) / max(total - 1.0, 1.0) / total))
    sums, sizes = np.bincount(groups, weight * deviations), np.bincount(groups)
    n_groups = int(np.count_nonzero(sizes))
    return float(np.sqrt(float(sums @ sums) * n_groups / max(n_groups - 1, 1)) / total)
