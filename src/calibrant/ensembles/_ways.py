"""Where rows end in the trees of a forest: told beforehand, or found by walking down when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from calibrant import _core
from calibrant.data._coding import n_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.ensembles._forest import Forest
    from calibrant.trees._rows import Rows
    from calibrant.trees._tree import Tree

__all__ = ["LeafMatrix", "Walks", "Ways", "ways_of_rows", "ways_of_training"]

_MOST_LEAVES = 2**30  # bytes worth keeping between two passes over the trees


@dataclass(frozen=True, eq=False)
class LeafMatrix:
    """The leaf of every row in every tree (trees x rows), -1 where a tree is not asked about a row.

    Examples
    --------
    >>> LeafMatrix(np.array([[1, 2, 1], [4, 3, 3]], dtype=np.int32)).n_rows
    3
    """

    leaves: NDArray[np.int32]
    n_threads: int = 1

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.leaves.shape[1])

    @property
    def core(self) -> _core.ForestWays:
        """The same for the core."""
        return _core.stored_ways(self.leaves)


class Walks:
    """The ways of rows through the trees, in parts where values are missing.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> Walks([tree], (2, np.array([[1.0], [np.nan]]))).n_rows
    2
    """

    def __init__(self, trees: Sequence[Tree], rows: tuple[int, Any], n_threads: int = 1) -> None:
        self.n_rows, self.n_threads = rows[0], n_threads
        self.core = _core.walked_ways([tree.core for tree in trees], *rows, n_threads)


Ways: TypeAlias = LeafMatrix | Walks


def ways_of_training(forest: Forest) -> Ways:
    """Give the ways of the training rows; their leaves, where no value is missing and they do not take much memory."""
    table, threads = forest.examples.table, n_threads(forest.params.n_jobs)
    may_miss = any(table.n_missing(j) > 0 for j in range(table.n_columns))
    if may_miss or 4 * forest.examples.n_rows * len(forest.trees) > _MOST_LEAVES:
        return Walks(forest.trees, (forest.examples.n_rows, table.core), threads)
    leaves = _core.apply_forest([tree.core for tree in forest.trees], table.core, threads)
    return LeafMatrix(np.asarray(leaves), threads)


def ways_of_rows(forest: Forest, rows: Rows) -> Walks:
    """Give the ways of new rows."""
    return Walks(forest.trees, rows, n_threads(forest.params.n_jobs))
