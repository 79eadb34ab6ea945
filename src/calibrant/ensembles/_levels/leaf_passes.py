"""Passes over all parts that count their rows at the leaves of a forest, and what is chosen by those counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial, reduce
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant import _core
from calibrant.ensembles._readings.honest_out_of_bag import N_FIFTHS, own_class_rates
from calibrant.ensembles._readings.out_of_bag_weight import Alpha, best_alpha, fixed_alpha, sum_log_rates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant._exact_sums import ExactSums
    from calibrant.data._internal import CodedPart
    from calibrant.ensembles._levels.part_members import PartForest
    from calibrant.ensembles._readings.forest_members import AllRows
    from calibrant.ensembles._readings.pooling import Pooling
    from calibrant.trees import Tree
    from calibrant.trees._internal import Parts

__all__ = ["choose_level_alpha", "count_all_leaves", "tree_batches"]

_CELLS_AT_ONCE = 8 << 20  # counts of a part in one message: 64 MB


def tree_batches(trees: Sequence[Tree], n_cells: int) -> Iterator[range]:
    """Yield the numbers of trees whose counts, so many a node, fit a message together.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> list(tree_batches([SimpleNamespace(n_nodes=3_000_000)] * 3, 2))
    [range(0, 1), range(1, 2), range(2, 3)]
    >>> list(tree_batches([SimpleNamespace(n_nodes=2_000_000)] * 3, 2))
    [range(0, 2), range(2, 3)]
    """
    first = cells = 0
    for number, tree in enumerate(trees):
        if number > first and cells + tree.n_nodes * n_cells > _CELLS_AT_ONCE:
            yield range(first, number)
            first, cells = number, 0
        cells += tree.n_nodes * n_cells
    yield range(first, len(trees))


def count_all_leaves(
    parts: Parts, trees: Sequence[Tree], whole: Any, forest: Any, *, multiplicity: bool, without: int | None = None
) -> list[NDArray[np.float64]]:
    """Return the class counts of all rows in and out of the bag at the leaves of each tree, as in `AllRows`.

    Out-of-bag rows of the fifth `without` are not counted. `whole` and `forest` are shared with the parts.
    """
    counts: list[NDArray[np.float64]] = []
    for batch in tree_batches(trees, 2 * len(trees[0].classes)):
        counts += parts.reduce(_count_leaves, batch, multiplicity, without, whole, forest, merge=_add_counts)
    return counts


def choose_level_alpha(
    parts: Parts, pooling: Pooling, class_weights: NDArray[np.float64], whole: Any, forest: Any
) -> Alpha:
    """Choose alpha as `choose_alpha` does, for counts at leaves; `whole` and `forest` are shared with the parts."""
    fixed = fixed_alpha(pooling)
    if fixed is not None:
        return fixed
    log_rates: ExactSums = parts.reduce(_sum_log_rates, pooling, whole, forest, merge=_add_sums)
    return best_alpha(log_rates, pooling, class_weights)


def _count_leaves(
    batch: range, multiplicity: bool, without: int | None, whole: AllRows, forest: PartForest, part: CodedPart
) -> list[NDArray[np.float64]]:
    members = forest.members(part, whole)
    numbers = np.arange(part.first_row, part.first_row + part.n_rows)
    left_out = None if without is None else numbers % N_FIFTHS == without
    rows, n_nodes = members.bagged_rows(multiplicity=multiplicity), [members.n_nodes[tree] for tree in batch]
    found: Any = _core.count_leaves(members.paths.core, batch.start, n_nodes, rows, left_out, members.paths.n_threads)
    return list(found)


def _add_counts(several: Sequence[list[NDArray[np.float64]]]) -> list[NDArray[np.float64]]:
    return [np.add.reduce(of_tree) for of_tree in zip(*several, strict=True)]


def _sum_log_rates(pooling: Pooling, whole: AllRows, forest: PartForest, part: CodedPart) -> ExactSums:
    members = forest.members(part, whole)
    return sum_log_rates(members, partial(own_class_rates, members, pooling), pooling)


def _add_sums(several: Sequence[ExactSums]) -> ExactSums:
    return reduce(add, several)
