"""Predictions of few rows at a time: numeric trees are packed once into arrays that fit the processor's cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Rows
    from calibrant.trees import Tree

__all__ = ["FewRows"]

# One row takes 19.8 microseconds packed (benchmarks/RESULTS.md); many rows are faster tree by tree, in large blocks.
MAX_ROWS = 256


class FewRows:
    """The mean of the tables of all trees for few rows; the trees are packed at the first call.

    Examples
    --------
    >>> from calibrant.ensembles import BaggedTreesClassifier
    >>> model = BaggedTreesClassifier(n_trees=3, bootstrap=None, estimate="laplace")
    >>> model = model.fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> few = FewRows(model.trees_, model._reading.tables)
    >>> few.mean((1, np.array([[1.5]])))
    array([[0.75, 0.25]])
    >>> few.mean((1, np.array([[np.nan]]))) is None
    True
    """

    def __init__(self, trees: Sequence[Tree], tables: Sequence[NDArray[np.float64]]) -> None:
        self._trees, self.tables, self.can_pack = trees, tables, True
        self._packed: _core.PackedForest | None = None

    def mean(self, rows: Rows) -> NDArray[np.float64] | None:
        """Return the mean, or None where the rows are many, are not a numeric matrix, or have missing values."""
        n_rows, values = rows
        if n_rows > MAX_ROWS or not isinstance(values, np.ndarray) or not self.can_pack:
            return None
        packed = self._packed or self._pack(values.shape[1])
        if packed is None:
            return None
        output = np.empty((n_rows, self.tables[0].shape[1]))
        return output if packed.mean(values, output) else None

    def _pack(self, n_columns: int) -> _core.PackedForest | None:
        self._packed = _core.pack_forest([tree.core for tree in self._trees], list(self.tables), n_columns)
        self.can_pack = self._packed is not None
        return self._packed

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_packed": None}  # packed again when needed
