"""Memory limits of growing: a tree keeps a count of each class at each node, too many where classes are very many."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibrant._memory import FLOAT_BYTES, check_count_memory, count_memory, format_bytes, table_too_large
from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from calibrant import _core
    from calibrant.trees._growing.examples import Examples

__all__ = ["WHOLE_BUDGET", "MemoryBudget", "limit_memory"]

_TOO_MANY_COUNTS = "class counts of all nodes"  # of the core's message; other allocations have none
_MAX_KEYS = 2**32  # the core sorts a value and a class as one 32-bit key; columns beyond that are counted in a table


@dataclass(frozen=True)
class MemoryBudget:
    """How trees share the memory: the number grown at once, and the bytes of counts that other trees already hold."""

    n_trees: int = 1
    held_bytes: int = 0


WHOLE_BUDGET = MemoryBudget()


@contextmanager
def limit_memory(examples: Examples, options: _core.GrowOptions, budget: MemoryBudget = WHOLE_BUDGET) -> Iterator[None]:
    """Limit the class counts that the core may allocate; raise if a column or the nodes need more."""
    max_bytes = count_memory()
    options.most_counts = max(0, max_bytes - budget.held_bytes) // FLOAT_BYTES // budget.n_trees
    n_classes = len(examples.classes)
    _check_columns(examples, options.n_threads, max_bytes)
    try:
        yield
    except MemoryError as error:
        if _TOO_MANY_COUNTS not in str(error):
            if examples.is_binned:
                raise
            raise table_too_large(examples.n_rows, examples.table.n_columns) from None
        what = "a smaller tree" if budget == WHOLE_BUDGET else "smaller trees, or grow fewer of them"
        raise DataError(
            f"y has {n_classes:,} classes, and the class counts of all nodes take more than the "
            f"{format_bytes(max_bytes)} available for them. Group rare classes, or raise min_leaf or set max_depth "
            f"for {what}."
        ) from error


def _check_columns(examples: Examples, n_threads: int, max_bytes: int) -> None:
    """Raise if a column's table of values x classes, one for each thread, is too large."""
    n_classes = len(examples.classes)
    for index, feature in enumerate(examples.table.schema.features):
        n_values = examples.table.core.n_values(index)
        is_sorted = feature.kind == "numeric" and (n_values + 1) << (n_classes - 1).bit_length() + 1 <= _MAX_KEYS
        if not is_sorted:
            check_count_memory(feature.name, n_values, n_classes, max_bytes, n_threads)
