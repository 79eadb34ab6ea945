"""How much memory there is, and answers refused beforehand where they would take too much of it."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path

from calibrant.exceptions import DataError

__all__ = ["DOUBLE", "SHARE", "check_answers", "check_counts", "gigabytes", "machine_memory"]

DOUBLE = 8
SHARE = 5  # counts may take a fifth of the memory: estimates take as much again, and more
_SURELY_THERE = 2**28  # not worth the question
_CONTAINER_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@cache
def machine_memory() -> int:
    """Give the bytes of memory that the machine, or the container that this runs in, has.

    Examples
    --------
    >>> machine_memory() > 2**20
    True
    """
    limits = [int(text) for path in _CONTAINER_LIMITS if (text := _text_of(path)).isdigit()]
    try:
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):  # Windows has no such thing
        limits.append(sys.maxsize)
    return min(limits)


def check_answers(n_rows: int, n_classes: int) -> None:
    """Refuse to make a table of probabilities larger than half of the machine's memory.

    Examples
    --------
    >>> check_answers(1_000, 3)
    """
    n_bytes = n_rows * n_classes * DOUBLE
    if n_bytes > _SURELY_THERE and n_bytes > (most := machine_memory() // 2):
        raise DataError(
            f"X has {n_rows:,} rows; the probabilities of {n_classes:,} classes for all of them take "
            f"{gigabytes(n_bytes)}, and there are {gigabytes(most)}. Pass the rows in parts."
        )


def check_counts(name: str, n_values: int, n_classes: int, most_bytes: int, copies: int = 1) -> None:
    """Refuse a column whose table of values x classes takes too much.

    Examples
    --------
    >>> check_counts("town", 1_000, 3, most_bytes=24_000)
    >>> check_counts("town", 1_000, 300, most_bytes=24_000)
    Traceback (most recent call last):
    calibrant.exceptions.DataError: column 'town' has 1,000 values and y 300 classes; counting each with each takes \
0.0024 GB, and there are 2.4e-05 GB. Group rare classes or rare values, or drop the column.
    """
    n_bytes = n_values * n_classes * DOUBLE * copies
    if n_bytes > most_bytes:
        raise DataError(
            f"column {name!r} has {n_values:,} values and y {n_classes:,} classes; counting each with each "
            f"takes {gigabytes(n_bytes)}, and there are {gigabytes(most_bytes)}. "
            "Group rare classes or rare values, or drop the column."
        )


def gigabytes(n_bytes: int) -> str:
    """Write a number of bytes for people.

    Examples
    --------
    >>> gigabytes(2_500_000_000)
    '2.5 GB'
    """
    return f"{n_bytes / 1e9:,.3g} GB"


def _text_of(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""
