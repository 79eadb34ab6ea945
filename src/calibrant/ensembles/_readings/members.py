"""What a reading sees of a grown forest: where each training row ends in each tree, and how often it is in the bag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant import _core
from calibrant.ensembles._readings.leaf_paths import Ways
from calibrant.estimates import CountedTree
from calibrant.estimates._internal import frequencies

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Members", "class_weights", "vote_tables"]


@dataclass(frozen=True, eq=False)
class Members:
    """The trees of a forest and its training rows.

    Parameters
    ----------
    trees : sequence of CountedTree
        The trees; ``counts`` are those of the bag, a row counted as often as it was drawn.
    ways : LeafMatrix or Walks
        Where all training rows end.
    in_bag : array of shape (n_trees, n_rows) of uint16
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
    >>> from calibrant.ensembles._readings.leaf_paths import LeafMatrix
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> ways = LeafMatrix(np.array([[1, 1, 2, 2, 2]], dtype=np.int32))
    >>> members = Members([tree], ways, np.array([[1, 1, 1, 1, 0]], dtype=np.uint16), np.array([0, 0, 1, 1, 0]), 2)
    >>> members.n_trees, members.n_rows, members.class_weights
    (1, 5, array([3., 2.]))
    """

    trees: Sequence[CountedTree]
    ways: Ways
    in_bag: NDArray[np.uint16]
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

    @property
    def n_nodes(self) -> list[int]:
        """Number of nodes of each tree."""
        return [len(tree.parent) for tree in self.trees]

    @cached_property
    def class_weights(self) -> NDArray[np.float64]:
        """The weight of each class in the training set."""
        return class_weights(self.labels, self.weights, self.n_classes)

    @cached_property
    def frequencies(self) -> list[NDArray[np.float64]]:
        """What each tree votes with: the class frequencies of its nodes."""
        return vote_tables(self.trees)

    @property
    def was_out(self) -> NDArray[np.bool_]:
        """Whether each row is out of any bag."""
        return np.asarray((self.in_bag == 0).any(axis=0))

    def bagged_rows(self, *, multiplicity: bool) -> _core.BaggedRows:
        """Give the training rows to the core; a row in the bag may count as often as it was drawn."""
        weights = None if self.weights is None else np.ascontiguousarray(self.weights)
        classes = self.labels.astype(np.int32)
        return _core.bagged_rows(self.in_bag, classes, weights, self.n_classes, self.drawn_by_weight, multiplicity)


def vote_tables(trees: Sequence[CountedTree]) -> list[NDArray[np.float64]]:
    """Give the class frequencies of the nodes of each tree."""
    return [np.ascontiguousarray(frequencies(tree)) for tree in trees]


def class_weights(
    labels: NDArray[np.integer[Any]], weights: NDArray[np.float64] | None, n_classes: int
) -> NDArray[np.float64]:
    """Give the weight of each class.

    Examples
    --------
    >>> class_weights(np.array([0, 1, 1]), np.array([1.0, 2, 3]), 2)
    array([1., 5.])
    """
    return np.bincount(labels, weights, n_classes).astype(np.float64)
