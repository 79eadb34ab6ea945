"""A grown tree with other class counts at its nodes, which any estimate can read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING, cast

import numpy as np

from calibrant.estimates import CountedTree, Frequency
from calibrant.trees._internal import probability_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.ensembles._readings.pooling import Pooling
    from calibrant.trees import Tree

__all__ = ["PooledTree", "pooled_table"]

_FEW_CLASSES = 8  # up to here adding columns is faster than NumPy's sum over short rows
_TOLERANCE = 1e-9  # frequencies that differ by less differ by rounding only


@dataclass(frozen=True, eq=False)
class PooledTree:
    """The shape of a grown tree with other class counts at every node.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> PooledTree(tree, np.array([[4.0, 2], [3, 0], [1, 2]])).weight
    array([6., 3., 3.])
    """

    shape: CountedTree
    counts: NDArray[np.float64]

    @cached_property
    def weight(self) -> NDArray[np.float64]:
        """The weight at each node."""
        few = self.counts.shape[1] <= _FEW_CLASSES
        return np.asarray(reduce(np.add, self.counts.T) if few else self.counts.sum(axis=1))

    @cached_property
    def label(self) -> NDArray[np.intp]:
        """The majority class of each node, of the nearest one above with weight where it has none."""
        shares = Frequency().table(self)
        return np.asarray((shares >= shares.max(axis=1, keepdims=True) - _TOLERANCE).argmax(axis=1))

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
        """Number of tests above each node."""
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

    @property
    def log_prior(self) -> NDArray[np.float64]:
        """What a Bayesian criterion adds to the log prior probability of each test; else 0."""
        return np.asarray(getattr(self.shape, "log_prior", np.zeros(self.n_nodes)))


def pooled_table(tree: PooledTree, pooling: Pooling) -> NDArray[np.float64]:
    """Return the class probabilities at every node, with leaves without weight filled by ``pooling.empty_leaf``.

    Where no row counts at all, as for the out-of-bag rows of a bag with every row, the counts of the bag are used.

    Examples
    --------
    >>> from calibrant.ensembles._readings.pooling import Pooling
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> pooled = PooledTree(tree, np.array([[3.0, 1], [3, 1], [0, 0]]))
    >>> pooled_table(pooled, Pooling())[2], pooled_table(pooled, Pooling(empty_leaf="majority"))[2]
    (array([0.75, 0.25]), array([1., 0.]))
    """
    counted = tree if tree.weight[0] > 0 else tree.shape
    return probability_table(cast("Tree", counted), pooling.estimate, empty_leaf=pooling.empty_leaf, dialect="c45")
