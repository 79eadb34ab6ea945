"""Passes over all parts of the rows of a forest: counts at its leaves, votes, out-of-bag probabilities."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._exact_sums import ExactSums
from calibrant.data._internal import CodedPart
from calibrant.ensembles._readings.eb_pets import N_FIFTHS, own_class_rates
from calibrant.ensembles._readings.forest_members import (
    AllRows,
    Cells,
    Members,
    WalkedPaths,
    count_votes,
    score_sums,
)
from calibrant.ensembles._readings.pooling import Alpha, Pooling, best_alpha, fixed_alpha, sum_log_rates
from calibrant.trees import Tree
from calibrant.trees._internal import LevelPlan, Parts

if TYPE_CHECKING:
    from calibrant.ensembles._levels.cluster_forest import BagWeights

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


@dataclass(frozen=True, eq=False)
class PartForest:
    """The trees, and the plan by which they were grown: columns, and how bags are drawn."""

    trees: Sequence[Tree]
    plan: LevelPlan

    def members(self, part: CodedPart, whole: AllRows) -> Members:
        """Return the forest with the rows of a part, of those of which `whole` is known; paths are walked at each use.

        Labels are positions in the sorted classes.
        """
        plan = self.plan
        cores = [tree.core for tree in self.trees]
        paths = _core.leaf_paths_of_table(cores, plan.table_of(part), 0, plan.n_threads)
        return Members(
            self.trees,
            WalkedPaths(paths, part.n_rows, plan.n_threads),
            cast("BagWeights", plan.row_weights).bags(part),
            np.argsort(self.trees[0].order)[part.labels],
            plan.n_classes,
            part.weights,
            groups=part.groups,
            whole=whole,
        )


class OobRows(NamedTuple):
    """Rows by their numbers in the whole source, their probabilities unless only the score is wanted, and its sums."""

    rows: slice
    proba: NDArray[np.float64] | None
    right: float
    total: float


def read_rows(
    keep: bool,
    fifth: int | None,
    read: Callable[..., NDArray[np.float64]],
    whole: AllRows,
    forest: PartForest,
    part: CodedPart,
) -> OobRows:
    """Return the out-of-bag probabilities of the rows of a part, or of a fifth of them, and the sums of their score.

    ``read(members=members)`` returns the probabilities of the rows; it is the same for all parts, and picklable.
    """
    members = forest.members(part, whole)
    rows = slice(0, part.n_rows, 1)
    if fifth is not None:
        # Fifths go by the number of a row among all rows, so that parts of any size make the same ones.
        rows = slice((fifth - part.first_row) % N_FIFTHS, part.n_rows, N_FIFTHS)
    proba = read(members=members)[rows]
    weights = np.ones(part.n_rows) if part.weights is None else part.weights
    sums = score_sums(proba, members.labels[rows], weights[rows])
    numbers = slice(part.first_row + rows.start, part.first_row + rows.stop, rows.step)
    return OobRows(numbers, proba if keep else None, *sums)


def vote_shares(frequencies: Sequence[NDArray[np.float64]], *, smooth: bool, members: Members) -> NDArray[np.float64]:
    """Return the shares of the votes of the trees without each row."""
    return count_votes(frequencies, members.paths, members.bags).shares(smooth=smooth)
