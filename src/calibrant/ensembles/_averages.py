"""The mean of what trees answer, over those that have an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.ensembles._members import Members, Ways

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Mean", "average", "out_of_bag_average"]


@dataclass(frozen=True, eq=False)
class Mean:
    """Sums of probabilities (rows x classes) and the number of trees in each, to which trees are added.

    Examples
    --------
    >>> mean = Mean.empty(2, 2)
    >>> mean.add(np.array([1]), np.array([[0.5, 0.5]]))
    >>> mean.add(np.array([1]), np.array([[1.0, 0.0]]))
    >>> mean.value()
    array([[ nan,  nan],
           [0.75, 0.25]])
    """

    sums: NDArray[np.float64]
    n_trees: NDArray[np.float64]

    @classmethod
    def empty(cls, n_rows: int, n_classes: int) -> Mean:
        """Begin without trees."""
        return cls(np.zeros((n_rows, n_classes)), np.zeros(n_rows))

    def add(self, rows: NDArray[np.integer[Any]], values: NDArray[np.float64]) -> None:
        """Add what a tree answers for rows, each of them there once."""
        self.sums[rows] += values
        self.n_trees[rows] += 1.0

    def value(self) -> NDArray[np.float64]:
        """Give the mean for each row, NaN where no tree answered."""
        return self.sums / np.where(self.n_trees > 0, self.n_trees, np.nan)[:, np.newaxis]


def average(
    tables: Sequence[NDArray[np.float64]],
    ways: Ways,
    n_rows: int,
    filled: Sequence[NDArray[np.bool_]] | None = None,
) -> NDArray[np.float64]:
    """Average tables of nodes x classes where rows end, over the trees whose node is filled.

    Where none is, over all trees.

    Examples
    --------
    >>> from calibrant.ensembles._members import LeafMatrix
    >>> tables = [np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]])]
    >>> ways = LeafMatrix(np.zeros((2, 1), dtype=np.int32))
    >>> average(tables, ways, 1), average(tables, ways, 1, [np.array([True]), np.array([False])])
    (array([[0.75, 0.25]]), array([[0.5, 0.5]]))
    """
    mean = Mean.empty(n_rows, tables[0].shape[1])
    for number, table in enumerate(tables):
        arrived = ways(number)
        mean.add(*arrived.by_row(table[arrived.leaf], None if filled is None else filled[number][arrived.leaf]))
    silent = mean.n_trees == 0
    if filled is None or not silent.any():
        return mean.value()
    return np.where(silent[:, np.newaxis], average(tables, ways, n_rows), mean.value())


def out_of_bag_average(tables: Sequence[NDArray[np.float64]], members: Members) -> NDArray[np.float64]:
    """Average tables that know nothing of the rows out of the bag, such as those of bagged trees (B-PETs).

    NaN for a row that is in every bag.

    Examples
    --------
    >>> from calibrant.ensembles._members import LeafMatrix
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> in_bag = np.array([[1, 1, 1, 1, 0]], dtype=np.uint8)
    >>> members = Members([tree], LeafMatrix(np.array([[1, 1, 2, 2, 2]])), in_bag, np.array([0, 0, 1, 1, 0]), 2)
    >>> out_of_bag_average([np.array([[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]])], members)[3:]
    array([[ nan,  nan],
           [0.25, 0.75]])
    """
    mean = Mean.empty(members.n_rows, members.n_classes)
    for number, table in enumerate(tables):
        arrived = members.ways(number).part(members.out_of_bag(number))
        mean.add(*arrived.by_row(table[arrived.leaf]))
    return mean.value()
