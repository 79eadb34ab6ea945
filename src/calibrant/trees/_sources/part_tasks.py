"""The work on one part of the rows: totals, histograms, rows of small nodes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from uuid import uuid4
from weakref import WeakKeyDictionary

import numpy as np

from calibrant import _core
from calibrant.trees._growing.grow import grow_options

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Bins, CodedPart
    from calibrant.trees._tree_params import TreeParams

__all__ = [
    "BYTES_OF_ROW",
    "KEPT_ROWS",
    "KeptRows",
    "LeftNodes",
    "LevelPlan",
    "OpenTree",
    "OwnWeights",
    "RowWeights",
    "TreeRows",
    "TreeState",
    "WholeRows",
    "add_histograms",
    "add_rows",
    "count_histograms",
    "count_rows",
    "gather_nodes",
]


TreeState = tuple[Any, ...]  # the arrays of a tree, as the core restores them
_MOST_TIMES = 0xFFFF  # the greatest weight, and sum of weights, that the core counts in whole numbers
_MOST_COUNTED = 0xFFFFFFFF


_TABLES: WeakKeyDictionary[CodedPart, _core.CodedTable] = WeakKeyDictionary()  # of the parts that this process holds


class RowWeights(Protocol):
    """The weights of the rows of a part in each tree; picklable, and the same at every call."""

    def weights(self, part: CodedPart, tree: int) -> NDArray[np.float64] | None:
        """Return the weight of each row in a tree, 0 where it is absent; None: 1 each."""


@dataclass(frozen=True)
class OwnWeights:
    """The rows weigh the same in every tree."""

    def weights(self, part: CodedPart, tree: int) -> NDArray[np.float64] | None:  # noqa: ARG002
        """Return the weights of the part."""
        return part.weights


@dataclass(frozen=True, eq=False)
class LevelPlan:
    """The columns, the number of classes and rows, the weights of the rows and the parameters of the trees."""

    bins: Bins
    n_classes: int
    n_declared: int
    n_rows: int
    params: TreeParams
    row_weights: RowWeights
    max_features: int = 0
    n_threads: int = 1
    trees_at_once: int = 1
    kept_bytes: int = 256 << 20  # of the rows of trees that a process keeps between two levels
    run: str = field(default_factory=lambda: uuid4().hex)

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

    def empty_table(self) -> _core.CodedTable:
        """Return the core's table of the columns without rows."""
        return self.table(np.empty((0, len(self.bins.n_values)), dtype=np.uint8))


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

    @property
    def any_missing(self) -> bool:
        """Whether a value is missing."""
        return bool(self.present[:, -1].any())

    def state(self, n_table_rows: int) -> tuple[Any, ...]:
        """Return what the core must know of them to grow a subtree."""
        present = self.present if self.n_rows < n_table_rows else None
        return n_table_rows, self.n_rows, self.weight, self.heaviest, self.is_counted, present


BYTES_OF_ROW = 6  # of a node and a number of draws


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


class KeptRows:
    """The rows of parts in the trees that are grown; the oldest are dropped beyond a number of bytes.

    Examples
    --------
    >>> kept = KeptRows()
    >>> kept.keep("a", TreeRows.at_root(2, None), most_bytes=8)
    >>> kept.take("a", 5)
    TreeRows(n_made=0, nodes=array([0, 0], dtype=int32), compact_weights=None)
    >>> kept.take("a", 5) is None
    True
    """

    def __init__(self) -> None:
        self._n_bytes = 0
        self._kept: OrderedDict[Hashable, TreeRows] = OrderedDict()
        self._lock = Lock()

    def take(self, key: Hashable, n_nodes: int) -> TreeRows | None:
        """Return the rows of a part in a tree, and forget them; None if they are not kept.

        Those of a tree that has grown beyond `n_nodes` are of no use, and dropped.
        """
        with self._lock:
            rows = self._kept.pop(key, None)
            if rows is None:
                return None
            self._n_bytes -= rows.n_bytes
        return rows if rows.n_made <= n_nodes else None

    def keep(self, key: Hashable, rows: TreeRows, most_bytes: int) -> None:
        """Keep rows until there is no room."""
        with self._lock:
            before = self._kept.pop(key, None)  # of a task that Dask runs again
            self._kept[key] = rows
            self._n_bytes += rows.n_bytes - (0 if before is None else before.n_bytes)
            while self._n_bytes > most_bytes:
                self._n_bytes -= self._kept.popitem(last=False)[1].n_bytes


KEPT_ROWS = KeptRows()


Histograms = tuple["NDArray[Any]", "NDArray[np.uint32]"]  # cells, and rows of values where their number matters
NodeRows = tuple["NDArray[np.uint8]", "NDArray[np.uint16]", "NDArray[Any] | None"]  # codes, classes, weights


@dataclass(frozen=True)
class OpenTree:
    """A tree that is being grown: its number, its arrays so far, and the histograms wanted."""

    number: int
    state: TreeState
    request: tuple[Any, ...]
    is_whole: bool


@dataclass(frozen=True)
class LeftNodes:
    """Nodes of one tree that are grown from their rows: key, depth and used columns of each."""

    number: int
    seed: int
    state: TreeState
    whole: tuple[Any, ...]
    tops: dict[int, tuple[Any, ...]]


def count_rows(numbers: Sequence[int], plan: LevelPlan, part: CodedPart) -> list[WholeRows]:
    """Return what the rows of a part add to the root of each tree."""
    table, found = plan.table_of(part), []
    for number in numbers:
        rows = _new_rows(number, plan, part)
        KEPT_ROWS.keep(_key(number, plan, part), rows, plan.kept_bytes)
        totals: Any = _core.part_totals(table, part.labels, rows.weights, plan.n_classes)
        found.append(WholeRows(*totals))
    return found


def add_rows(several: Sequence[list[WholeRows]]) -> list[WholeRows]:
    """Return the rows of several parts, added up tree by tree."""
    return [WholeRows.sum(of_tree) for of_tree in zip(*several, strict=True)]


def count_histograms(trees: Sequence[OpenTree], plan: LevelPlan, part: CodedPart) -> list[Histograms]:
    """Return the histograms of a part that the open nodes of each tree need."""
    table, found = plan.table_of(part), list[Any]()
    for tree in trees:
        rows = _rows_of_tree(tree.number, tree.state, plan, part)
        args = part.labels, rows.weights, plan.n_classes, rows.nodes, tree.request, tree.is_whole
        found.append(_core.count_level(table, *args))
    return found


def add_histograms(several: Sequence[list[Histograms]]) -> list[Histograms]:
    """Return the histograms of several parts, added up: sums of whole numbers, or exact ones of weights."""
    return [
        (_sum([cells for cells, _ in of_tree]), _sum([rows for _, rows in of_tree]))
        for of_tree in zip(*several, strict=True)
    ]


def gather_nodes(job: Sequence[LeftNodes], plan: LevelPlan, part: CodedPart) -> list[NodeRows]:
    """Return the rows of a part that are in each node, in their order."""
    found = []
    for left in job:
        rows = _rows_of_tree(left.number, left.state, plan, part)
        weights = rows.compact_weights
        for node in left.tops:
            at = np.flatnonzero(rows.nodes == node)
            found.append((part.matrix.take(at, axis=0), part.labels[at], None if weights is None else weights[at]))
    return found


def grow_nodes(job: Sequence[LeftNodes], plan: LevelPlan, parts: Sequence[list[NodeRows]]) -> list[TreeState]:
    """Return the subtrees of nodes, grown from their rows in all parts."""
    grown, pieces = list[Any](), zip(*parts, strict=True)
    for left in job:
        options = plan.options(left.seed)
        for top in left.tops.values():
            matrix, labels, weights = _concatenated(next(pieces))
            args = plan.table(matrix), labels, weights, plan.n_classes, options, left.whole, top
            grown.append(_core.grow_subtree(*args).state)
    return grown


def _rows_of_tree(number: int, state: TreeState, plan: LevelPlan, part: CodedPart) -> TreeRows:
    """Return the rows of a part at the nodes that they have reached."""
    tree, key = _core.restore_tree(plan.n_classes, state), _key(number, plan, part)
    rows = KEPT_ROWS.take(key, tree.n_nodes) or _new_rows(number, plan, part)
    if rows.n_made < tree.n_nodes:
        _core.route_rows(tree, plan.table_of(part), rows.nodes)
        rows = rows._replace(n_made=tree.n_nodes)
    KEPT_ROWS.keep(key, rows, plan.kept_bytes)
    return rows


def _new_rows(number: int, plan: LevelPlan, part: CodedPart) -> TreeRows:
    return TreeRows.at_root(part.n_rows, plan.row_weights.weights(part, number))


def _key(number: int, plan: LevelPlan, part: CodedPart) -> tuple[str, int, int, int]:
    return plan.run, part.first_row, part.n_rows, number


def _sum(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.asarray(np.add.reduce(arrays, dtype=arrays[0].dtype))


def _concatenated(pieces: Sequence[NodeRows]) -> NodeRows:
    matrices, labels, weights = zip(*pieces, strict=True)
    own = [each for each in weights if each is not None]
    joined = np.concatenate(own).astype(np.float64, copy=False) if own else None
    return np.concatenate(matrices), np.concatenate(labels), joined
