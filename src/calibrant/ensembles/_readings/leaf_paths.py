"""The leaves where rows end in the trees of a forest: a stored matrix, or found by walking down when needed."""

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
    from calibrant.trees import Tree

__all__ = ["LeafMatrix", "LeafPaths", "WalkedPaths"]

_MAX_KEPT_BYTES = 2**30  # of training paths kept between passes over the trees; more are walked again


@dataclass(frozen=True, eq=False)
class LeafMatrix:
    """The leaf of every row in every tree (trees x rows), -1 where a tree does not predict a row.

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
    def core(self) -> _core.LeafPaths:
        """The paths as the core takes them."""
        return _core.leaf_paths_from_leaves(self.leaves)


class WalkedPaths:
    """The paths of rows through the trees; a row with missing values is split among branches.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> WalkedPaths.of_rows([tree], (2, np.array([[1.0], [np.nan]]))).n_rows
    2
    """

    def __init__(self, core: _core.LeafPaths, n_rows: int, n_threads: int) -> None:
        self.core, self.n_rows, self.n_threads = core, n_rows, n_threads

    @classmethod
    def of_rows(cls, trees: Sequence[Tree], rows: Rows, n_threads: int = 1) -> WalkedPaths:
        """Return the paths of new rows, walked at every use."""
        return cls(_core.leaf_paths_of_rows([tree.core for tree in trees], *rows), rows[0], n_threads)

    @classmethod
    def of_training(cls, forest: Forest) -> WalkedPaths:
        """Return the paths of the training rows, kept where they do not take much memory; never those of a source."""
        cores, examples = [tree.core for tree in forest.trees], forest.examples
        n_kept, threads = 0 if examples.from_source else _MAX_KEPT_BYTES, n_threads(forest.params.n_jobs)
        return cls(_core.leaf_paths_of_table(cores, examples.table.core, n_kept, threads), examples.n_rows, threads)


LeafPaths: TypeAlias = LeafMatrix | WalkedPaths
