"""Memory told beforehand: a tree keeps a count for each class at each node, which very many classes make too much."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from calibrant import _core
    from calibrant.trees._examples import Examples

__all__ = ["check_answers", "enough_memory", "machine_memory"]

_DOUBLE = 8
_SURELY_THERE = 2**28  # not worth the question
_SHARE = 5  # counts may take a fifth of the memory: estimates take as much again, and more
_MOST_KEYS = 2**32  # a number and a class are sorted as one key of 32 bits; columns beyond are counted instead
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


@contextmanager
def enough_memory(examples: Examples, options: _core.GrowOptions) -> Iterator[None]:
    """Refuse what cannot be counted, and say so where the nodes become too many on the way."""
    most_bytes = machine_memory() // _SHARE
    options.most_counts = most_bytes // _DOUBLE
    n_classes = len(examples.classes)
    _check_columns(examples, options.n_threads, most_bytes)
    try:
        yield
    except MemoryError as error:
        raise DataError(
            f"y has {n_classes:,} classes, and the counts of each at every node take more than the "
            f"{_gigabytes(most_bytes)} that there are for them. Group rare classes, or raise min_leaf or set max_depth "
            "for a smaller tree."
        ) from error


def check_answers(n_rows: int, n_classes: int) -> None:
    """Refuse to make a table of probabilities larger than half of the machine's memory.

    Examples
    --------
    >>> check_answers(1_000, 3)
    """
    n_bytes = n_rows * n_classes * _DOUBLE
    if n_bytes > _SURELY_THERE and n_bytes > (most := machine_memory() // 2):
        raise DataError(
            f"X has {n_rows:,} rows; the probabilities of {n_classes:,} classes for all of them take "
            f"{_gigabytes(n_bytes)}, and there are {_gigabytes(most)}. Pass the rows in parts."
        )


def _check_columns(examples: Examples, n_threads: int, most_bytes: int) -> None:
    """Refuse a column whose table of values x classes is too large; each thread has its own."""
    n_classes = len(examples.classes)
    for place, feature in enumerate(examples.table.schema.features):
        n_values = examples.table.core.n_values(place)
        is_sorted = feature.kind == "numeric" and (n_values + 1) << (n_classes - 1).bit_length() + 1 <= _MOST_KEYS
        n_bytes = n_values * n_classes * _DOUBLE * n_threads
        if not is_sorted and n_bytes > most_bytes:
            raise DataError(
                f"column {feature.name!r} has {n_values:,} values and y {n_classes:,} classes; counting each with each "
                f"takes {_gigabytes(n_bytes)}, and there are {_gigabytes(most_bytes)}. "
                "Group rare classes or rare values, or drop the column."
            )


def _text_of(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""


def _gigabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:,.3g} GB"
