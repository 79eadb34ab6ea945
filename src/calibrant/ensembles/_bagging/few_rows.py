"""Few rows at a time: numeric trees packed once, so that a row costs no lists of trees and few misses of the cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Rows
    from calibrant.trees._internal import Tree

__all__ = ["FewRows"]

MOST_ROWS = 256  # more go down the trees side by side


class FewRows:
    """The mean of the tables of all trees, for a few rows; what it needs is packed when it is first asked.

    Examples
    --------
    >>> from calibrant.ensembles import BaggedTreesClassifier
    >>> model = BaggedTreesClassifier(n_trees=3, bootstrap=None).fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
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
        """Give the mean, or None where the rows are many, are not a matrix of numbers, or have missing values."""
        n_rows, values = rows
        if n_rows > MOST_ROWS or not isinstance(values, np.ndarray) or not self.can_pack:
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
        return self.__dict__ | {"_packed": None}  # which can be had again
