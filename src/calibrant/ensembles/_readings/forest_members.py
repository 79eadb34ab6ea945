"""A grown forest as readings use it: the leaf of each training row in each tree, and the bags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant import _core
from calibrant._docstrings import fill_docstring
from calibrant._exact_sums import weight_step
from calibrant.ensembles._bagging.bags import ForestBags
from calibrant.ensembles._readings.leaf_paths import LeafPaths
from calibrant.estimates import CountedTree, Frequency

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["EXAMPLE_MEMBERS", "AllRows", "Members", "class_weights", "vote_tables"]

# For `fill_docstring`: a forest of one tree and five rows, the last of them out-of-bag.
EXAMPLE_MEMBERS = """\
>>> from calibrant.ensembles._bagging.bags import ForestBags
>>> from calibrant.ensembles._readings.leaf_paths import LeafMatrix
>>> from calibrant.trees import ProbabilityTreeClassifier
>>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
>>> paths = LeafMatrix(np.array([[1, 1, 2, 2, 2]], dtype=np.int32))
>>> in_bag = np.array([[1, 1, 1, 1, 0]], dtype=np.uint16)
>>> members = Members([tree], paths, ForestBags(drawn=in_bag), np.array([0, 0, 1, 1, 0]), 2)"""


@dataclass(frozen=True, eq=False)
class AllRows:
    """What is known of all rows where members have some of them.

    Parameters
    ----------
    class_weights : array of shape (n_classes,)
        The weight of each class.
    leaf_counts : sequence of arrays of shape (n_nodes, 2 n_classes)
        For each tree the class counts of the rows in and out of the bag at each leaf; empty where they are not needed.
    """

    class_weights: NDArray[np.float64]
    leaf_counts: Sequence[NDArray[np.float64]] = ()


@fill_docstring(example_members=EXAMPLE_MEMBERS)
@dataclass(frozen=True, eq=False)
class Members:
    """The trees of a forest and its training rows.

    Parameters
    ----------
    trees : sequence of CountedTree
        The trees; ``counts`` are those of the bag, with a row counted as often as it was drawn.
    paths : LeafMatrix or WalkedPaths
        The leaves of all training rows.
    bags : ForestBags
        Number of times each row was drawn for each tree.
    labels : array of shape (n_rows,) of int
        The class of each row, a position in the sorted classes.
    n_classes : int
        Number of classes.
    weights : array of shape (n_rows,), optional
        The weight of each row; None for 1 each.
    drawn_by_weight : bool
        Whether rows were drawn in proportion to their weights, so that the weight of a drawn row in its tree is the
        number of times it was drawn; else it is that number times its weight.
    groups : array of shape (n_rows,), optional
        The number of each row's group, from 0; rows of a group are in the same bags. None: each row is its own.
    whole : AllRows, optional
        What is known of all rows where these are a part of them; None: these are all.

    Examples
    --------
    %(example_members)s
    >>> members.n_trees, members.n_rows, members.class_weights
    (1, 5, array([3., 2.]))
    """

    trees: Sequence[CountedTree]
    paths: LeafPaths
    bags: ForestBags
    labels: NDArray[np.integer[Any]]
    n_classes: int
    weights: NDArray[np.float64] | None = None
    drawn_by_weight: bool = False
    groups: NDArray[np.intp] | None = None
    whole: AllRows | None = None

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
        if self.whole is not None:
            return self.whole.class_weights
        return class_weights(self.labels, self.weights, self.n_classes)

    @cached_property
    def frequencies(self) -> list[NDArray[np.float64]]:
        """The class frequencies of the nodes of each tree, by which it votes."""
        return vote_tables(self.trees)

    @property
    def is_out_of_bag(self) -> NDArray[np.bool_]:
        """Whether each row is out of at least one bag."""
        return self.bags.n_out_of_bag(self.n_trees) > 0

    @property
    def in_bag(self) -> NDArray[np.uint16]:
        """Number of times each row was drawn for each tree, trees x rows."""
        return self.bags.matrix(self.n_trees)

    def bagged_rows(self, *, multiplicity: bool) -> _core.BaggedRows:
        """Return the training rows for the core; with multiplicity, a row counts as often as it was drawn."""
        weights = None if self.weights is None else np.ascontiguousarray(self.weights)
        classes, groups = self.labels.astype(np.int32), None if self.groups is None else self.groups.astype(np.int32)
        # Shares of a row that reaches several leaves are multiples of it: counts are the same in any order of the rows
        step = weight_step(float(self.class_weights.sum()), 1)
        return _core.bagged_rows(
            self.bags.core, classes, weights, self.n_classes, self.drawn_by_weight, multiplicity, groups, step
        )


def vote_tables(trees: Sequence[CountedTree]) -> list[NDArray[np.float64]]:
    """Return the class frequencies of the nodes of each tree."""
    return [np.ascontiguousarray(Frequency().table(tree)) for tree in trees]


def class_weights(
    labels: NDArray[np.integer[Any]], weights: NDArray[np.float64] | None, n_classes: int
) -> NDArray[np.float64]:
    """Return the weight of each class.

    Examples
    --------
    >>> class_weights(np.array([0, 1, 1]), np.array([1.0, 2, 3]), 2)
    array([1., 5.])
    """
    return np.bincount(labels, weights, n_classes).astype(np.float64)
