"""A grown tree read by an estimate, and the probabilities of rows by one or several such readings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calibrant import _core
from calibrant._memory import FLOAT_BYTES, check_output_memory
from calibrant._normalize import normalize_rows
from calibrant._threads import n_threads
from calibrant.estimates import Estimate, RowEstimate, RowReader, as_estimate
from calibrant.trees._prediction.leaf_shares import LeafShares, leaf_shares
from calibrant.trees._prediction.probability_tables import majority_leaves, nearest_with_weight, probability_table
from calibrant.trees._prediction.resolve_estimate import resolve_estimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Rows
    from calibrant.trees._growing.grown_tree import GrownTree
    from calibrant.trees._tree import Tree
    from calibrant.trees._tree_params import ReadingParams

__all__ = ["NodeReader", "TreeReading", "predict_rows"]

# Outputs of 8 MiB or more start at a huge page of 2 MiB: half of the time of reading ten estimates was the system
# handing out fresh memory (benchmarks/RESULTS.md, 144 MB).
_PAGE_BYTES, _LARGE_BYTES = 2**21, 2**23


@dataclass(frozen=True, eq=False)
class TreeReading:
    """An estimate with all its numbers, and the class probabilities that it has at every node.

    An estimate that looks at the rows themselves has a ``reader``, which predicts in place of the table.
    """

    estimate: Estimate
    table: NDArray[np.float64]
    reader: NodeReader | None = None

    @classmethod
    def of(cls, grown: GrownTree, estimate: str | Estimate, params: ReadingParams) -> TreeReading:
        """Read a grown tree by a validated estimate, choosing its number by cross-validation where it requests that.

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> TreeReading.of(model._grown_tree, "frequency", model).table[1]
        array([1., 0.])
        """
        tree, empty_leaf, dialect = grown.tree, params.empty_leaf, params.dialect
        resolved = resolve_estimate(as_estimate("estimate", estimate), grown, params)
        table = probability_table(tree, resolved, empty_leaf=empty_leaf, dialect=dialect)
        if not isinstance(resolved, RowEstimate):
            return cls(resolved, table)
        node = nearest_with_weight(tree)
        node[majority_leaves(tree, resolved, empty_leaf=empty_leaf, dialect=dialect)] = -1
        return cls(resolved, table, NodeReader(resolved.reader(tree, *grown.counted_rows), node))

    @classmethod
    def stored(cls, tree: Tree, estimate: Estimate, reader: NodeReader | None, params: ReadingParams) -> TreeReading:
        """Return the reading of a model file by an estimate with all its numbers; its table is made at first use.

        Examples
        --------
        >>> from calibrant.estimates import Laplace
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> TreeReading.stored(model.tree_, Laplace(), None, model).table[1]
        array([0.75, 0.25])
        """
        reading = object.__new__(cls)
        vars(reading).update(estimate=estimate, reader=reader, _made_from=(tree, params.empty_leaf, params.dialect))
        return reading

    def __getattr__(self, name: str) -> Any:
        if name != "table" or "_made_from" not in self.__dict__:
            raise AttributeError(f"'TreeReading' object has no attribute {name!r}")
        tree, empty_leaf, dialect = self.__dict__["_made_from"]
        table = probability_table(tree, self.estimate, empty_leaf=empty_leaf, dialect=dialect)
        self.__dict__["table"] = table
        return table


class NodeReader(NamedTuple):
    """What predicts rows, and the node whose training rows it takes at each leaf; -1 where the table predicts."""

    rows: RowReader
    node: NDArray[np.intp]


def predict_rows(
    tree: Tree, rows: Rows, readings: Sequence[TreeReading], n_jobs: int | None
) -> list[NDArray[np.float64]]:
    """Return the class probabilities of each row, one array for each reading, all from one descent.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> predict_rows(model.tree_, (1, np.array([[1.5]])), [TreeReading.of(model._grown_tree, "laplace", model)], 1)
    [array([[0.75, 0.25]])]
    """
    check_output_memory(rows[0], len(tree.classes) * len(readings))
    by_table = iter(_predict_by_table(tree, rows, [each.table for each in readings if each.reader is None], n_jobs))
    by_reader = iter(_predict_by_reader(tree, rows, [each for each in readings if each.reader is not None], n_jobs))
    return [next(by_table if each.reader is None else by_reader) for each in readings]


def _predict_by_table(
    tree: Tree, rows: Rows, tables: list[NDArray[np.float64]], n_jobs: int | None
) -> list[NDArray[np.float64]]:
    n_rows, columns = rows
    outputs = [_allocate(n_rows, table.shape[1]) for table in tables]
    if tables:
        _core.predict_tree(tree.core, n_rows, columns, tables, outputs, n_threads(n_jobs))
    return outputs


def _allocate(n_rows: int, n_columns: int) -> NDArray[np.float64]:
    """Return memory for probabilities, aligned to a huge page where there is much of it."""
    n_bytes = FLOAT_BYTES * n_rows * n_columns
    if n_bytes < _LARGE_BYTES:
        return np.empty((n_rows, n_columns))
    memory = np.empty(n_bytes + _PAGE_BYTES, dtype=np.uint8)
    start = -memory.ctypes.data % _PAGE_BYTES
    return memory[start : start + n_bytes].view(np.float64).reshape(n_rows, n_columns)


def _predict_by_reader(
    tree: Tree, rows: Rows, readings: list[TreeReading], n_jobs: int | None
) -> list[NDArray[np.float64]]:
    if not readings:
        return []
    n_rows, columns = rows
    shares = leaf_shares(tree, n_rows, columns, n_jobs)
    by_column = columns if isinstance(columns, list) else list(columns.T)
    return [_read_rows(reading, by_column, shares, n_rows) for reading in readings]


def _read_rows(
    reading: TreeReading, columns: list[NDArray[Any]], shares: LeafShares, n_rows: int
) -> NDArray[np.float64]:
    """Predict by the reader, and add the shares of the leaves where the table predicts."""
    if reading.reader is None:
        raise AssertionError("a reading of rows has a reader")
    (row, leaf, share), reader = shares, reading.reader
    node = reader.node[leaf]
    read, voting = np.flatnonzero(node >= 0), np.flatnonzero(node < 0)
    proba = reader.rows.predict(columns, row[read], node[read].astype(np.int32), share[read], n_rows)
    np.add.at(proba, row[voting], share[voting, np.newaxis] * reading.table[leaf[voting]])
    return normalize_rows(proba)
