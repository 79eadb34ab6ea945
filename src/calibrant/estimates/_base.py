"""What an estimate sees of a tree, and what it gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["CountedTree", "Estimate"]


class CountedTree(Protocol):
    """A grown tree as an estimate sees it: the parent, the weight and the class counts of every node, in preorder.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree: CountedTree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> tree.counts[0]
    array([2., 2.])
    """

    @property
    def parent(self) -> NDArray[np.int32]:
        """The node above each node, -1 for the root."""

    @property
    def weight(self) -> NDArray[np.float64]:
        """The training weight that reached each node."""

    @property
    def counts(self) -> NDArray[np.float64]:
        """The training weight of each class at each node."""


@runtime_checkable
class Estimate(Protocol):
    """A way to turn counts into probabilities.

    Examples
    --------
    >>> from calibrant.estimates import Laplace
    >>> isinstance(Laplace(), Estimate)
    True
    """

    def table(self, tree: CountedTree) -> NDArray[np.float64]:
        """Give the probabilities of the classes (columns) at every node (rows); an empty node's row is not read."""
