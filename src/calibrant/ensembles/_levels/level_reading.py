"""The reading of a forest whose rows are in parts: what is counted or predicted there is added up or put together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._exact_sums import ExactSums
from calibrant._memory import FLOAT_BYTES, format_bytes, machine_memory
from calibrant.data._internal import CodedPart
from calibrant.ensembles._bagging.forest import Forest
from calibrant.ensembles._readings.eb_pets import (
    N_FIFTHS,
    EBPets,
    eb_pets_of,
    fifth_average,
    fifth_level,
    honest_oob_proba,
    own_class_rates,
    pool_counts,
)
from calibrant.ensembles._readings.forest_members import (
    AllRows,
    Cells,
    Members,
    WalkedPaths,
    count_votes,
    out_of_bag_average,
    score_sums,
)
from calibrant.ensembles._readings.forest_reading import ForestReader, ReadingOptions
from calibrant.ensembles._readings.mob_esp import MobEsp
from calibrant.ensembles._readings.pooling import (
    Alpha,
    PooledTree,
    Pooling,
    choose_alpha,
    core_pooling,
    is_local,
    sum_log_rates,
)
from calibrant.trees import Tree
from calibrant.trees._internal import LevelPlan, Parts

if TYPE_CHECKING:
    from calibrant.ensembles._levels.cluster_forest import BagWeights

_BY_PAIRS = (
    "oob_proba_ and oob_score_ of MOB-ESP compare all pairs of rows that share a leaf, and the rows are on several "
    "workers where trees are grown level by level. Start workers that have memory for the codes of all rows, or use "
    'out_of_bag="count" (EBPETsClassifier).'
)
_CELLS_AT_ONCE = 8 << 20  # counts of a part in one message: 64 MB
_MEMORY_SHARE = 4  # out-of-bag probabilities may take a quarter of the memory of the process that fits


def read_levels(parts: Parts, plan: LevelPlan, forest: Forest, options: ReadingOptions) -> ForestReader:
    """Return the reading of a forest, with all that is computed from the rows: to the bit that of all rows at once."""
    by_pairs = options.combine != "vote" and options.out_of_bag == "condition"
    n_bytes, memory, why_not = plan.n_rows * plan.n_classes * FLOAT_BYTES, machine_memory(), None
    if n_bytes > memory // _MEMORY_SHARE:
        why_not = (
            f"oob_proba_ is not stored: the out-of-bag probabilities of {plan.n_rows:,} rows take "
            f"{format_bytes(n_bytes)}, more than a quarter of the memory here ({format_bytes(memory)}). Use "
            "oob_score_, or fit on a machine with more memory."
        )
    reader = ForestReader(forest, options, _BY_PAIRS if by_pairs else why_not)
    rows = _RowsInParts(parts, plan, reader)
    if options.out_of_bag == "condition":
        # Set as cached values: the reader would compute them from rows that are not here.
        vars(reader)["n_voters"] = rows.count_voters()
    if by_pairs:
        vars(reader)["mob_esp"] = rows.read_mob_esp()
    elif options.combine != "vote" and options.out_of_bag != "ignore":
        vars(reader)["eb_pets"] = rows.read_eb_pets()
    if forest.params.bootstrap is not None and not by_pairs:
        rows.store_out_of_bag()
    return reader


class _RowsInParts:
    """The rows of a reading, in parts that share the forest and what is known of all rows."""

    def __init__(self, parts: Parts, plan: LevelPlan, reader: ForestReader) -> None:
        self._parts, self._reader, self._plan, self._trees = parts, reader, plan, reader.forest.trees
        self._class_weights = reader.forest.examples.class_weights
        self._forest = parts.share(PartForest(self._trees, plan))
        self._whole = parts.share(AllRows(self._class_weights))

    def read_eb_pets(self) -> EBPets:
        """Return the reading by the counts of all rows, which the parts share from then on."""
        counts, pooling = self._count(count_leaves, None), self._reader.pooling
        self._whole = self._parts.share(AllRows(self._class_weights, counts))
        shared = pooling, self._whole, self._forest
        alpha = choose_alpha(pooling, self._class_weights, lambda: self._parts.reduce(log_rates_of_part, *shared))
        return eb_pets_of(self._pool(counts, alpha), pooling, alpha)

    def read_mob_esp(self) -> MobEsp:
        """Return the reading by leaf and out-of-bag vote."""
        fallback, reader = self.read_eb_pets(), self._reader
        cells = self._count(count_cells, self._parts.share(Voters(reader.frequencies)), merge=VotedCells.sum)
        core = core_pooling(reader.forest.examples, reader.pooling, fallback.alpha)
        tables = [each.pooled(tree, core) for tree, each in zip(self._trees, cells, strict=True)]
        return MobEsp(tables, fallback, fallback.alpha, np.empty(0, dtype=np.int32))

    def count_voters(self) -> int:
        """Return the number of trees that label a new row."""
        share, n_trees = self._reader.options.vote_trees, len(self._trees)
        if share == "out_of_bag":
            n_pairs = self._parts.reduce(n_out_of_bag, n_trees, self._plan)
            share = n_pairs / (n_trees * self._plan.n_rows)
        return max(1, round(share * n_trees))

    def store_out_of_bag(self) -> None:
        """Store the out-of-bag score of the reading, and the probabilities where they fit memory."""
        reader, sums = self._reader, np.zeros(2)
        keep = reader.why_not is None
        proba = np.empty((self._plan.n_rows if keep else 0, len(self._class_weights)))

        def receive(found: OobRows) -> None:
            sums[:] += found.right, found.total
            if found.proba is not None:
                proba[found.rows] = found.proba

        for fifth, read in self._rows_readers():
            shared = self._parts.share(read), self._whole, self._forest
            self._parts.each(read_rows, keep, fifth, *shared, receive=receive)
        vars(reader)["oob_score"] = float(sums[0] / sums[1]) if sums[1] > 0 else float("nan")
        if keep:
            vars(reader)["oob_proba"] = proba

    def _rows_readers(self) -> Iterator[tuple[int | None, Callable[..., NDArray[np.float64]]]]:
        """Yield functions that read out-of-bag probabilities of all rows or of a fifth, for one pass each."""
        reader, options = self._reader, self._reader.options
        if options.combine == "vote":
            yield None, partial(vote_shares, reader.frequencies, smooth=options.smooth_votes)
        elif options.out_of_bag == "ignore":
            yield None, partial(out_of_bag_average, reader.tables)
        elif is_local(reader.estimate):
            yield None, partial(honest_oob_proba, pooling=reader.pooling, alpha=reader.eb_pets.alpha)
        else:
            for fifth in range(N_FIFTHS):
                trees = self._pool(self._count(count_leaves, fifth), reader.eb_pets.alpha)
                yield fifth, partial(fifth_average, level=fifth_level(trees, reader.pooling))

    def _count(self, count: Callable[..., Any], by: Any, **options: Any) -> list[Any]:
        """Return the counts of all rows at each tree; a message has those of as many trees as fit it."""
        multiplicity, counts = self._reader.options.in_bag_counts == "multiplicity", list[Any]()
        for batch in tree_batches(self._trees, 2 * len(self._class_weights)):
            args = batch, multiplicity, by, self._whole, self._forest
            counts += self._parts.reduce(count, *args, **options, by_item=True)
        return counts

    def _pool(self, counts: list[NDArray[np.float64]], alpha: Alpha) -> list[PooledTree]:
        core = core_pooling(self._reader.forest.examples, self._reader.pooling, alpha)
        return pool_counts(self._trees, counts, core)


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


def count_leaves(
    batch: range, multiplicity: bool, without: int | None, whole: AllRows, forest: PartForest, part: CodedPart
) -> list[NDArray[np.float64]]:
    """Return the class counts of the rows of a part in and out of the bag at the leaves of each tree, as in `AllRows`.

    Out-of-bag rows of the fifth `without` are not counted.
    """
    members = forest.members(part, whole)
    numbers = np.arange(part.first_row, part.first_row + part.n_rows)
    left_out = None if without is None else numbers % N_FIFTHS == without
    rows, n_nodes = members.bagged_rows(multiplicity=multiplicity), [members.n_nodes[tree] for tree in batch]
    found: Any = _core.count_leaves(members.paths.core, batch.start, n_nodes, rows, left_out, members.paths.n_threads)
    return list(found)


def log_rates_of_part(pooling: Pooling, whole: AllRows, forest: PartForest, part: CodedPart) -> ExactSums:
    """Return the log-likelihood of the rows of a part for each alpha, as `sum_log_rates`."""
    members = forest.members(part, whole)
    return sum_log_rates(members, partial(own_class_rates, members, pooling), pooling)


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

    def pooled(self, tree: Tree, core: _core.Pooling) -> Cells:
        """Return the probabilities of the cells, as `MobEsp` has them."""
        index = np.full(tree.n_nodes * len(tree.classes), -1, dtype=np.int32)
        index[self.keys] = np.arange(len(self.keys), dtype=np.int32)
        found: Any = _core.pool_bins(index.reshape(tree.n_nodes, -1), np.ascontiguousarray(self.counts), core)
        return cast("Cells", found)


def count_cells(
    batch: range, multiplicity: bool, voters: Voters, whole: AllRows, forest: PartForest, part: CodedPart
) -> list[VotedCells]:
    """Return the class counts of the rows of a part by leaf and vote, for each tree."""
    members = forest.members(part, whole)
    rows, n_nodes = members.bagged_rows(multiplicity=multiplicity), [members.n_nodes[tree] for tree in batch]
    labels, n_threads = voters.labels(members, part), members.paths.n_threads
    found: Any = _core.count_cells(members.paths.core, batch.start, n_nodes, rows, labels, n_threads)
    return [VotedCells.of(index, counts) for index, counts in found]


def n_out_of_bag(n_trees: int, plan: LevelPlan, part: CodedPart) -> int:
    """Return the number of pairs of a row of a part and a tree that was grown without it."""
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
