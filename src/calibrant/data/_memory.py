"""How much memory there is, and answers refused beforehand where they would take too much of it."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path

from calibrant.exceptions import DataError

__all__ = ["DOUBLE", "check_answers", "gigabytes", "machine_memory"]

DOUBLE = 8
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
