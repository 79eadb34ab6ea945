"""Where rows end in the trees of a forest: told beforehand, or found by walking down when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from calibrant import _core
from calibrant._threads import n_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Rows
    from calibrant.ensembles._bagging.forest import Forest
    from calibrant.trees._internal import Tree

__all__ = ["LeafMatrix", "Walks", "Ways"]

_MOST_KEPT = 2**30  # bytes worth keeping between two passes over the trees


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
    >>> Walks.of_rows([tree], (2, np.array([[1.0], [np.nan]]))).n_rows
    2
    """

    def __init__(self, core: _core.ForestWays, n_rows: int, n_threads: int) -> None:
        self.core, self.n_rows, self.n_threads = core, n_rows, n_threads

    @classmethod
    def of_rows(cls, trees: Sequence[Tree], rows: Rows, n_threads: int = 1) -> Walks:
        """Find the ways of new rows when they are asked for."""
        return cls(_core.walked_ways([tree.core for tree in trees], *rows), rows[0], n_threads)

    @classmethod
    def of_training(cls, forest: Forest) -> Walks:
        """Find the ways of the training rows, and keep them where they do not take much memory."""
        cores = [tree.core for tree in forest.trees]
        table, threads = forest.examples.table.core, n_threads(forest.params.n_jobs)
        return cls(_core.kept_ways(cores, table, _MOST_KEPT, threads), forest.examples.n_rows, threads)


Ways: TypeAlias = LeafMatrix | Walks
