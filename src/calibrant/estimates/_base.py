"""The protocols of an estimate and of the tree that it reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ChosenByCV", "CountedTree", "Estimate", "NamesClass", "Resolvable", "with_classes"]


class CountedTree(Protocol):
    """A grown tree as an estimate uses it: arrays with one entry for each node, in preorder, the root first.

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
    def depth(self) -> NDArray[np.intp]:
        """Number of tests above each node."""

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether each node is a leaf."""

    @property
    def n_children(self) -> NDArray[np.uint32]:
        """Number of branches of each node, 0 for a leaf."""

    @property
    def feature(self) -> NDArray[np.int32]:
        """The column that each node tests, -1 for a leaf."""

    @property
    def n_values(self) -> NDArray[np.uint32]:
        """Number of categories of each nominal test, 0 elsewhere."""

    @property
    def n_features(self) -> int:
        """Number of columns that a node could test."""

    @property
    def weight(self) -> NDArray[np.float64]:
        """The training weight that reached each node."""

    @property
    def counts(self) -> NDArray[np.float64]:
        """The training weight of each class at each node."""


@runtime_checkable
class Estimate(Protocol):
    """A rule that turns class counts into probabilities.

    Examples
    --------
    >>> from calibrant.estimates import Laplace
    >>> isinstance(Laplace(), Estimate)
    True
    """

    def table(self, tree: CountedTree) -> NDArray[np.float64]:
        """Return the class probabilities (columns) of a row whose path ends at each node (rows).

        The line of a node without training weight is not used: the nearest node above with some replaces it.
        """


@runtime_checkable
class ChosenByCV(Estimate, Protocol):
    """An estimate with a number that a classifier may choose by cross-validation.

    Examples
    --------
    >>> from calibrant.estimates import MEstimate
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> [estimate.m for estimate in MEstimate(m="cv").candidates(tree)]
    [1.0, 2.0, 4.0]
    """

    def candidates(self, tree: CountedTree) -> tuple[Estimate, ...]:
        """Return the estimates to choose from, the least smooth first; only itself where there is nothing to choose."""


@runtime_checkable
class Resolvable(Estimate, Protocol):
    """An estimate with numbers that follow from a training set, such as its base rates.

    A single tree takes them from its own counts. A tree of an ensemble has only the counts of its bag: there `resolve`
    is passed those of the whole training set.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.estimates import MEstimate
    >>> MEstimate().resolve(np.array([950, 50]))
    MEstimate(m=200.0, strength=10, prior=(0.95, 0.05), positive=None)
    """

    def resolve(self, counts: NDArray[np.float64], leaves: NDArray[np.float64] | None = None) -> Estimate:
        """Return the estimate with its numbers, from the class weights of the training set and of its leaves (rows)."""


@runtime_checkable
class NamesClass(Estimate, Protocol):
    """An estimate that names a class, and so needs the classes before its numbers follow from counts.

    Examples
    --------
    >>> from calibrant.estimates import MEstimate
    >>> MEstimate(positive="yes").with_classes(["no", "yes"]).resolve([950, 50]).m
    200.0
    """

    def with_classes(self, classes: Sequence[Any] | NDArray[Any]) -> Estimate:
        """Return the estimate for these classes, sorted as the columns of the counts are."""


def with_classes(estimate: Estimate, classes: Sequence[Any] | NDArray[Any]) -> Estimate:
    """Return an estimate for these classes, itself where it names none."""
    return estimate.with_classes(classes) if isinstance(estimate, NamesClass) else estimate
