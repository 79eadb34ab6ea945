"""What a worker does with the part of the rows that it holds: totals, histograms, the rows of small nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant import _core
from calibrant.trees._levels.level_plan import LevelPlan, TreeState, WholeRows
from calibrant.trees._levels.row_nodes import KEPT_ROWS, TreeRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import CodedPart

__all__ = ["LeftNodes", "OpenTree", "add_histograms", "add_rows", "count_histograms", "count_rows", "gather_nodes"]

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
