"""Memory told beforehand: a tree keeps a count for each class at each node, which very many classes make too much."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibrant._memory import FLOAT_BYTES, check_count_memory, count_memory, format_bytes
from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from calibrant import _core
    from calibrant.trees._growing.examples import Examples

__all__ = ["ALONE", "Among", "enough_memory"]

_MOST_KEYS = 2**32  # a number and a class are sorted as one key of 32 bits; columns beyond are counted instead


@dataclass(frozen=True)
class Among:
    """The trees that share the memory: how many are grown at a time, and the bytes of counts that others have."""

    n_trees: int = 1
    kept: int = 0


ALONE = Among()


@contextmanager
def enough_memory(examples: Examples, options: _core.GrowOptions, among: Among = ALONE) -> Iterator[None]:
    """Refuse what cannot be counted, and say so where the nodes become too many on the way."""
    most_bytes = count_memory()
    options.most_counts = max(0, most_bytes - among.kept) // FLOAT_BYTES // among.n_trees
    n_classes = len(examples.classes)
    _check_columns(examples, options.n_threads, most_bytes)
    try:
        yield
    except MemoryError as error:
        what = "a smaller tree" if among == ALONE else "smaller trees, or grow fewer of them"
        raise DataError(
            f"y has {n_classes:,} classes, and the counts of each at every node take more than the "
            f"{format_bytes(most_bytes)} that there are for them. Group rare classes, raise min_leaf or set max_depth "
            f"for {what}."
        ) from error


def _check_columns(examples: Examples, n_threads: int, most_bytes: int) -> None:
    """Refuse a column whose table of values x classes is too large; each thread has its own."""
    n_classes = len(examples.classes)
    for place, feature in enumerate(examples.table.schema.features):
        n_values = examples.table.core.n_values(place)
        is_sorted = feature.kind == "numeric" and (n_values + 1) << (n_classes - 1).bit_length() + 1 <= _MOST_KEYS
        if not is_sorted:
            check_count_memory(feature.name, n_values, n_classes, most_bytes, n_threads)
