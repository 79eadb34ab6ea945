"""The protocols of estimates, with what they read: trees, held-out rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import sections
from calibrant._saved import Number, Object, Text, TupleOf
from calibrant.exceptions import ParameterError


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


CV: Final = "cv"
# Fields of model files: a number that may not be chosen yet, a prior, any estimate.
NUMBER_OR_CV = Number(0, finite=False) | Text(CV)
PRIOR = Text("base_rate", "uniform") | TupleOf(Number(0, 1), least=1)
ESTIMATE = Object(
    *("estimates.Curtailment", "estimates.Frequency", "estimates.HierarchicalShrinkage", "estimates.KernelDensity"),
    *("estimates.Laplace", "estimates.MBranch", "estimates.MEstimate", "estimates.PathAverage"),
)


def powers_of_two(tree: CountedTree, *, low: float = 1.0) -> tuple[float, ...]:
    """Return ``low`` times 1, 2, 4 ... up to the training weight of a tree.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> powers_of_two(SimpleNamespace(weight=np.array([9.0, 5, 4])))
    (1.0, 2.0, 4.0, 8.0)
    """
    steps = math.floor(math.log2(max(float(tree.weight[0]) / low, 1.0)))
    return tuple(low * 2.0**step for step in range(steps + 1))


def not_chosen(who: str, parameter: str) -> ParameterError:
    """Return the error of an estimate whose number is not chosen yet.

    Examples
    --------
    >>> raise not_chosen("MEstimate", "m")
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: MEstimate: m must be a number to compute probabilities; got 'cv', which a
    classifier chooses in fit. Pass a number, or use one of candidates(tree).
    """
    return ParameterError(
        f"{who}: {parameter} must be a number to compute probabilities; got 'cv', which a classifier chooses in fit. "
        "Pass a number, or use one of candidates(tree)."
    )


@dataclass(frozen=True, slots=True, eq=False)
class HeldOutLeaves:
    """Held-out rows and the leaves where they end; a row with missing values ends in several leaves, with shares.

    Parameters
    ----------
    tree : CountedTree
        A tree grown without these rows.
    row, leaf, share : arrays of the same length
        Each entry is the share of a row that ends at a leaf; the shares of a row sum to 1.
    label : array of shape (n_rows,)
        The class of each row, a column of the tree's counts.
    weight : array of shape (n_rows,)
        The weight of each row.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> rows = HeldOutLeaves(tree, np.array([0, 1]), np.array([1, 2]), np.ones(2), np.array([0, 0]), np.ones(2))
    >>> rows.probabilities(np.array([[0.5, 0.5], [0.8, 0.2], [0.4, 0.6]]))
    array([0.8, 0.4])
    """

    tree: CountedTree
    row: NDArray[np.intp]
    leaf: NDArray[np.int32]
    share: NDArray[np.float64]
    label: NDArray[np.intp]
    weight: NDArray[np.float64]

    def probabilities(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the predicted probability of each row's actual class.

        Parameters
        ----------
        table : array of shape (n_nodes, n_classes)
            Probabilities at the nodes of the tree.

        Returns
        -------
        array of shape (n_rows,)
            The leaves' probabilities, averaged by share.
        """
        mixed = self.share * table[self.leaf, self.label[self.row]]
        return np.asarray(np.bincount(self.row, mixed, minlength=len(self.label)), dtype=np.float64)


@runtime_checkable
class FittedHeldOut(Estimate, Protocol):
    """An estimate that may have to be fitted on held-out rows.

    Examples
    --------
    >>> from calibrant.estimates import PathAverage
    >>> isinstance(PathAverage(), FittedHeldOut), PathAverage().needs_held_out
    (True, False)
    """

    @property
    def needs_held_out(self) -> bool:
        """Whether `fit_held_out` must be called before `table`."""

    def fit_held_out(self, folds: Sequence[HeldOutLeaves]) -> Estimate:
        """Return the estimate fitted to the held-out rows of every fold of a cross-validation."""


METHOD_DOCS: Mapping[str, str] = {
    "tree": """\
tree : CountedTree
    A grown tree.""",
    "table_sections": sections("%(tree)s", returns="array of shape (n_nodes, n_classes)\n    Class probabilities."),
    "leaves": """\
leaves : array of shape (n_leaves, n_classes), optional
    The class weights of the leaves; not used.""",
    "resolve_sections": """\
Parameters
----------
counts : array of shape (n_classes,)
    The class weights of the training set.
%(leaves)s

Returns
-------
%(estimate)s
    The estimate with numbers only.""",
    "candidates_sections": """\
Parameters
----------
tree : CountedTree
    The tree grown on all rows.

Returns
-------
tuple of %(estimate)s
    %(candidates)s""",
}
