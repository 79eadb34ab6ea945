"""The range and the number of distinct values of numeric columns, by one pass over a source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant.bayes._streams.part_batch import BatchReader
from calibrant.data._internal import Source, SourcePart, hash_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ValueRange", "find_ranges"]

_MOST_HASHES = 2**14  # the number of distinct values then has a standard error of 0.8 %; up to so many it is exact
_SPAN = 2.0**64


@dataclass(frozen=True, eq=False)
class ValueRange:
    """The least and the greatest finite value, and the least hashes of distinct ones (Bar-Yossef et al. 2002)."""

    low: float
    high: float
    hashes: NDArray[np.uint64]

    @classmethod
    def of(cls, values: NDArray[np.floating]) -> ValueRange:
        """Return the range of some values.

        Examples
        --------
        >>> found = ValueRange.of(np.array([2.0, 5.0, 2.0, np.nan]))
        >>> found.low, found.high, found.n_distinct
        (2.0, 5.0, 2.0)
        """
        finite = np.unique(values[np.isfinite(values)].astype(np.float64) + 0.0)
        hashes = np.sort(hash_codes([finite], len(finite)))[:_MOST_HASHES]
        return cls(float(finite.min(initial=np.inf)), float(finite.max(initial=-np.inf)), hashes)

    @property
    def n_distinct(self) -> float:
        """The number of distinct values, estimated where they are many."""
        if len(self.hashes) < _MOST_HASHES:
            return float(len(self.hashes))
        return (_MOST_HASHES - 1) / ((float(self.hashes[-1]) + 1.0) / _SPAN)

    def merge(self, other: ValueRange) -> ValueRange:
        """Return the range of the values of both."""
        hashes = np.union1d(self.hashes, other.hashes)[:_MOST_HASHES]
        return ValueRange(min(self.low, other.low), max(self.high, other.high), hashes)


def find_ranges(source: Source, reader: BatchReader) -> list[ValueRange]:
    """Return the range of each numeric column."""
    return source.reduce(_ranges_of_part, reader, merge=_merge_ranges, description="Finding ranges")


def _ranges_of_part(part: SourcePart, reader: BatchReader) -> list[ValueRange]:
    arrays = part.columns(reader.schema).arrays
    return [ValueRange.of(arrays[column]) for column in reader.numeric]


def _merge_ranges(first: list[ValueRange], second: list[ValueRange]) -> list[ValueRange]:
    return [one.merge(other) for one, other in zip(first, second, strict=True)]
