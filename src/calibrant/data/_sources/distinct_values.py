"""The distinct values of a numeric column as long as they are few, and a sample of them where they are many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NO_VALUES", "DistinctValues", "ValueSample", "distinct_values"]

_PEEK = 4096  # rows that show in most cases that a column has many values
_PART_SAMPLE = 1024  # values of a part
_MOST_SAMPLED = 2**16  # values of all parts: some for each of the 2**14 cells that are counted next


@dataclass(frozen=True, eq=False)
class ValueSample:
    """About every ``rate``-th value of a column, of parts in order; the rate is a power of two."""

    values: NDArray[np.float64]
    rate: int

    def merge(self, other: ValueSample) -> ValueSample:
        """Return a sample of both at the same rate."""
        rate = max(self.rate, other.rate)
        values = np.concatenate([each.values[:: rate // each.rate] for each in (self, other)])
        while len(values) > _MOST_SAMPLED:
            values, rate = values[::2], 2 * rate
        return ValueSample(values, rate)

    def known(self) -> NDArray[np.float64]:
        """Return the values that are not missing, sorted."""
        return np.sort(self.values[~np.isnan(self.values)])


def _sample(values: NDArray[np.floating[Any]]) -> ValueSample:
    rate = 1 << max(0, (len(values) // _PART_SAMPLE).bit_length() - 1)
    return ValueSample(values[::rate].astype(np.float64), rate)


@dataclass(frozen=True, eq=False)
class DistinctValues:
    """At most ``most`` distinct values in order, or None if there are more; and a sample of all values."""

    values: NDArray[np.float64] | None
    most: int
    sample: ValueSample

    def merge(self, other: DistinctValues) -> DistinctValues:
        """Return the distinct values of both."""
        sample = self.sample.merge(other.sample)
        if self.values is None or other.values is None:
            return DistinctValues(None, self.most, sample)
        return _limited(np.union1d(self.values, other.values), self.most, sample)


NO_VALUES = DistinctValues(None, 0, ValueSample(np.empty(0), 1))


def distinct_values(values: NDArray[np.floating[Any]], most: int) -> DistinctValues:
    """Return the distinct values of a column, without NaN, if there are at most ``most``.

    Examples
    --------
    >>> distinct_values(np.array([2.0, np.nan, -0.0, 2.0, 0.0]), 3).values
    array([0., 2.])
    >>> distinct_values(np.array([2.0, 1.0, 3.0]), 2).values is None
    True
    """
    if not most:
        return NO_VALUES
    if len(_distinct(values[:_PEEK])) > most:
        return DistinctValues(None, most, _sample(values))
    return _limited(_distinct(values), most, _sample(values))


def _distinct(values: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    found = np.unique(values)
    return found[~np.isnan(found)].astype(np.float64) + 0.0  # -0.0 becomes 0.0


def _limited(values: NDArray[np.float64], most: int, sample: ValueSample) -> DistinctValues:
    return DistinctValues(values if len(values) <= most else None, most, sample)
