"""Passes over all parts for MOB-ESP: rows counted by leaf and out-of-bag vote, and the trees that label a new row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

import numpy as np

from calibrant import _core
from calibrant.ensembles._levels.leaf_passes import tree_batches
from calibrant.ensembles._readings.votes import count_votes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import CodedPart
    from calibrant.ensembles._levels.bag_weights import BagWeights
    from calibrant.ensembles._levels.part_members import PartForest
    from calibrant.ensembles._readings.averages import Cells
    from calibrant.ensembles._readings.forest_members import AllRows, Members
    from calibrant.trees import Tree
    from calibrant.trees._internal import LevelPlan, Parts

__all__ = ["Voters", "count_all_cells", "n_out_of_bag", "pool_cell_counts"]


class Voters:
    """The class frequencies by which the trees vote; a worker keeps the votes on the rows of its parts."""

    def __init__(self, frequencies: Sequence[NDArray[np.float64]]) -> None:
        self._frequencies = frequencies
        self._labels: WeakKeyDictionary[CodedPart, NDArray[np.int32]] = WeakKeyDictionary()

    def labels(self, members: Members, part: CodedPart) -> NDArray[np.int32]:
        """Return the vote on each row of the trees that were grown without it, -1 where there are none."""
        labels = self._labels.get(part)
        if labels is None:
            labels = count_votes(self._frequencies, members.paths, members.bags).labels
            self._labels[part] = labels
        return labels

    def __reduce__(self) -> tuple[Any, ...]:
        return Voters, (self._frequencies,)


@dataclass(frozen=True, eq=False)
class VotedCells:
    """The cells of a tree that have rows: node and label as one number, ascending, and their class counts."""

    keys: NDArray[np.int64]
    counts: NDArray[np.float64]  # cells x (classes in the bag, classes out of it)

    @classmethod
    def of(cls, index: NDArray[np.int32], counts: NDArray[np.float64]) -> VotedCells:
        """Return the cells of an index (nodes x labels) that has -1 where there is none."""
        lines = index.ravel()
        keys = np.flatnonzero(lines >= 0)
        return cls(keys, counts[lines[keys]])

    @classmethod
    def sum(cls, several: Sequence[VotedCells]) -> VotedCells:
        """Return the cells of several parts, those of the same node and label added up.

        Examples
        --------
        >>> one = VotedCells(np.array([1, 4]), np.array([[1.0, 0], [0, 2]]))
        >>> both = VotedCells.sum([one, VotedCells(np.array([4]), np.array([[5.0, 0]]))])
        >>> both.keys, both.counts.tolist()
        (array([1, 4]), [[1.0, 0.0], [5.0, 2.0]])
        """
        keys, lines = np.unique(np.concatenate([each.keys for each in several]), return_inverse=True)
        counts = np.zeros((len(keys), several[0].counts.shape[1]))
        first = 0
        for each in several:  # a part has each cell once
            counts[lines[first : first + len(each.keys)]] += each.counts
            first += len(each.keys)
        return cls(keys, counts)


def count_all_cells(
    parts: Parts, trees: Sequence[Tree], voters: Any, whole: Any, forest: Any, *, multiplicity: bool
) -> list[VotedCells]:
    """Return the class counts of all rows by leaf and vote, for each tree.

    `voters`, `whole` and `forest` are shared with the parts.
    """
    cells: list[VotedCells] = []
    for batch in tree_batches(trees, 2 * len(trees[0].classes)):
        cells += parts.reduce(_count_cells, batch, multiplicity, voters, whole, forest, merge=_add_cells)
    return cells


def pool_cell_counts(tree: Tree, cells: VotedCells, core: _core.Pooling) -> Cells:
    """Return the probabilities of the cells of a tree, as `MobEsp` has them."""
    index = np.full(tree.n_nodes * len(tree.classes), -1, dtype=np.int32)
    index[cells.keys] = np.arange(len(cells.keys), dtype=np.int32)
    found: Any = _core.pool_bins(index.reshape(tree.n_nodes, -1), np.ascontiguousarray(cells.counts), core)
    return cast("Cells", found)


def n_out_of_bag(parts: Parts, plan: LevelPlan, n_trees: int) -> int:
    """Return the number of pairs of a row and a tree that was grown without it."""
    return int(parts.reduce(_count_out_of_bag, n_trees, plan, merge=sum))


def _count_cells(
    batch: range, multiplicity: bool, voters: Voters, whole: AllRows, forest: PartForest, part: CodedPart
) -> list[VotedCells]:
    members = forest.members(part, whole)
    rows, n_nodes = members.bagged_rows(multiplicity=multiplicity), [members.n_nodes[tree] for tree in batch]
    labels, n_threads = voters.labels(members, part), members.paths.n_threads
    found: Any = _core.count_cells(members.paths.core, batch.start, n_nodes, rows, labels, n_threads)
    return [VotedCells.of(index, counts) for index, counts in found]


def _add_cells(several: Sequence[list[VotedCells]]) -> list[VotedCells]:
    return [VotedCells.sum(of_tree) for of_tree in zip(*several, strict=True)]


def _count_out_of_bag(n_trees: int, plan: LevelPlan, part: CodedPart) -> int:
    return int(cast("BagWeights", plan.row_weights).bags(part).n_out_of_bag(n_trees).sum())
