"""What a worker does with the part of the rows that it holds: totals, histograms, the rows of small nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from calibrant import _core
from calibrant.trees._levels.level_plan import LevelPlan, TreeState, WholeRows
from calibrant.trees._levels.row_nodes import KEPT_NODES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import CodedPart

__all__ = ["LeftNodes", "OpenTree", "add_histograms", "add_rows", "count_histograms", "count_rows", "gather_nodes"]

Histograms = tuple["NDArray[Any]", "NDArray[np.uint32]"]  # cells, and rows of values where their number matters
NodeRows = tuple["NDArray[np.uint8]", "NDArray[np.uint16]", "NDArray[np.float64] | None"]  # codes, classes, weights


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
    table = plan.table_of(part)
    return [
        WholeRows(*cast("tuple[Any, ...]", totals))
        for number in numbers
        for totals in [_core.part_totals(table, part.labels, plan.row_weights.weights(part, number), plan.n_classes)]
    ]


def add_rows(several: Sequence[list[WholeRows]]) -> list[WholeRows]:
    """Return the rows of several parts, added up tree by tree."""
    return [WholeRows.sum(of_tree) for of_tree in zip(*several, strict=True)]


def count_histograms(trees: Sequence[OpenTree], plan: LevelPlan, part: CodedPart) -> list[Histograms]:
    """Return the histograms of a part that the open nodes of each tree need."""
    table, found = plan.table_of(part), list[Any]()
    for tree in trees:
        nodes, weights = _nodes_and_weights(tree.number, tree.state, plan, part, table)
        found.append(_core.count_level(table, part.labels, weights, plan.n_classes, nodes, tree.request, tree.is_whole))
    return found


def add_histograms(several: Sequence[list[Histograms]]) -> list[Histograms]:
    """Return the histograms of several parts, added up: sums of whole numbers, or exact ones of weights."""
    return [
        (_sum([cells for cells, _ in of_tree]), _sum([rows for _, rows in of_tree]))
        for of_tree in zip(*several, strict=True)
    ]


def gather_nodes(job: Sequence[LeftNodes], plan: LevelPlan, part: CodedPart) -> list[NodeRows]:
    """Return the rows of a part that are in each node, in their order."""
    table, found = plan.table_of(part), []
    for left in job:
        nodes, weights = _nodes_and_weights(left.number, left.state, plan, part, table)
        for node in left.tops:
            rows = np.flatnonzero(nodes == node)
            found.append((part.matrix[rows], part.labels[rows], None if weights is None else weights[rows]))
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


def _nodes_and_weights(
    number: int, state: TreeState, plan: LevelPlan, part: CodedPart, table: _core.CodedTable
) -> tuple[NDArray[np.int32], NDArray[np.float64] | None]:
    """Return the node that each row of a part has reached, -1 where it is not in the tree, and its weight."""
    weights = plan.row_weights.weights(part, number)
    tree = _core.restore_tree(plan.n_classes, state)
    key = (plan.run, part.first_row, part.n_rows, number)
    n_made, nodes = KEPT_NODES.take(key, tree.n_nodes)
    if nodes is None:
        start = np.zeros(part.n_rows, dtype=np.int32)
        nodes = start if weights is None else np.where(weights > 0, start, np.int32(-1))
    if n_made < tree.n_nodes:
        _core.route_rows(tree, table, nodes)
    KEPT_NODES.keep(key, tree.n_nodes, nodes)
    return nodes, weights


def _sum(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.asarray(np.add.reduce(arrays, dtype=arrays[0].dtype))


def _concatenated(pieces: Sequence[NodeRows]) -> NodeRows:
    matrices, labels, weights = zip(*pieces, strict=True)
    own = [each for each in weights if each is not None]
    return np.concatenate(matrices), np.concatenate(labels), np.concatenate(own) if own else None
