"""The leaves of rows in the trees of a forest: averages of the trees' probabilities there, votes, bags.

A tree casts one vote for each row (Breiman 1996; Nielsen 2004, section 2.3): the majority class of the leaf by the
counts of the bag, with multiplicity; where a row with missing values reaches several leaves, that of their class
frequencies mixed by share. Among the classes with most votes the one with the greatest sum of these frequencies over
the same trees wins, then the lower class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._docstrings import fill_docstring
from calibrant._exact_sums import weight_step
from calibrant._threads import n_threads
from calibrant.data._internal import Rows
from calibrant.ensembles._bagging.bags import ForestBags
from calibrant.ensembles._bagging.forest import Forest
from calibrant.estimates import CountedTree, Frequency
from calibrant.trees import Tree

_MAX_KEPT_BYTES = 2**30  # of training paths kept between passes over the trees; more are walked again


@dataclass(frozen=True, eq=False)
class LeafMatrix:
    """The leaf of every row in every tree (trees x rows), -1 where a tree does not predict a row.

    Examples
    --------
    >>> LeafMatrix(np.array([[1, 2, 1], [4, 3, 3]], dtype=np.int32)).n_rows
    3
    """

    leaves: NDArray[np.int32]
    n_threads: int = 1

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.leaves.shape[1])

    @property
    def core(self) -> _core.LeafPaths:
        """The paths as the core takes them."""
        return _core.leaf_paths_from_leaves(self.leaves)


class WalkedPaths:
    """The paths of rows through the trees; a row with missing values is split among branches.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> WalkedPaths.of_rows([tree], (2, np.array([[1.0], [np.nan]]))).n_rows
    2
    """

    def __init__(self, core: _core.LeafPaths, n_rows: int, n_threads: int) -> None:
        self.core, self.n_rows, self.n_threads = core, n_rows, n_threads

    @classmethod
    def of_rows(cls, trees: Sequence[Tree], rows: Rows, n_threads: int = 1) -> WalkedPaths:
        """Return the paths of new rows, walked at every use."""
        return cls(_core.leaf_paths_of_rows([tree.core for tree in trees], *rows), rows[0], n_threads)

    @classmethod
    def of_training(cls, forest: Forest) -> WalkedPaths:
        """Return the paths of the training rows, kept where they do not take much memory; never those of a source."""
        cores, examples = [tree.core for tree in forest.trees], forest.examples
        n_kept, threads = 0 if examples.from_source else _MAX_KEPT_BYTES, n_threads(forest.params.n_jobs)
        return cls(_core.leaf_paths_of_table(cores, examples.table.core, n_kept, threads), examples.n_rows, threads)


LeafPaths: TypeAlias = LeafMatrix | WalkedPaths


# For `fill_docstring`: a forest of one tree and five rows, the last of them out-of-bag.
EXAMPLE_MEMBERS = """\
>>> from calibrant.ensembles._bagging.bags import ForestBags
>>> from calibrant.ensembles._readings.forest_members import LeafMatrix
>>> from calibrant.trees import ProbabilityTreeClassifier
>>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
>>> paths = LeafMatrix(np.array([[1, 1, 2, 2, 2]], dtype=np.int32))
>>> in_bag = np.array([[1, 1, 1, 1, 0]], dtype=np.uint16)
>>> members = Members([tree], paths, ForestBags(drawn=in_bag), np.array([0, 0, 1, 1, 0]), 2)"""


@dataclass(frozen=True, eq=False)
class AllRows:
    """Totals of all rows where members have some of them.

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
        return np.bincount(self.labels, self.weights, self.n_classes).astype(np.float64)

    @cached_property
    def frequencies(self) -> list[NDArray[np.float64]]:
        """The class frequencies of the nodes of each tree, by which it votes."""
        return vote_tables(self.trees)

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


# The probabilities of a tree: the line of the table for each node and label, -1 where there is none (None: the node's
# number, whatever the label), and the table.
Cells: TypeAlias = tuple["NDArray[np.int32] | None", "NDArray[np.float64]"]


def average_cells(
    paths: LeafPaths,
    levels: Sequence[Sequence[Cells]],
    *,
    voters: Sequence[NDArray[np.float64]] = (),
    bags: ForestBags | None = None,
) -> NDArray[np.float64]:
    """Average the trees' probabilities of rows; a row without any at one level takes the next; NaN after the last.

    With `voters`, class frequencies as for `count_votes`, the label of a row is the vote of their trees, else 0.
    With `bags`, trees that a row was drawn for are left out.

    Examples
    --------
    >>> from calibrant.ensembles._readings.forest_members import LeafMatrix
    >>> paths, table = LeafMatrix(np.array([[0, 1]], dtype=np.int32)), np.array([[0.5, 0.5], [0.0, 1.0]])
    >>> average_cells(paths, [[(np.array([[1], [-1]], dtype=np.int32), table)]])
    array([[ 0.,  1.],
           [nan, nan]])
    """
    core_levels: Any = [list(level) for level in levels]
    core_bags = None if bags is None else bags.core
    return np.asarray(_core.average_forest(paths.core, list(voters), core_levels, core_bags, paths.n_threads))


def by_node(
    tables: Sequence[NDArray[np.float64]], filled: Sequence[NDArray[np.bool_]] | None = None
) -> list[list[Cells]]:
    """Return the levels of tables of nodes x classes: the nodes that are filled, then all nodes.

    Examples
    --------
    >>> by_node([np.array([[1.0], [1.0]])], [np.array([True, False])])[0][0][0].T
    array([[ 0, -1]], dtype=int32)
    """
    every: list[Cells] = [(None, table) for table in tables]
    if filled is None:
        return [every]
    lines = [np.where(each, np.arange(len(each)), -1).astype(np.int32)[:, np.newaxis] for each in filled]
    return [list(zip(lines, tables, strict=True)), every]


@fill_docstring(example_members=EXAMPLE_MEMBERS)
def out_of_bag_average(tables: Sequence[NDArray[np.float64]], members: Members) -> NDArray[np.float64]:
    """Average tables that do not count out-of-bag rows, such as those of bagged trees (B-PETs).

    NaN for a row that is in every bag.

    Examples
    --------
    %(example_members)s
    >>> out_of_bag_average([np.array([[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]])], members)[3:]
    array([[ nan,  nan],
           [0.25, 0.75]])
    """
    return average_cells(members.paths, by_node(tables), bags=members.bags)


def score_sums(
    proba: NDArray[np.float64], labels: NDArray[np.integer[Any]], weights: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the weight of the rows whose most probable class is the actual one, and of all that have probabilities.

    Examples
    --------
    >>> score_sums(np.array([[0.2, 0.8], [0.9, 0.1], [np.nan, np.nan]]), np.array([1, 1, 0]), np.array([2.0, 3.0, 4.0]))
    (2.0, 5.0)
    """
    known = np.where(np.isnan(proba[:, 0]), 0.0, weights)
    is_right = np.nan_to_num(proba).argmax(axis=1) == labels
    return float(known[is_right].sum()), float(known.sum())


@dataclass(frozen=True, eq=False)
class Tally:
    """The votes on rows (rows x classes) and the class that wins for each, -1 where no tree voted.

    Examples
    --------
    >>> tally = Tally(np.array([[1.0, 3.0], [0.0, 0.0]]), np.array([1, -1]))
    >>> tally.shares(), tally.shares(smooth=True)[0]
    (array([[0.25, 0.75],
           [ nan,  nan]]), array([0.33333333, 0.66666667]))
    """

    votes: NDArray[np.float64]
    labels: NDArray[np.int32]

    def shares(self, *, smooth: bool = False) -> NDArray[np.float64]:
        """Return T_k / T, or (T_k + 1) / (T + K); NaN where no tree voted."""
        total = self.votes.sum(axis=1, keepdims=True)
        # A row that is in every bag has no votes: NaN, not a share of nothing.
        total[total == 0] = np.nan
        if not smooth:
            return np.asarray(self.votes / total)
        return np.asarray((self.votes + 1.0) / (total + self.votes.shape[1]))


def count_votes(frequencies: Sequence[NDArray[np.float64]], paths: LeafPaths, bags: ForestBags | None = None) -> Tally:
    """Count the trees' votes on rows, by the class frequencies of their nodes, one table for each tree.

    With `bags`, trees that a row was drawn for do not vote.

    Examples
    --------
    >>> from calibrant.ensembles._readings.forest_members import LeafMatrix
    >>> table = np.array([[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]])
    >>> paths = LeafMatrix(np.array([[2, 1]], dtype=np.int32))
    >>> count_votes([table], paths).labels
    array([1, 0], dtype=int32)
    """
    core_bags = None if bags is None else bags.core
    found: Any = _core.vote_forest(paths.core, list(frequencies), core_bags, paths.n_threads)
    return Tally(*found)


@fill_docstring(example_members=EXAMPLE_MEMBERS)
def out_of_bag_votes(members: Members) -> Tally:
    """Count the votes of each tree on the training rows that it was grown without.

    Examples
    --------
    %(example_members)s
    >>> out_of_bag_votes(members).labels
    array([-1, -1, -1, -1,  1], dtype=int32)
    """
    return count_votes(members.frequencies, members.paths, members.bags)
