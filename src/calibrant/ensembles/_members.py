"""What a reading sees of a grown forest: where each training row ends in each tree, and how often it is in the bag."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calibrant.estimates import CountedTree

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Arrived", "LeafMatrix", "Members", "Ways"]


class Arrived(NamedTuple):
    """One entry for each leaf that a row reaches, row after row; no shares where every row reaches one leaf."""

    row: NDArray[np.integer[Any]]
    leaf: NDArray[np.int32]
    share: NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls, row: NDArray[np.integer[Any]], leaf: NDArray[np.int32], share: NDArray[np.float64], n_rows: int
    ) -> Arrived:
        """Take the arrivals of a tree, forgetting shares that are all 1.

        Examples
        --------
        >>> Arrived.of(np.array([0, 1]), np.array([3, 4], dtype=np.int32), np.ones(2), 2).share is None
        True
        """
        return cls(row, leaf, None if len(row) == n_rows else share)

    def part(self, rows: NDArray[np.bool_]) -> Arrived:
        """Give the entries of some rows.

        Examples
        --------
        >>> Arrived(np.array([0, 1]), np.array([3, 4], dtype=np.int32)).part(np.array([False, True])).leaf
        array([4], dtype=int32)
        """
        is_every_row = self.share is None and len(self.row) == len(rows)
        chosen = np.flatnonzero(rows if is_every_row else rows[self.row])
        return Arrived(self.row[chosen], self.leaf[chosen], None if self.share is None else self.share[chosen])

    def by_row(
        self, values: NDArray[np.float64], answered: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.integer[Any]], NDArray[np.float64]]:
        """Give the rows that have an answer, each once, and their values: those of their leaves mixed by share.

        A leaf without an answer drops its share, and the others of the row make up for it.

        Examples
        --------
        >>> arrived = Arrived(np.array([2, 2, 5]), np.array([1, 3, 3]), np.array([0.25, 0.75, 1]))
        >>> arrived.by_row(np.array([[1.0, 0], [0, 1], [0, 1]]))
        (array([2, 5]), array([[0.25, 0.75],
               [0.  , 1.  ]]))
        >>> arrived.by_row(np.array([[1.0, 0], [0, 1], [0, 1]]), np.array([True, False, False]))
        (array([2]), array([[1., 0.]]))
        """
        row, share = self.row, self.share
        if answered is not None and not answered.all():
            row, values = row[answered], values[answered]
            share = None if share is None else share[answered]
        return (row, values) if share is None else _mixed(row, share, values)


def _mixed(
    row: NDArray[np.integer[Any]], share: NDArray[np.float64], values: NDArray[np.float64]
) -> tuple[NDArray[np.integer[Any]], NDArray[np.float64]]:
    if len(row) == 0:
        return row, values
    starts = np.flatnonzero(np.append(True, row[1:] != row[:-1]))
    mass = np.add.reduceat(share, starts)
    return row[starts], np.add.reduceat(share[:, np.newaxis] * values, starts) / mass[:, np.newaxis]


# Where rows end in the tree of a number.
Ways = Callable[[int], Arrived]


@dataclass(frozen=True, eq=False)
class LeafMatrix:
    """The leaf of every row in every tree (trees x rows): the ways through a forest that met no missing value.

    Examples
    --------
    >>> LeafMatrix(np.array([[1, 2, 1], [4, 3, 3]], dtype=np.int32))(1).leaf
    array([4, 3, 3], dtype=int32)
    """

    leaves: NDArray[np.int32]

    @cached_property
    def _rows(self) -> NDArray[np.intp]:
        return np.arange(self.leaves.shape[1])

    def __call__(self, tree: int) -> Arrived:
        return Arrived(self._rows, self.leaves[tree])


@dataclass(frozen=True, eq=False)
class Members:
    """The trees of a forest and its training rows.

    Parameters
    ----------
    trees : sequence of CountedTree
        The trees; ``counts`` are those of the bag, a row counted as often as it was drawn.
    ways : callable
        Gives the `Arrived` of all training rows for the number of a tree. It is called for one tree after the other,
        so that not all arrivals need be held; more than once where a reading needs more than one pass.
    in_bag : array of shape (n_trees, n_rows) of unsigned int
        How often each row was drawn for each tree.
    labels : array of shape (n_rows,) of int
        The class of each row, a position in the sorted classes.
    n_classes : int
        Number of classes.
    weights : array of shape (n_rows,), optional
        How often each row counts; None for once each.
    drawn_by_weight : bool
        Whether rows were drawn in proportion to their weights, so that a drawn row counted in its tree as often as it
        was drawn; else it counted so often times its weight.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> ways = LeafMatrix(np.array([[1, 1, 2, 2, 2]], dtype=np.int32))
    >>> members = Members([tree], ways, np.array([[1, 1, 1, 1, 0]], dtype=np.uint8), np.array([0, 0, 1, 1, 0]), 2)
    >>> members.n_trees, members.n_rows, members.class_weights
    (1, 5, array([3., 2.]))
    >>> members.out_of_bag(0)
    array([False, False, False, False,  True])
    """

    trees: Sequence[CountedTree]
    ways: Ways
    in_bag: NDArray[np.unsignedinteger[Any]]
    labels: NDArray[np.integer[Any]]
    n_classes: int
    weights: NDArray[np.float64] | None = None
    drawn_by_weight: bool = False

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.trees)

    @property
    def n_rows(self) -> int:
        """Number of training rows."""
        return len(self.labels)

    @cached_property
    def class_weights(self) -> NDArray[np.float64]:
        """The weight of each class in the training set."""
        return np.bincount(self.labels, self.weights, self.n_classes).astype(np.float64)

    def out_of_bag(self, tree: int) -> NDArray[np.bool_]:
        """Say of each row whether the tree was grown without it."""
        return np.asarray(self.in_bag[tree] == 0)

    def own_weight(self, arrived: Arrived) -> NDArray[np.float64] | None:
        """Give what each entry counts where a row counts once; None for 1 each."""
        weights = None if self.weights is None else self.weights[arrived.row]
        if arrived.share is None:
            return weights
        return arrived.share if weights is None else np.asarray(arrived.share * weights)

    def drawn_weight(self, tree: int, arrived: Arrived) -> NDArray[np.float64]:
        """Give what each entry counts where a row counts as often as it was drawn; out of the bag as if once."""
        drawn = self.in_bag[tree]
        weight = np.ones(self.n_rows) if self.weights is None else self.weights
        weight = np.where(drawn > 0, drawn if self.drawn_by_weight else drawn * weight, weight)[arrived.row]
        return weight if arrived.share is None else np.asarray(weight * arrived.share)
