"""The coded training set of lazy trees, and their search for the tests of each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from calibrant import _core
from calibrant._progress import progress
from calibrant._threads import n_threads
from calibrant.data import CodedTable
from calibrant.ensembles._bagging.bags import ForestBags

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Rows
    from calibrant.trees._internal import Examples

__all__ = ["LazyParams", "LazyTrees"]

_MISSING = np.iinfo(np.uint32).max
_ROWS_PER_THREAD = 32  # between two steps of the progress bar: about 0.6 s with 1,000 training rows and 50 bags


class LazyParams(Protocol):
    """The parameters that predicting a row uses."""

    max_options: int
    option_fraction: float
    min_leaf: float
    max_leaves: int
    n_jobs: int | None


@dataclass(frozen=True, eq=False)
class LazyTrees:
    """Coded training rows (``codes`` and ``order`` are columns x rows), and the bags of the first trees.

    Examples
    --------
    >>> from calibrant.ensembles import LazyOptionTreesClassifier
    >>> from calibrant.trees._internal import Examples, read_training
    >>> examples = Examples.code(read_training([[1], [3], [5], [7]], ["a", "a", "b", "b"]))
    >>> trees = LazyTrees.of(examples, ForestBags(drawn=np.ones((1, 4), dtype=np.uint16)), 1)
    >>> trees.coded((3, np.array([[4.0], [9.0], [np.nan]]))).tolist()
    [[2], [4], [4294967295]]
    >>> trees.predict_proba((1, np.array([[4.0]])), LazyOptionTreesClassifier())
    array([[0., 1.]])
    """

    examples: Examples
    codes: NDArray[np.uint32]
    order: NDArray[np.uint32]
    labels: NDArray[np.uint16]
    bags: ForestBags
    n_bags: int

    @classmethod
    def of(cls, examples: Examples, bags: ForestBags, n_bags: int) -> LazyTrees:
        """Sort the coded rows of each column."""
        table = examples.table
        codes = np.stack([_wide(table, column) for column in range(table.n_columns)])
        order = np.argsort(codes, axis=1, kind="stable").astype(np.uint32)
        return cls(examples, codes, order, examples.sorted_labels.astype(np.uint16), bags, n_bags)

    def coded(self, rows: Rows) -> NDArray[np.uint32]:
        """Code new rows: the number of training values below each number, the code of each category."""
        n_rows, columns = rows
        arrays = columns.T if isinstance(columns, np.ndarray) else columns
        coded = np.empty((n_rows, len(self.codes)), dtype=np.uint32)
        for column, array in enumerate(arrays):
            coded[:, column] = _ranks(array, self.examples.table.values(column))
        return coded

    def predict_proba(self, rows: Rows, params: LazyParams) -> NDArray[np.float64]:
        """Return the probabilities of rows."""
        queries = self.coded(rows)
        proba = np.empty((len(queries), len(self.examples.classes)))
        batch_size = _ROWS_PER_THREAD * n_threads(params.n_jobs)
        with progress(total=len(queries), description="Searching tests") as bar:
            for first in range(0, len(queries), batch_size):
                batch = slice(first, first + batch_size)
                self._search(queries[batch], proba[batch], params)
                bar.advance(len(queries[batch]))
        return proba

    def _search(self, queries: NDArray[np.uint32], output: NDArray[np.float64], params: LazyParams) -> None:
        _core.predict_lazy_trees(
            self.codes,
            self.order,
            np.array([feature.kind == "nominal" for feature in self.examples.table.schema.features]),
            self.labels,
            self.bags.core,
            self.n_bags,
            self.examples.weights,
            queries,
            output,
            max_options=params.max_options,
            option_fraction=params.option_fraction,
            min_leaf=params.min_leaf,
            max_leaves=params.max_leaves,
            n_threads=n_threads(params.n_jobs),
        )


def _wide(table: CodedTable, column: int) -> NDArray[np.uint32]:
    codes = table.codes(column)
    return np.where(codes == table.missing_code(column), _MISSING, codes.astype(np.uint32))


def _ranks(array: NDArray[Any], values: NDArray[np.float64] | None) -> NDArray[np.int64]:
    if values is None:
        return np.where(array < 0, _MISSING, array.astype(np.int64))
    return np.where(np.isnan(array), _MISSING, np.searchsorted(values, array))
