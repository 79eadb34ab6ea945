"""Rows in and out of the bag, counted in bins: leaves, or what a reading makes of them (Nielsen 2004, eq. 4 and 8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from calibrant.ensembles._members import Arrived, Members
from calibrant.estimates import Estimate, Frequency, Laplace, MEstimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Binned",
    "Binning",
    "Bins",
    "Pooling",
    "Pools",
    "added_counts",
    "binned_trees",
    "count_bins",
    "is_local",
    "rates",
    "row_sums",
    "without_own",
]

# What is left of a count after a row's own is taken away is nothing if it is less than this share of it.
_ROUNDING = 1e-9
_FEW_CLASSES = 8
_ENDLESS = 1e200  # an m without end, small enough to be divided by itself


@dataclass(frozen=True)
class Pooling:
    """How rows out of the bag count.

    Parameters
    ----------
    out_of_bag : "count" or "only"
        With the rows in the bag, or alone.
    in_bag_counts : "unique" or "multiplicity"
        Whether a row in the bag counts once, as in Nielsen's footnotes, or as often as it was drawn.
    weight : float, "auto" or "leaf"
        How much a row out of the bag counts beside one in it: a number, one number chosen by the log-loss of honest
        out-of-bag probabilities, or one for each leaf, shrunk towards that number.
    estimate : estimate
        What makes probabilities of the counts; the numbers that it leaves open must be settled beforehand.
    empty_leaf : "parent" or "majority"
        Whether a leaf without any row answers as the nearest node above with some, or gives 1 to the majority there.

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


class Bins(NamedTuple):
    """The bin of each entry of some `Arrived`, how many bins there are, and which a node has for each vote."""

    of: NDArray[np.integer[Any]]
    n_bins: int
    place: NDArray[np.int32] | None = None


class Pools(NamedTuple):
    """Class counts (bins x classes) of the rows in the bag, and of those out of it."""

    inside: NDArray[np.float64]
    outside: NDArray[np.float64]

    def at(self, bins: NDArray[np.integer[Any]]) -> Pools:
        """Give the counts of some bins."""
        return Pools(self.inside.take(bins, axis=0), self.outside.take(bins, axis=0))


# The bins of the training rows in the tree of a number.
Binning: TypeAlias = Callable[[int, Arrived], Bins]


class Binned(NamedTuple):
    """A tree's training rows in bins: where they arrived, their bins, and the counts of these."""

    tree: int
    arrived: Arrived
    bins: Bins
    pools: Pools

    def outside(self, members: Members) -> tuple[Arrived, Pools]:
        """Give the entries out of the bag, and the counts of their bins without their own."""
        outside = members.out_of_bag(self.tree)
        left = self.arrived.part(outside)
        bins = self.bins.of[outside[self.arrived.row]]
        return left, without_own(members, left, self.pools.at(bins))


def binned_trees(members: Members, binning: Binning, pooling: Pooling) -> Iterator[Binned]:
    """Count the training rows of each tree in bins, one tree after the other."""
    for tree in range(members.n_trees):
        arrived = members.ways(tree)
        bins = binning(tree, arrived)
        yield Binned(tree, arrived, bins, count_bins(members, tree, arrived, bins, pooling))


def count_bins(members: Members, tree: int, arrived: Arrived, bins: Bins, pooling: Pooling) -> Pools:
    """Count the training rows of each class in each bin.

    Examples
    --------
    >>> labels, in_bag = np.array([0, 1, 1]), np.array([[1, 2, 0]], dtype=np.uint8)
    >>> members = Members([], None, in_bag, labels, 2)
    >>> arrived, bins = Arrived(np.arange(3), np.array([1, 1, 1])), Bins(np.array([0, 0, 0]), 1)
    >>> count_bins(members, 0, arrived, bins, Pooling())
    Pools(inside=array([[1., 1.]]), outside=array([[0., 1.]]))
    >>> count_bins(members, 0, arrived, bins, Pooling(in_bag_counts="multiplicity")).inside
    array([[1., 2.]])
    """
    n_classes, label, outside = members.n_classes, members.labels[arrived.row], members.out_of_bag(tree)[arrived.row]
    key = (np.where(outside, bins.n_bins, 0) + bins.of) * n_classes + label
    unique = pooling.in_bag_counts == "unique"
    weight = members.own_weight(arrived) if unique else members.drawn_weight(tree, arrived)
    counts = np.bincount(key, weight, 2 * bins.n_bins * n_classes).reshape(2, bins.n_bins, n_classes)
    return Pools(*counts.astype(np.float64, copy=False))


def without_own(members: Members, arrived: Arrived, pools: Pools) -> Pools:
    """Take, in place, each row's count out of the counts that are to answer for it; all rows are out of the bag.

    Examples
    --------
    >>> members = Members([], None, np.array([[0]], dtype=np.uint8), np.array([1]), 2)
    >>> without_own(members, Arrived(np.array([0]), np.array([7])), Pools(np.zeros((1, 2)), np.array([[2.0, 3]])))
    Pools(inside=array([[0., 0.]]), outside=array([[2., 2.]]))
    """
    own, label, entry = members.own_weight(arrived), members.labels[arrived.row], np.arange(len(arrived.row))
    left = pools.outside[entry, label] - (1.0 if own is None else own)
    pools.outside[entry, label] = np.where(left < _ROUNDING * (1.0 if own is None else own), 0.0, left)
    return pools


def is_local(estimate: Estimate) -> bool:
    """Say whether an estimate sees the counts of one node only, and the base rates.

    Examples
    --------
    >>> from calibrant.estimates import MBranch
    >>> is_local(Laplace()), is_local(MBranch())
    (True, False)
    """
    return isinstance(estimate, Frequency | Laplace | MEstimate)


def added_counts(estimate: Estimate, class_weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give what a local estimate adds to the count of each class: it is the frequency after that.

    Examples
    --------
    >>> base = np.array([3.0, 1])
    >>> added_counts(Laplace(), base), added_counts(MEstimate(m=8), base), added_counts(Frequency(), base)
    (array([1., 1.]), array([6., 2.]), array([0., 0.]))
    """
    if isinstance(estimate, MEstimate):
        told = estimate.resolve(class_weights)
        return min(float(cast("float", told.m)), _ENDLESS) * np.asarray(told.prior, dtype=np.float64)
    return np.full(len(class_weights), 1.0 if isinstance(estimate, Laplace) else 0.0)


def rates(counts: NDArray[np.float64], added: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the class frequencies (bins x classes) after some are added; 0 for a bin without any.

    Examples
    --------
    >>> rates(np.array([[3.0, 0], [0, 0]]), np.array([1.0, 1])), rates(np.array([[0.0, 0]]), np.zeros(2))
    (array([[0.8, 0.2],
           [0.5, 0.5]]), array([[0., 0.]]))
    """
    total = row_sums(counts) + added.sum()
    total[total <= 0] = 1.0
    return np.asarray((counts + added) / total[:, np.newaxis])


def row_sums(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add up the columns; for few of them that is several times as fast as NumPy's sum over short rows.

    Examples
    --------
    >>> row_sums(np.array([[3.0, 1], [0, 2]]))
    array([4., 2.])
    """
    return np.asarray(counts.sum(axis=1) if counts.shape[1] > _FEW_CLASSES else reduce(np.add, counts.T))
