"""The classes that trees vote for, and how ties are settled (Breiman 1996; Nielsen 2004, section 2.3).

A tree casts one vote for each row: the majority of the bag's counts, with multiplicity, at the leaf, and where a row
with missing values reaches several leaves, of their class frequencies mixed by share. Among the classes with most
votes the one with the greatest sum of these frequencies over the same trees wins, then the lower class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant.ensembles._members import Arrived, Members, Ways
from calibrant.estimates import CountedTree
from calibrant.estimates._frequency import frequencies

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Tally", "count_votes", "majority", "out_of_bag_votes"]

# Sums of frequencies that differ by less are rounded apart, not different.
_TOLERANCE = 1e-9


def majority(shares: NDArray[np.float64]) -> NDArray[np.intp]:
    """Give the column with the greatest value of each row, the first of equal ones; rounding makes no difference.

    Examples
    --------
    >>> majority(np.array([[0.3, 0.7], [0.5, 0.5], [0.1 + 0.2, 0.3]]))
    array([1, 0, 0])
    """
    if shares.shape[1] == 2:  # by far the most frequent case, and twice as fast
        return (shares[:, 1] > shares[:, 0] + _TOLERANCE).astype(np.intp)
    return np.asarray((shares >= shares.max(axis=1, keepdims=True) - _TOLERANCE).argmax(axis=1))


@dataclass(frozen=True, eq=False)
class Tally:
    """Votes and summed leaf frequencies of rows x classes, to which trees are added.

    Examples
    --------
    >>> tally = Tally.empty(2, 2)
    >>> tally.add(np.array([[0.75, 0.25], [0.4, 0.6]]), Arrived(np.array([0]), np.array([0])))
    >>> tally.add(np.array([[0.75, 0.25], [0.4, 0.6]]), Arrived(np.array([0]), np.array([1])))
    >>> tally.labels()
    array([ 0, -1])
    >>> tally.shares(), tally.shares(smooth=True)[0]
    (array([[0.5, 0.5],
           [nan, nan]]), array([0.5, 0.5]))
    """

    votes: NDArray[np.float64]
    sums: NDArray[np.float64]

    @classmethod
    def empty(cls, n_rows: int, n_classes: int) -> Tally:
        """Begin without votes."""
        return cls(np.zeros((n_rows, n_classes)), np.zeros((n_rows, n_classes)))

    def add(self, table: NDArray[np.float64], arrived: Arrived) -> None:
        """Add a tree's votes; its table has the class frequencies of every node."""
        if arrived.share is None:
            rows, shares, label = arrived.row, table[arrived.leaf], majority(table)[arrived.leaf]
        else:
            rows, shares = arrived.by_row(table[arrived.leaf])
            label = majority(shares)
        self.votes[rows, label] += 1.0
        self.sums[rows] += shares

    def labels(self) -> NDArray[np.intp]:
        """Give the class that wins for each row, -1 where no tree voted."""
        most = self.votes.max(axis=1)
        label = self.votes.argmax(axis=1)
        tied = np.flatnonzero((self.votes == most[:, np.newaxis]).sum(axis=1) > 1)
        leading = self.votes[tied] == most[tied, np.newaxis]
        label[tied] = majority(np.where(leading, self.sums[tied], -np.inf))
        label[most == 0] = -1
        return np.asarray(label)

    def shares(self, *, smooth: bool = False) -> NDArray[np.float64]:
        """Give T_k / T, or (T_k + 1) / (T + K); NaN where no tree voted."""
        total = self.votes.sum(axis=1, keepdims=True)
        total[total == 0] = np.nan
        if not smooth:
            return np.asarray(self.votes / total)
        return np.asarray((self.votes + 1.0) / (total + self.votes.shape[1]))


def count_votes(trees: Sequence[CountedTree], ways: Ways, n_rows: int) -> Tally:
    """Let trees vote on rows.

    Examples
    --------
    >>> from calibrant.ensembles._members import LeafMatrix
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> count_votes([tree], LeafMatrix(np.array([[2, 1]])), 2).labels()
    array([1, 0])
    """
    tally = Tally.empty(n_rows, trees[0].counts.shape[1])
    for number, tree in enumerate(trees):
        tally.add(frequencies(tree), ways(number))
    return tally


def out_of_bag_votes(members: Members) -> Tally:
    """Let each tree vote on the training rows that it was grown without.

    Examples
    --------
    >>> from calibrant.ensembles._members import LeafMatrix
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> in_bag = np.array([[1, 1, 1, 1, 0]], dtype=np.uint8)
    >>> members = Members([tree], LeafMatrix(np.array([[1, 1, 2, 2, 2]])), in_bag, np.array([0, 0, 1, 1, 0]), 2)
    >>> out_of_bag_votes(members).labels()
    array([-1, -1, -1, -1,  1])
    """
    tally = Tally.empty(members.n_rows, members.n_classes)
    for number, tree in enumerate(members.trees):
        tally.add(frequencies(tree), members.ways(number).part(members.out_of_bag(number)))
    return tally
