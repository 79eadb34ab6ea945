"""Probabilities read from a tree: the table of nodes x classes of an estimate, empty leaves filled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calibrant import _core
from calibrant._memory import check_output_memory
from calibrant._threads import n_threads
from calibrant.estimates import Curtailment, Estimate, Frequency, RowEstimate, RowReader, as_estimate
from calibrant.trees._reading.choose_estimate import in_numbers
from calibrant.trees._reading.leaf_shares import arrivals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Rows
    from calibrant.trees._growing.growth import Growth
    from calibrant.trees._tree import Tree
    from calibrant.trees._tree_params import Dialect, EmptyLeaf, ReadingParams

__all__ = ["Reading", "answers", "nearest_filled", "probability_table", "read_tree"]

_PAGE, _LARGE = 2**21, 2**23


@dataclass(frozen=True, eq=False)
class Reading:
    """How a tree answers: an estimate with nothing left open, and the probabilities of the classes at every node.

    An estimate that looks at the rows themselves has a ``reader``, which answers instead of the table.
    """

    estimate: Estimate
    table: NDArray[np.float64]
    reader: Reader | None = None


class Reader(NamedTuple):
    """What answers for rows, and which node it is asked about for each: -1 where an empty leaf votes instead."""

    rows: RowReader
    asks: NDArray[np.intp]


def read_tree(growth: Growth, given: str | Estimate, params: ReadingParams) -> Reading:
    """Read a grown tree by an estimate, choosing its number by cross-validation where it asks for that.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> read_tree(model._growth, "frequency", model).table[1]
    array([1., 0.])
    """
    estimate = in_numbers(
        as_estimate("estimate", given), growth, lambda each, tree: probability_table(tree, each, params)
    )
    table = probability_table(growth.tree, estimate, params)
    if not isinstance(estimate, RowEstimate):
        return Reading(estimate, table)
    columns, labels, weights = growth.counted_rows
    asks = nearest_filled(growth.tree)
    asks[_voting(growth.tree, estimate, params)] = -1
    return Reading(estimate, table, Reader(estimate.reader(growth.tree, columns, labels, weights), asks))


def answers(tree: Tree, rows: Rows, readings: Sequence[Reading], n_jobs: int | None) -> list[NDArray[np.float64]]:
    """Give the probabilities of the classes for each row, one array for each reading, all in one descent.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> answers(model.tree_, (1, np.array([[1.5]])), [read_tree(model._growth, "laplace", model)], 1)
    [array([[0.75, 0.25]])]
    """
    check_output_memory(rows[0], len(tree.classes) * len(readings))
    found = iter(_read_tables(tree, rows, [each.table for each in readings if each.reader is None], n_jobs))
    asked = iter(_ask_readers(tree, rows, [(r.reader, r.table) for r in readings if r.reader is not None], n_jobs))
    return [next(found if each.reader is None else asked) for each in readings]


def _read_tables(
    tree: Tree, rows: Rows, tables: list[NDArray[np.float64]], n_jobs: int | None
) -> list[NDArray[np.float64]]:
    n_rows, columns = rows
    outputs = [_room(n_rows, table.shape[1]) for table in tables]
    if tables:
        _core.predict_tree(tree.core, n_rows, columns, tables, outputs, n_threads(n_jobs))
    return outputs


def _room(n_rows: int, n_columns: int) -> NDArray[np.float64]:
    """Give memory for answers; much of it begins at a page of 2 MiB, or half the time would go into small pages."""
    n_bytes = 8 * n_rows * n_columns
    if n_bytes < _LARGE:
        return np.empty((n_rows, n_columns))
    memory = np.empty(n_bytes + _PAGE, dtype=np.uint8)
    start = -memory.ctypes.data % _PAGE
    return memory[start : start + n_bytes].view(np.float64).reshape(n_rows, n_columns)


def _ask_readers(
    tree: Tree, rows: Rows, readers: list[tuple[Reader, NDArray[np.float64]]], n_jobs: int | None
) -> list[NDArray[np.float64]]:
    if not readers:
        return []
    n_rows, columns = rows
    row, leaf, share = arrivals(tree, n_rows, columns, n_jobs)
    by_column = columns if isinstance(columns, list) else list(columns.T)
    return [_ask(reader, table, by_column, (row, leaf, share), n_rows) for reader, table in readers]


def _ask(
    reader: Reader,
    table: NDArray[np.float64],
    columns: list[NDArray[Any]],
    arrived: tuple[NDArray[Any], NDArray[np.int32], NDArray[np.float64]],
    n_rows: int,
) -> NDArray[np.float64]:
    """Ask the reader where it is to be asked, and add the votes of the other leaves."""
    row, leaf, share = arrived
    at = reader.asks[leaf]
    asked, voting = np.flatnonzero(at >= 0), np.flatnonzero(at < 0)
    found = reader.rows.predict(columns, row[asked], at[asked].astype(np.int32), share[asked], n_rows)
    np.add.at(found, row[voting], share[voting, np.newaxis] * table[leaf[voting]])
    return found


def probability_table(tree: Tree, estimate: Estimate, params: ReadingParams) -> NDArray[np.float64]:
    """Give the probabilities of the sorted classes at every node.

    Examples
    --------
    >>> from calibrant.estimates import Laplace
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> probability_table(model.tree_, Laplace(), model)[1]
    array([0.75, 0.25])
    """
    table = np.array(estimate.table(tree), dtype=np.float64, order="C")
    empty = np.flatnonzero(tree.weight <= 0)
    if len(empty) == 0:
        return table
    table[empty] = table[nearest_filled(tree)[empty]]
    voting = _voting(tree, estimate, params)
    table[voting] = 0.0
    table[voting, tree.label[voting]] = 1.0
    return table


def _voting(tree: Tree, estimate: Estimate, params: ReadingParams) -> NDArray[np.intp]:
    """Give the empty leaves that vote for their parent's majority; one that curtailment never enters cannot."""
    empty = np.flatnonzero(tree.weight <= 0)
    if len(empty) == 0 or _empty_leaf(estimate, params.empty_leaf, params.dialect) == "parent":
        return empty[:0]
    return empty[estimate.answering(tree)[empty] == empty] if isinstance(estimate, Curtailment) else empty


def nearest_filled(tree: Tree) -> NDArray[np.intp]:
    """Give the nearest node at or above each node that training weight reached.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> nearest_filled(ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"]).tree_)
    array([0, 1, 2])
    """
    at = np.where(tree.weight > 0, np.arange(tree.n_nodes), tree.parent)
    while (tree.weight[at] <= 0).any():  # a whole subtree of an honest tree may be empty
        at = at[at]
    return at


def _empty_leaf(estimate: Estimate, told: EmptyLeaf | None, dialect: Dialect) -> EmptyLeaf:
    """Follow the dialect where nothing is told: C4.5's own frequencies vote for the parent's majority."""
    if told is not None:
        return told
    return "majority" if dialect == "c45" and isinstance(estimate, Frequency) else "parent"
