"""What all parts of the rows must know to take part in growing trees level by level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4
from weakref import WeakKeyDictionary

import numpy as np

from calibrant.trees._growing.grow import grow_options

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant import _core
    from calibrant.data._internal import Bins, CodedPart
    from calibrant.trees._tree_params import TreeParams

__all__ = ["LevelPlan", "OwnWeights", "RowWeights", "TreeState", "WholeRows"]

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
