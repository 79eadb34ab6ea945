"""Growing trees level by level: histograms of all parts are added up, small nodes are grown from their rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol, cast
from uuid import uuid4
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._memory import SizedCache
from calibrant.data._internal import Bins, CodedPart
from calibrant.exceptions import DataError
from calibrant.trees._growing.grow import grow_options
from calibrant.trees._sources.parts import Parts, add_up
from calibrant.trees._tree_params import TreeParamsMixin

TreeState = tuple[Any, ...]  # the arrays of a tree, as the core restores them
_MOST_TIMES = 0xFFFF  # the greatest weight, and sum of weights, that the core counts in whole numbers
_MOST_COUNTED = 0xFFFFFFFF
_LEAST_ROWS = 2048  # below this, the grower does not count histograms of all bins
_MOST_ROWS = 1_000_000  # 30 MB of codes, classes and weights with 20 columns, on the worker that grows the node
_SHARE = 8  # of the rows: each level is a pass (400,000 x 20, 4 trees: 0.56 s with 4, 0.88 with 8, 1.07 with 16)
BYTES_OF_ROW = 6  # of a node and a number of draws


_TABLES: WeakKeyDictionary[CodedPart, _core.CodedTable] = WeakKeyDictionary()  # of the parts that this process holds


class RowWeights(Protocol):
    """The weights of the rows of a part in each tree; picklable, and the same at every call."""

    def weights(self, part: CodedPart, tree: int) -> NDArray[np.float64] | None:
        """Return the weight of each row in a tree, 0 where it is absent; None: 1 each."""


@dataclass(frozen=True, eq=False)
class LevelPlan:
    """The columns, the number of classes and rows, the weights of the rows and the parameters of the trees."""

    BYTES_OF_ROW: ClassVar[int] = BYTES_OF_ROW

    bins: Bins
    n_classes: int
    n_declared: int
    n_rows: int
    params: TreeParamsMixin
    row_weights: RowWeights | None = None  # None: those of the parts in every tree
    max_features: int = 0
    n_threads: int = 1
    trees_at_once: int = 1
    kept_bytes: int = 256 << 20  # of the rows of trees that a process keeps between two levels
    run: str = field(default_factory=lambda: uuid4().hex)

    def grow(self, parts: Parts, seeds: dict[int, int], few_rows: int | None = None) -> list[_core.Tree]:
        """Grow the trees of these numbers together, each from its seed: the trees that `grow_forest` grows, to the bit.

        Nodes of about `few_rows` rows or fewer are grown from their rows, which one worker gathers.
        """
        # Below it, moving a node's rows to one worker costs less than passes over all rows for its levels.
        few = max(_LEAST_ROWS, min(self.n_rows // _SHARE, _MOST_ROWS)) if few_rows is None else few_rows
        whole = dict(
            zip(seeds, parts.reduce(_count_rows, list(seeds), self, merge=WholeRows.sum, by_item=True), strict=True)
        )
        # Known only after the first pass, and raised before any histogram is counted.
        _check_missing(whole.values(), self)
        table = self.table(np.empty((0, len(self.bins.n_values)), dtype=np.uint8))  # the columns without rows
        tops = {
            number: _core.LevelTree(table, rows.counts, self.options(seeds[number]), rows.state(self.n_rows), few)
            for number, rows in whole.items()
        }
        # One pass over the parts serves a level of all trees
        while requests := {number: request for number, top in tops.items() if (request := top.request())[0]}:
            trees = [_OpenTree(each, _state(tops[each]), requests[each], whole[each].is_counted) for each in requests]
            counted = parts.reduce(_count_histograms, trees, self, merge=_add_histograms, by_item=True)
            for number, (cells, rows) in zip(requests, counted, strict=True):
                tops[number].grow(cells, rows)
        return _finished(parts, self, tops, seeds, whole)

    def options(self, seed: int) -> _core.GrowOptions:
        """Return the core's options of the tree that has this seed."""
        options = grow_options(self.params, self.n_declared, self.max_features)
        options.seed, options.n_threads = seed, self.n_threads
        return options

    def table_of(self, part: CodedPart) -> _core.CodedTable:
        """Return the core's table of a part, whose codes are checked once while the part is held."""
        table = _TABLES.get(part)
        if table is None:
            table = _TABLES[part] = self.table(part.matrix)
        return table

    def table(self, matrix: NDArray[np.uint8]) -> _core.CodedTable:
        """Return the core's table of a matrix of codes."""
        return self.bins.table(matrix).core


@dataclass(frozen=True, eq=False)
class WholeRows:
    """The rows of a tree, added up over parts: class weights, their number, and the codes that occur."""

    counts: NDArray[np.float64]
    n_rows: int
    heaviest: float
    is_whole: bool
    present: NDArray[np.uint8]

    @classmethod
    def sum(cls, several: Sequence[WholeRows]) -> WholeRows:
        """Return the rows of several parts."""
        return cls(
            np.sum([each.counts for each in several], axis=0),
            sum(each.n_rows for each in several),
            max(each.heaviest for each in several),
            all(each.is_whole for each in several),
            np.maximum.reduce([each.present for each in several]),
        )

    @property
    def is_counted(self) -> bool:
        """Whether the weights are whole numbers that the core counts."""
        return self.is_whole and self.heaviest <= _MOST_TIMES and self.weight <= _MOST_COUNTED

    @property
    def weight(self) -> float:
        """The weight of all rows."""
        return float(self.counts.sum())

    def state(self, n_table_rows: int) -> tuple[Any, ...]:
        """Return the totals that the core needs to grow a subtree."""
        # Where every row is in the tree, all values of the table are present, and none need be listed.
        present = self.present if self.n_rows < n_table_rows else None
        return n_table_rows, self.n_rows, self.weight, self.heaviest, self.is_counted, present


class TreeRows(NamedTuple):
    """The rows of a part in a tree: the node of each, -1 where absent, after so many were made, and its weight.

    Weights that are whole numbers take two bytes each; None: 1 each.
    """

    n_made: int
    nodes: NDArray[np.int32]
    compact_weights: NDArray[np.uint16] | NDArray[np.float64] | None

    @classmethod
    def at_root(cls, n_rows: int, weights: NDArray[np.float64] | None) -> TreeRows:
        """Return rows of which those that have weight are at the root.

        Examples
        --------
        >>> rows = TreeRows.at_root(3, np.array([2.0, 0.0, 1.0]))
        >>> rows.nodes, rows.compact_weights.dtype, rows.weights
        (array([ 0, -1,  0], dtype=int32), dtype('uint16'), array([2., 0., 1.]))
        """
        if weights is None:
            return cls(0, np.zeros(n_rows, dtype=np.int32), None)
        nodes = np.where(weights > 0, np.int32(0), np.int32(-1))
        if weights.max(initial=0.0) <= _MOST_TIMES:
            times = weights.astype(np.uint16)
            if (times == weights).all():
                # Two bytes instead of eight: bags draw whole numbers, and the
                # weights are kept for every tree between levels.
                return cls(0, nodes, times)
        return cls(0, nodes, weights)

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """The weight of each row; None: 1 each."""
        return None if self.compact_weights is None else self.compact_weights.astype(np.float64, copy=False)

    @property
    def n_bytes(self) -> int:
        """Memory of the rows."""
        return self.nodes.nbytes + (0 if self.compact_weights is None else self.compact_weights.nbytes)


KEPT_ROWS = SizedCache(0)  # rows of parts in the trees that are grown, within the bytes of the plan


Histograms = tuple["NDArray[Any]", "NDArray[np.uint32]"]  # cells, and rows of values where their number matters
NodeRows = tuple["NDArray[np.uint8]", "NDArray[np.uint16]", "NDArray[Any] | None"]  # codes, classes, weights


@dataclass(frozen=True)
class _OpenTree:
    """A tree that is being grown: its number, its arrays so far, and the histograms wanted."""

    number: int
    state: TreeState
    request: tuple[Any, ...]
    is_whole: bool


@dataclass(frozen=True)
class _LeftNode:
    """A node of a tree that is grown from its rows; `top` are its key, its depth and the columns used above."""

    number: int
    seed: int
    state: TreeState
    whole: tuple[Any, ...]
    node: int
    top: tuple[Any, ...]


def _count_rows(numbers: Sequence[int], plan: LevelPlan, part: CodedPart) -> list[WholeRows]:
    """Return the totals of the rows of a part at the root of each tree."""
    table, found = plan.table_of(part), []
    for number in numbers:
        rows = _new_rows(number, plan, part)
        _keep_rows(_key(number, plan, part), rows, plan)
        totals: Any = _core.part_totals(table, part.labels, rows.weights, plan.n_classes)
        found.append(WholeRows(*totals))
    return found


def _count_histograms(trees: Sequence[_OpenTree], plan: LevelPlan, part: CodedPart) -> list[Histograms]:
    """Return the histograms of a part that the open nodes of each tree need."""
    table, found = plan.table_of(part), list[Any]()
    for tree in trees:
        rows = _rows_of_tree(tree.number, tree.state, plan, part)
        args = part.labels, rows.weights, plan.n_classes, rows.nodes, tree.request, tree.is_whole
        found.append(_core.count_level(table, *args))
    return found


def _add_histograms(several: Sequence[Histograms]) -> Histograms:
    """Return the histograms of a tree in several parts, added up: sums of whole numbers, or exact ones of weights."""
    cells, rows = zip(*several, strict=True)
    return add_up(cells), add_up(rows)


def _gather_nodes(jobs: Sequence[Sequence[_LeftNode]], plan: LevelPlan, part: CodedPart) -> list[list[NodeRows]]:
    """Return the rows of a part that are in each node of each job, in their order."""
    states = {left.number: left.state for job in jobs for left in job}
    rows = {number: _rows_of_tree(number, state, plan, part) for number, state in states.items()}

    def rows_at(left: _LeftNode) -> NodeRows:
        weights, at = rows[left.number].compact_weights, np.flatnonzero(rows[left.number].nodes == left.node)
        return part.matrix.take(at, axis=0), part.labels[at], None if weights is None else weights[at]

    return [[rows_at(left) for left in job] for job in jobs]


def _grow_nodes(job: Sequence[_LeftNode], plan: LevelPlan, parts: Sequence[list[NodeRows]]) -> list[TreeState]:
    """Return the subtrees of nodes, grown from their rows in all parts."""
    grown = list[Any]()
    for left, pieces in zip(job, zip(*parts, strict=True), strict=True):
        matrix, labels, weights = _concatenated(pieces)
        args = plan.table(matrix), labels, weights, plan.n_classes, plan.options(left.seed), left.whole, left.top
        grown.append(_core.grow_subtree(*args).state)
    return grown


def _rows_of_tree(number: int, state: TreeState, plan: LevelPlan, part: CodedPart) -> TreeRows:
    """Return the rows of a part at the nodes that they have reached."""
    tree, key = _core.restore_tree(plan.n_classes, state), _key(number, plan, part)
    rows: TreeRows | None = KEPT_ROWS.pop(key)
    # Rows routed further than the tree that asks belong to a later level of a task that is run again.
    if rows is None or rows.n_made > tree.n_nodes:
        rows = _new_rows(number, plan, part)
    if rows.n_made < tree.n_nodes:
        _core.route_rows(tree, plan.table_of(part), rows.nodes)
        rows = rows._replace(n_made=tree.n_nodes)
    _keep_rows(key, rows, plan)
    return rows


def _keep_rows(key: Hashable, rows: TreeRows, plan: LevelPlan) -> None:
    KEPT_ROWS.max_bytes = plan.kept_bytes
    KEPT_ROWS.keep(key, rows)


def _new_rows(number: int, plan: LevelPlan, part: CodedPart) -> TreeRows:
    weights = part.weights if plan.row_weights is None else plan.row_weights.weights(part, number)
    return TreeRows.at_root(part.n_rows, weights)


def _key(number: int, plan: LevelPlan, part: CodedPart) -> tuple[str, int, int, int]:
    return plan.run, part.first_row, part.n_rows, number


def _concatenated(pieces: Sequence[NodeRows]) -> NodeRows:
    matrices, labels, weights = zip(*pieces, strict=True)
    own = [each for each in weights if each is not None]
    joined = np.concatenate(own).astype(np.float64, copy=False) if own else None
    return np.concatenate(matrices), np.concatenate(labels), joined


def _check_missing(whole: Iterable[WholeRows], plan: LevelPlan) -> None:
    """Raise if a row with missing values would go to several branches."""
    if plan.params.missing == "fractional" and any(rows.present[:, -1].any() for rows in whole):
        raise DataError(
            "values are missing, and missing='fractional' sends their rows to several branches, which trees that are "
            "grown level by level cannot do. Pass missing='learned', or workers with memory for the codes of all rows."
        )


def _finished(
    parts: Parts,
    plan: LevelPlan,
    tops: dict[int, _core.LevelTree],
    seeds: dict[int, int],
    whole: dict[int, WholeRows],
) -> list[_core.Tree]:
    """Return the trees with the subtrees of the nodes left."""
    nodes = []
    for number, top in tops.items():
        tree = number, seeds[number], _state(top), whole[number].state(plan.n_rows)
        nodes += [_LeftNode(*tree, node, top.top_of(node)) for node in top.left]
    jobs = _share_out(nodes, tops, parts.n_jobs)
    grown = parts.collect(_gather_nodes, _grow_nodes, jobs, plan)
    subtrees: dict[tuple[int, int], _core.Tree] = {}
    for job, states in zip(jobs, grown, strict=True):
        for left, state in zip(job, states, strict=True):
            subtrees[left.number, left.node] = _core.restore_tree(plan.n_classes, state)
    return [top.finished([subtrees[number, node] for node in top.left]) for number, top in tops.items()]


def _state(top: _core.LevelTree) -> TreeState:
    return cast("TreeState", top.tree.state)


def _share_out(nodes: Sequence[_LeftNode], tops: dict[int, _core.LevelTree], n_jobs: int) -> list[list[_LeftNode]]:
    """Return jobs of about equal weight; one job for each node where one is done at a time."""
    if n_jobs == 1:
        return [[node] for node in nodes]
    jobs: list[list[_LeftNode]] = [[] for _ in range(min(n_jobs, len(nodes)))]
    loads = [0.0] * len(jobs)
    weights = [tops[each.number].weight_of(each.node) for each in nodes]
    # The heaviest node first, each to the lightest job: Graham's rule, within 4/3 of the best schedule.
    for i in sorted(range(len(nodes)), key=lambda i: -weights[i]):
        lightest = min(range(len(jobs)), key=loads.__getitem__)
        jobs[lightest].append(nodes[i])
        loads[lightest] += weights[i]
    return jobs
