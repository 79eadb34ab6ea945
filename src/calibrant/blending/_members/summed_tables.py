"""Trees with tables of numbers at their nodes, summed over the leaves that rows reach in one pass of the core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Rows

__all__ = ["SummedTables"]


@dataclass(frozen=True, eq=False)
class SummedTables:
    """Trees and the numbers at their nodes, several tables side by side."""

    trees: tuple[Any, ...]
    tables: tuple[NDArray[np.float64], ...]  # of each tree: nodes x (readings x classes)
    n_readings: int = 1

    @classmethod
    def of(cls, trees: Sequence[Any], readings: Sequence[Sequence[NDArray[np.float64]]]) -> SummedTables:
        """Put the tables of several readings, each with one for every tree, side by side."""
        tables = tuple(np.ascontiguousarray(np.hstack(of_tree)) for of_tree in zip(*readings, strict=True))
        return cls(tuple(trees), tables, len(readings))

    def sums(self, rows: Rows | tuple[int, Any], n_threads: int) -> NDArray[np.float64]:
        """Return the sum over all trees, as readings x rows x classes."""
        n_rows, columns = rows
        sums = np.empty((n_rows, self.tables[0].shape[1]))
        _core.predict_forest([tree.core for tree in self.trees], n_rows, columns, list(self.tables), sums, n_threads)
        return np.ascontiguousarray(sums.reshape(n_rows, self.n_readings, -1).transpose(1, 0, 2))

    def only(self, readings: Sequence[int]) -> SummedTables:
        """Return the trees with the tables of some readings."""
        if len(readings) == self.n_readings:
            return self
        parts = [table.reshape(len(table), self.n_readings, -1)[:, list(readings)] for table in self.tables]
        tables = tuple(np.ascontiguousarray(part.reshape(len(part), -1)) for part in parts)
        return SummedTables(self.trees, tables, len(readings))
