"""The distinct values of a numeric column as long as they are few, and a sample of them where they are many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NO_VALUES", "DistinctValues", "distinct_values"]

_PEEK = 4096  # rows that show in most cases that a column has many values


@dataclass(frozen=True, eq=False)
class DistinctValues:
    """At most ``most`` distinct values in order, or None if there are more."""

    values: NDArray[np.float64] | None
    most: int

    def merge(self, other: DistinctValues) -> DistinctValues:
        """Return the distinct values of both."""
        if self.values is None or other.values is None:
            return DistinctValues(None, self.most)
        return _limited(np.union1d(self.values, other.values), self.most)


NO_VALUES = DistinctValues(None, 0)


def distinct_values(values: NDArray[np.floating[Any]], most: int) -> DistinctValues:
    """Return the distinct values of a column, without NaN, if there are at most ``most``.

    Examples
    --------
    >>> distinct_values(np.array([2.0, np.nan, -0.0, 2.0, 0.0]), 3).values
    array([0., 2.])
    >>> distinct_values(np.array([2.0, 1.0, 3.0]), 2).values is None
    True
    """
    if not most or len(_distinct(values[:_PEEK])) > most:
        return DistinctValues(None, most)
    return _limited(_distinct(values), most)


def _distinct(values: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    found = np.unique(values)
    return found[~np.isnan(found)].astype(np.float64) + 0.0  # -0.0 becomes 0.0


def _limited(values: NDArray[np.float64], most: int) -> DistinctValues:
    return DistinctValues(values if len(values) <= most else None, most)
