"""A number for each row of a table, the same for equal rows: to sort rows by their values and to find copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["hash_codes"]

# The multiplier and the shift of SplitMix64 (Steele, Lea & Flood 2014), which spread every bit over all.
_FACTOR, _SHIFT = np.uint64(0xBF58476D1CE4E5B9), np.uint64(29)


def hash_codes(columns: Sequence[NDArray[Any]], n_rows: int) -> NDArray[np.uint64]:
    """Return a hash of each row of whole numbers, or of numbers by their bits; two that differ collide rarely.

    Examples
    --------
    >>> hashes = hash_codes([np.array([1, 2, 1]), np.array([0.5, 0.5, 0.5])], 3)
    >>> hashes[0] == hashes[2], hashes[0] == hashes[1]
    (np.True_, np.False_)
    """
    found = np.zeros(n_rows, dtype=np.uint64)
    for column in columns:
        # 0.0 is added because -0.0 equals 0.0 with other bits
        bits = (
            (column.astype(np.float64) + 0.0).view(np.uint64) if column.dtype.kind == "f" else column.astype(np.uint64)
        )
        found = (found ^ (bits + np.uint64(1))) * _FACTOR
        found ^= found >> _SHIFT
    return found
