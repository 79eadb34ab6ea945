"""A tree with other counts at its leaves: what any estimate can read as if it had been grown with them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import numpy as np

from calibrant.ensembles._votes import majority
from calibrant.estimates import CountedTree
from calibrant.estimates._frequency import frequencies
from calibrant.estimates._paths import Levels
from calibrant.trees._reading import probability_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.ensembles._pooling import Pooling
    from calibrant.trees._rules import ReadingParams
    from calibrant.trees._tree import Tree

__all__ = ["PooledTree", "pooled_table"]


@dataclass(frozen=True, eq=False)
class PooledTree:
    """The shape of a grown tree with other class counts at every node.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> PooledTree.of(tree, np.array([[0, 0], [3.0, 0], [1, 2]])).counts
    array([[4., 2.],
           [3., 0.],
           [1., 2.]])
    """

    shape: CountedTree
    counts: NDArray[np.float64]

    @classmethod
    def of(cls, shape: CountedTree, leaf_counts: NDArray[np.float64]) -> PooledTree:
        """Add the counts of the nodes where rows end (nodes x classes) up to the root."""
        levels = Levels(shape)
        return cls(shape, np.column_stack([_climb(levels, np.ascontiguousarray(own)) for own in leaf_counts.T]))

    @cached_property
    def weight(self) -> NDArray[np.float64]:
        """The weight at each node."""
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def label(self) -> NDArray[np.intp]:
        """The majority class of each node, of the nearest one above with weight where it has none."""
        return majority(frequencies(self))

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.counts)

    @property
    def parent(self) -> NDArray[np.int32]:
        """The node above each node, -1 for the root."""
        return self.shape.parent

    @property
    def depth(self) -> NDArray[np.intp]:
        """Tests above each node."""
        return self.shape.depth

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether each node is a leaf."""
        return self.shape.is_leaf

    @property
    def n_children(self) -> NDArray[np.uint32]:
        """Number of branches of each node."""
        return self.shape.n_children

    @property
    def feature(self) -> NDArray[np.int32]:
        """The column that each node tests."""
        return self.shape.feature

    @property
    def n_values(self) -> NDArray[np.uint32]:
        """Number of categories of each nominal test."""
        return self.shape.n_values

    @property
    def n_features(self) -> int:
        """Number of columns that a node could test."""
        return self.shape.n_features


def _climb(levels: Levels, own: NDArray[np.float64]) -> NDArray[np.float64]:
    return levels.climb(own, lambda nodes, sums: own[nodes] + sums)


def pooled_table(tree: PooledTree, pooling: Pooling) -> NDArray[np.float64]:
    """Give the probabilities of the classes at every node, empty leaves filled as told.

    Examples
    --------
    >>> from calibrant.ensembles._pooling import Pooling
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> pooled = PooledTree.of(tree, np.array([[0, 0], [3.0, 1], [0, 0]]))
    >>> pooled_table(pooled, Pooling())[2], pooled_table(pooled, Pooling(empty_leaf="majority"))[2]
    (array([0.75, 0.25]), array([1., 0.]))
    """
    rule = SimpleNamespace(dialect="c45", empty_leaf=pooling.empty_leaf)
    return probability_table(cast("Tree", tree), pooling.estimate, cast("ReadingParams", rule))
