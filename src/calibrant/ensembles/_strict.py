"""Out-of-bag probabilities of MOB-ESP that are independent of a row's class, for those who can wait.

Taking a row's own count away leaves one way for its class to reach its answer: the labels of the rows beside it are
votes of trees of which some have the row in the bag. On labels that are pure noise that makes the out-of-bag loss too
low, by up to 0.05 bits in our tests where the row's own count makes 0.25; where there is something to learn we saw no
effect. Here the forest that answers for a row is the part of it that was grown without the row, labels included: about
37 % of the trees label and answer, and 14 % label the rows beside. It is what MOB-ESP of so many trees says of a fresh
row. Every pair of rows that share a leaf is looked at, in every tree, which takes longer than growing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.ensembles._averages import Mean
from calibrant.ensembles._honest import pool_counts
from calibrant.ensembles._members import Arrived, Members
from calibrant.ensembles._mob_esp import MobEsp
from calibrant.ensembles._pooling import Pooling, Pools, added_counts, rates, row_sums
from calibrant.ensembles._votes import majority
from calibrant.estimates._frequency import frequencies

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["strict_oob_proba"]

_PAIRS = 2**14  # pairs of rows looked at together


def strict_oob_proba(members: Members, pooling: Pooling, reading: MobEsp) -> NDArray[np.float64]:
    """Give out-of-bag probabilities of the training rows by the part of the forest that was grown without each.

    NaN for a row that is in every bag. The cost grows with the pairs of rows that share a leaf, times the trees.

    Parameters
    ----------
    members : Members
        The forest.
    pooling : Pooling
        How rows out of the bag count, as in `reading`.
    reading : MobEsp
        The reading of the whole forest: alpha, and what answers where no row with the same label is near.

    Examples
    --------
    >>> from calibrant.ensembles._members import LeafMatrix
    >>> from calibrant.ensembles._mob_esp import read_mob_esp
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> in_bag = np.array([[1, 1, 1, 1, 0, 0]], dtype=np.uint8)
    >>> members = Members([tree], LeafMatrix(np.array([[1, 1, 2, 2, 2, 2]])), in_bag, np.array([0, 0, 1, 1, 0, 1]), 2)
    >>> strict_oob_proba(members, Pooling(), read_mob_esp(members, Pooling()))[4:]
    array([[0., 1.],
           [1., 0.]])
    """
    outside, ballots = (members.in_bag == 0).T.astype(np.float64), _ballots(members)
    added = added_counts(pooling.estimate, members.class_weights)
    mean = Mean.empty(members.n_rows, members.n_classes)
    for tree in range(members.n_trees):
        arrived = members.ways(tree)
        asked = arrived.part(members.out_of_bag(tree))
        pools = Pools(*(np.zeros((len(asked.row), members.n_classes)) for _ in range(2)))
        for query, beside in _pairs(arrived, asked):
            one, other = asked.row[query], arrived.row[beside]
            voters = outside[one]
            scores = np.column_stack([np.einsum("pt,pt->p", voters, ballot[other]) for ballot in ballots])
            alike = (majority(scores) == reading.oob_label[one]) & (scores.max(axis=1) > 0) & (one != other)
            _count(members, tree, arrived, pools, query[alike], beside[alike], pooling)
        counts = pool_counts(pools, reading.alpha, pooling)
        mean.add(*asked.by_row(rates(counts, added), row_sums(counts) > 0))
    return np.where((mean.n_trees == 0)[:, np.newaxis], reading.fallback.oob_proba, mean.value())


def _ballots(members: Members) -> NDArray[np.float64]:
    """Give classes x rows x trees: frequencies, and more than all of them for the vote; 0 where a row is in the bag."""
    ballots = np.zeros((members.n_classes, members.n_rows, members.n_trees))
    for number, tree in enumerate(members.trees):
        arrived = members.ways(number).part(members.out_of_bag(number))
        rows, shares = arrived.by_row(frequencies(tree)[arrived.leaf])
        ballots[:, rows, number] = shares.T
        ballots[majority(shares), rows, number] += 2.0 * members.n_trees
    return ballots


def _pairs(arrived: Arrived, asked: Arrived) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Give the entries asked for with the entries at the same leaf, a handful at a time."""
    order, sizes = np.argsort(arrived.leaf, kind="stable"), np.bincount(arrived.leaf)
    first, n_beside = (np.cumsum(sizes) - sizes)[asked.leaf], sizes[asked.leaf]
    parts = np.cumsum(n_beside) // _PAIRS
    for chosen in np.split(np.arange(len(asked.row)), np.flatnonzero(np.diff(parts)) + 1):
        n_each = n_beside[chosen]
        place = np.arange(n_each.sum()) - np.repeat(np.cumsum(n_each) - n_each, n_each)
        yield np.repeat(chosen, n_each), order[np.repeat(first[chosen], n_each) + place]


def _count(
    members: Members,
    tree: int,
    arrived: Arrived,
    pools: Pools,
    query: NDArray[np.intp],
    beside: NDArray[np.intp],
    pooling: Pooling,
) -> None:
    """Add the entries beside to the counts of those that ask."""
    near = Arrived(arrived.row[beside], arrived.leaf[beside], None if arrived.share is None else arrived.share[beside])
    weight: Any = members.own_weight(near)
    if pooling.in_bag_counts == "multiplicity":
        weight = members.drawn_weight(tree, near)
    weight = np.ones(len(query)) if weight is None else weight
    outside = members.out_of_bag(tree)[near.row]
    for counts, chosen in zip(pools, (~outside, outside), strict=True):
        np.add.at(counts, (query[chosen], members.labels[near.row[chosen]]), weight[chosen])
