"""The joint counts of rows in and out of the bag (Nielsen 2004, eq. 4 and 8) with the weight of the latter, alpha.

Nielsen (2004, section 3.4.2) leaves the choice of alpha to future research. Here it is chosen among powers of two by
the log-loss of the honest out-of-bag probabilities (of class frequencies where an estimate uses more than the leaf). A
leaf's own alpha maximizes the likelihood of its out-of-bag rows, each without itself. These rows are few, so it is
shrunk towards the chosen number on the log scale, as if 10 more rows had supported that number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._exact_sums import ExactSums
from calibrant._saved import Number, saved
from calibrant.ensembles._readings.forest_members import Members
from calibrant.estimates import CountedTree, Estimate, Frequency, Laplace, MEstimate
from calibrant.trees import Tree
from calibrant.trees._internal import TrainingSet, TreeReading

_MAX_M = 1e200  # stands for an infinite m: its ratio to itself is finite


@dataclass(frozen=True)
class Pooling:
    """The rule by which out-of-bag rows count.

    Parameters
    ----------
    out_of_bag : "count" or "only"
        Together with the rows in the bag, or alone.
    in_bag_counts : "unique" or "multiplicity"
        Whether a row in the bag counts once, as in Nielsen's footnotes, or as often as it was drawn.
    weight : float, "auto" or "leaf"
        The weight of an out-of-bag row relative to one in the bag: a number, one chosen by the log-loss of honest
        out-of-bag probabilities, or one for each leaf, shrunk towards the chosen one.
    estimate : estimate
        What turns the counts into probabilities; it must have all its numbers.
    empty_leaf : "parent" or "majority"
        Whether a leaf without any row predicts as the nearest node above with some, or the majority there with
        probability 1.

    Examples
    --------
    >>> Pooling(weight=2.0)
    Pooling(out_of_bag='count', in_bag_counts='unique', weight=2.0, estimate=Frequency(), empty_leaf='parent')
    """

    out_of_bag: Literal["count", "only"] = "count"
    in_bag_counts: Literal["unique", "multiplicity"] = "unique"
    weight: float | Literal["auto", "leaf"] = 1.0
    estimate: Estimate = Frequency()  # noqa: RUF009 - it is frozen
    empty_leaf: Literal["parent", "majority"] = "parent"


def is_local(estimate: Estimate) -> bool:
    """Return whether an estimate uses only the counts of one node and the base rates.

    Examples
    --------
    >>> from calibrant.estimates import MBranch
    >>> is_local(Laplace()), is_local(MBranch())
    (True, False)
    """
    return isinstance(estimate, Frequency | Laplace | MEstimate)


def added_counts(estimate: Estimate, class_weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the counts that a local estimate adds to those of each class before it takes the frequency.

    Examples
    --------
    >>> base = np.array([3.0, 1])
    >>> added_counts(Laplace(), base), added_counts(MEstimate(m=8), base), added_counts(Frequency(), base)
    (array([1., 1.]), array([6., 2.]), array([0., 0.]))
    """
    if isinstance(estimate, MEstimate):
        resolved = estimate.resolve(class_weights)
        return min(float(cast("float", resolved.m)), _MAX_M) * np.asarray(resolved.prior, dtype=np.float64)
    return np.full(len(class_weights), float(estimate.alpha) if isinstance(estimate, Laplace) else 0.0)


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
        shares = Frequency().table(cast("Tree", self))
        # Ties go to the lower class (ALGORITHMS.md 10.18), also where rounding hides them.
        return np.asarray((shares >= shares.max(axis=1, keepdims=True) - _TOLERANCE).argmax(axis=1))

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.counts)

    @property
    def log_prior(self) -> NDArray[np.float64]:
        """The terms that a Bayesian criterion adds to the log prior probability of each test; else 0."""
        return np.asarray(getattr(self.shape, "log_prior", np.zeros(self.n_nodes)))

    def __getattr__(self, name: str) -> Any:
        """Return an array of the grown tree: `parent`, `depth`, `is_leaf`, `n_children`, `feature` and so on."""
        if name in ("shape", "counts"):  # where the tree is being made
            raise AttributeError(name)
        return getattr(self.shape, name)


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
    # A tree that no counted row reaches keeps the counts that it was grown with.
    counted = tree if tree.weight[0] > 0 else tree.shape
    return TreeReading(cast("Tree", counted), pooling.estimate, pooling.empty_leaf, "c45").table


# From an out-of-bag row that hardly counts to one that outweighs the bag of a small leaf; powers of two trade
# resolution for the cost of evaluating each alpha on all rows.
_GRID = 2.0 ** np.arange(-3, 7)

# Returns the honest out-of-bag probability of each row's actual class for several alphas, rows x alphas.
OwnClassRates: TypeAlias = Callable[[_core.Pooling, list[float]], "NDArray[np.float64]"]


@saved(inline=True, number=Number(0, finite=False), floor=Number(0, 1))
@dataclass(frozen=True)
class Alpha:
    """A chosen alpha: one number, or one for each bin, shrunk towards that number.

    Examples
    --------
    >>> Alpha(2.0)
    Alpha(number=2.0, by_bin=False, floor=0.005)
    """

    number: float
    by_bin: bool = False
    floor: float = 0.005  # the least probability in the likelihood that chooses the alpha of a bin


def core_pooling(members: Members | TrainingSet, pooling: Pooling, alpha: Alpha) -> _core.Pooling:
    """Return the core's description of how counts become probabilities, by the class weights of all rows.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> pooling = core_pooling(SimpleNamespace(class_weights=np.ones(2)), Pooling(), Alpha(2.0, by_bin=True))
    >>> round(pooling.alpha_of(np.array([1.0, 0]), np.array([0.0, 40])), 1)  # the bag misled the leaf
    32.0
    """
    added = added_counts(pooling.estimate, members.class_weights).tolist()
    return _core.Pooling(pooling.out_of_bag == "only", alpha.number, alpha.by_bin, alpha.floor, added)


def probability_floor(class_weights: NDArray[np.float64]) -> float:
    """Return the number that replaces a probability of 0 in a log-loss (Nielsen 2004, footnote 9).

    Examples
    --------
    >>> probability_floor(np.array([98.0, 2])), probability_floor(np.array([999.0, 1]))
    (0.005, 0.0005)
    """
    rates = class_weights[class_weights > 0] / class_weights.sum()
    return min(0.005, 0.5 * float(rates.min()))


def choose_alpha(pooling: Pooling, class_weights: NDArray[np.float64], sum_log_rates: Callable[[], ExactSums]) -> Alpha:
    """Choose alpha: the number specified, or that of the greatest honest out-of-bag log-likelihood of a reading.

    Examples
    --------
    >>> sums = ExactSums(10).add(-np.abs(np.arange(10.0) - 3)[np.newaxis])
    >>> choose_alpha(Pooling(weight="auto"), np.array([3.0, 1.0]), lambda: sums)
    Alpha(number=1.0, by_bin=False, floor=0.005)
    >>> choose_alpha(Pooling(weight=3.0), np.array([3.0, 1.0]), lambda: sums)
    Alpha(number=3.0, by_bin=False, floor=0.005)
    """
    if not isinstance(pooling.weight, str):
        return Alpha(float(pooling.weight))
    if pooling.out_of_bag == "only":
        return Alpha(1.0)
    # Exact sums: the choice, the least of equal ones, does not depend on the order or the partition of the rows.
    number = float(_GRID[sum_log_rates().totals().argmax()])
    return Alpha(number, pooling.weight == "leaf", probability_floor(class_weights))


def sum_log_rates(members: Members, own_class_rates: OwnClassRates, pooling: Pooling) -> ExactSums:
    """Return the log-likelihood of the rows for each alpha; exact, so that parts of the rows add up to that of all."""
    floor = probability_floor(members.class_weights)
    own = own_class_rates(core_pooling(members, pooling, Alpha(1.0)), _GRID.tolist())
    weights = np.ones(members.n_rows) if members.weights is None else members.weights
    return ExactSums(len(_GRID)).add(np.nan_to_num(weights[:, np.newaxis] * np.log(np.maximum(own, floor))))
