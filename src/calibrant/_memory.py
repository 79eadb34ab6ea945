"""The memory of the machine: checks that an array will fit before it is made, caches of bounded size."""

from __future__ import annotations

import os
import sys
from collections import OrderedDict
from collections.abc import Hashable
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Any

from calibrant.exceptions import DataError

FLOAT_BYTES = 8
# Class counts may take a fifth of the memory: the estimates made from them take as much again, and more.
_COUNT_SHARE = 5
# Below 256 MB the memory is not looked up: the check would take longer than a small prediction.
_ALWAYS_ALLOWED = 2**28
# A continuous value coded exactly: a code of 4 bytes, the value itself, and a key of 4 bytes by which a node is sorted.
_EXACT_BYTES = 16
_CONTAINER_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@cache
def machine_memory() -> int:
    """Return the bytes of memory of the machine, or of the container that this runs in.

    Examples
    --------
    >>> machine_memory() > 2**20
    True
    """
    limits = [int(text) for path in _CONTAINER_LIMITS if (text := _read_text(path)).isdigit()]
    try:
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):  # Windows has no sysconf
        limits.append(sys.maxsize)
    return min(limits)


def count_memory() -> int:
    """Return the bytes that tables of class counts may take.

    Examples
    --------
    >>> count_memory() < machine_memory()
    True
    """
    return machine_memory() // _COUNT_SHARE


def check_output_memory(n_rows: int, n_classes: int) -> None:
    """Raise if the class probabilities of all rows would take more than half of the machine's memory.

    Examples
    --------
    >>> check_output_memory(1_000, 3)
    """
    n_bytes = n_rows * n_classes * FLOAT_BYTES
    if n_bytes > _ALWAYS_ALLOWED and n_bytes > (limit := machine_memory() // 2):
        raise DataError(
            f"X has {n_rows:,} rows; the probabilities of {n_classes:,} classes for all of them take "
            f"{format_bytes(n_bytes)}, but {format_bytes(limit)} are available. Pass the rows in batches."
        )


def check_rows_memory(name: str, n_rows: int, row_bytes: int) -> None:
    """Raise if the rows of a source, read into arrays, would take more than half of the machine's memory.

    Examples
    --------
    >>> check_rows_memory("rows.csv", 1_000, 16)
    """
    n_bytes = n_rows * row_bytes
    if n_bytes > _ALWAYS_ALLOWED and n_bytes > (limit := machine_memory() // 2):
        raise DataError(
            f"{name} has {n_rows:,} rows, which are read into {row_bytes:,} bytes each: {format_bytes(n_bytes)}, but "
            f"{format_bytes(limit)} are available. Pass a sample of the rows."
        )


def check_table_memory(n_rows: int, n_columns: int) -> None:
    """Raise if a table of numbers that all differ, coded exactly, would take more than the machine's memory.

    Examples
    --------
    >>> check_table_memory(1_000, 20)
    """
    n_bytes = n_rows * n_columns * _EXACT_BYTES
    if n_bytes > _ALWAYS_ALLOWED and n_bytes > machine_memory():
        raise table_too_large(n_rows, n_columns)


def table_too_large(n_rows: int, n_columns: int) -> DataError:
    """Return the error for a table that does not fit memory where it is coded exactly.

    Examples
    --------
    >>> raise table_too_large(1_000_000_000, 20)
    Traceback (most recent call last):
    calibrant.exceptions.DataError: X has 1,000,000,000 rows of 20 columns; coded exactly they take up to 320 GB, \
which do not fit memory. Set max_bins=255, which takes a byte a value, 20 GB.
    """
    n_cells = n_rows * n_columns
    return DataError(
        f"X has {n_rows:,} rows of {n_columns:,} columns; coded exactly they take up to "
        f"{format_bytes(n_cells * _EXACT_BYTES)}, which do not fit memory. Set max_bins=255, which takes a byte a "
        f"value, {format_bytes(n_cells)}."
    )


def check_count_memory(name: str, n_values: int, n_classes: int, limit: int, n_copies: int = 1) -> None:
    """Raise if the class counts of every value of a column would take more than ``limit`` bytes.

    Examples
    --------
    >>> check_count_memory("town", 1_000, 3, limit=24_000)
    >>> check_count_memory("town", 1_000, 300, limit=24_000)
    Traceback (most recent call last):
    calibrant.exceptions.DataError: column 'town' has 1,000 values and y 300 classes; their class counts take \
0.0024 GB, but 2.4e-05 GB are available. Group rare classes or rare values, or drop the column.
    """
    n_bytes = n_values * n_classes * FLOAT_BYTES * n_copies
    if n_bytes > limit:
        raise DataError(
            f"column {name!r} has {n_values:,} values and y {n_classes:,} classes; their class counts take "
            f"{format_bytes(n_bytes)}, but {format_bytes(limit)} are available. "
            "Group rare classes or rare values, or drop the column."
        )


def format_bytes(n_bytes: int) -> str:
    """Return a number of bytes in gigabytes, as text.

    Examples
    --------
    >>> format_bytes(2_500_000_000)
    '2.5 GB'
    """
    return f"{n_bytes / 1e9:,.3g} GB"


def _read_text(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""


class SizedCache:
    """Values with a number of bytes, of which the least recently used are dropped first; threads may share it.

    Parameters
    ----------
    max_bytes : int
        The most bytes of all values.
    max_values : int, optional
        The most values.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> cache = SizedCache(max_bytes=10)
    >>> cache.keep("a", SimpleNamespace(n_bytes=6))
    >>> cache.keep("b", SimpleNamespace(n_bytes=5))
    >>> cache.get("a"), cache.get("b"), cache.pop("b"), cache.get("b")
    (None, namespace(n_bytes=5), namespace(n_bytes=5), None)
    """

    def __init__(self, max_bytes: int, max_values: int = sys.maxsize) -> None:
        self.max_bytes, self._max_values, self._n_bytes = max_bytes, max_values, 0
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = RLock()

    def get(self, key: Hashable) -> Any:
        """Return a value, or None."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def pop(self, key: Hashable) -> Any:
        """Return a value and forget it; None if it is not kept."""
        with self._lock:
            value = self._kept.pop(key, None)
            self._n_bytes -= 0 if value is None else value.n_bytes
            return value

    def keep(self, key: Hashable, value: Any) -> None:
        """Keep a value in place of another one, and drop others until the cache is within its limits."""
        with self._lock:
            self.pop(key)
            self._kept[key] = value
            self._n_bytes += value.n_bytes
            while len(self._kept) > self._max_values or self._n_bytes > self.max_bytes:
                self.pop(next(iter(self._kept)))
