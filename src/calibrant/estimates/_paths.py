"""Sums along the paths of a tree, level by level without recursion, also over all its prunings.

The posterior probabilities of prunings follow Buntine (1992, "Learning classification trees").
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from calibrant.estimates._base import CountedTree


class Levels:
    """The nodes of a tree sorted by depth, siblings side by side: a level is a slice, and so are a node's children.

    Parameters
    ----------
    tree : CountedTree
        The tree.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> levels = Levels(SimpleNamespace(parent=np.array([-1, 0, 1, 1, 0]), depth=np.array([0, 1, 2, 2, 1])))
    >>> levels.order
    array([0, 1, 4, 2, 3])
    >>> levels.descend(np.array([1.0, 10, 100, 1000, 10000]))
    array([1.0000e+00, 1.1000e+01, 1.1100e+02, 1.0110e+03, 1.0001e+04])
    """

    __slots__ = ("_above", "_bounds", "_first", "above", "order")

    def __init__(self, tree: CountedTree) -> None:
        self.above = np.maximum(tree.parent, 0)
        deepest = int(tree.depth.max())
        self.order = np.argsort(tree.depth.astype(np.min_scalar_type(deepest)), kind="stable")
        position = np.empty_like(self.order)
        position[self.order] = np.arange(len(position))
        self._above = position[tree.parent[self.order]]
        self._bounds = np.cumsum(np.bincount(tree.depth)).tolist()
        self._first = np.append(True, self._above[1:] != self._above[:-1])

    def descend(self, own: NDArray[np.float64], keep: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Sum from the root: at each node its own value and the share that it keeps (None: all) of its parent's sum."""
        total, kept = own[self.order], None if keep is None else keep[self.order]
        for low, high in self._below_the_root():
            above = total.take(self._above[low:high])
            total[low:high] += above if kept is None else kept[low:high] * above
        return self._by_node(total)

    def climb(self, own: NDArray[np.float64], join: Callable[..., NDArray[np.float64]]) -> NDArray[np.float64]:
        """Sum from the leaves: ``join(nodes, sums)`` returns the values of nodes from the sums of their children's."""
        total = own[self.order]
        for low, high in reversed(list(self._below_the_root())):
            starts = np.flatnonzero(self._first[low:high])
            above = self._above[low + starts]
            total[above] = join(self.order[above], np.add.reduceat(total[low:high], starts))
        return self._by_node(total)

    def _below_the_root(self) -> Iterator[tuple[int, int]]:
        return zip(self._bounds[:-1], self._bounds[1:], strict=True)

    def _by_node(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        out = np.empty_like(values)
        out[self.order] = values
        return out


def average_along_paths(levels: Levels, reach: NDArray[np.float64], own: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average the values of the nodes on each node's path: the weight of a node is its reach minus that of the next.

    Parameters
    ----------
    levels : Levels
        The nodes of a tree.
    reach : array of shape (n_nodes,)
        The share of the weight that comes as far as each node: 1 at the root, never more than at the parent.
    own : array of shape (n_nodes, n_columns)
        The values of each node.

    Returns
    -------
    array of shape (n_nodes, n_columns)
        The averages; the last node of a path has all the weight that reaches it.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> levels = Levels(SimpleNamespace(parent=np.array([-1, 0, 0]), depth=np.array([0, 1, 1])))
    >>> average_along_paths(levels, np.array([1.0, 0.5, 0.25]), np.array([[0.2], [0.4], [0.4]])).T
    array([[0.2 , 0.3 , 0.25]])
    """
    stays = reach[levels.above] - reach
    averages = np.empty_like(own)
    for k in range(own.shape[1]):  # column by column: NumPy gathers single numbers faster than short rows
        column = np.ascontiguousarray(own[:, k])
        averages[:, k] = levels.descend(stays * column[levels.above]) + reach * column
    return np.minimum(averages, 1.0, out=averages)  # rounding may exceed it


def nearest_above(tree: CountedTree, usable: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the nearest usable node at or above each node; the root is always usable.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> nearest_above(SimpleNamespace(parent=np.array([-1, 0, 1, 1])), np.array([False, True, False, True]))
    array([0, 1, 1, 3])
    """
    at = np.where(usable, np.arange(len(usable)), np.maximum(tree.parent, 0))
    while not np.array_equal(further := at[at], at):  # each round doubles the length of path that is searched
        at = further
    return at


def flat(tree: CountedTree) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the log-probabilities of leaf and test where all prunings are equally probable, not normalized.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> flat(SimpleNamespace(parent=np.array([-1, 0, 0])))[0]
    array([0., 0., 0.])
    """
    return np.zeros(len(tree.parent)), np.zeros(len(tree.parent))


def wallace(tree: CountedTree) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the log-probabilities of leaf and test by Wallace & Patrick (1993, "Coding decision trees").

    A node whose parent has a branches is a test with probability 1/a; the root is a leaf with probability 1/columns,
    or 1/2 where there is one column only.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> tree = SimpleNamespace(parent=np.array([-1, 0, 0, 0]), n_children=np.array([3, 0, 0, 0]), n_features=5)
    >>> np.exp(wallace(tree)).round(3)
    array([[0.2  , 0.667, 0.667, 0.667],
           [0.8  , 0.333, 0.333, 0.333]])
    """
    p_test = 1.0 / np.maximum(tree.n_children[np.maximum(tree.parent, 0)], 2)
    p_test[0] = 1.0 - 1.0 / max(tree.n_features, 2)
    return np.log1p(-p_test), np.log(p_test)


def wallace_choices(tree: CountedTree) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the log-probabilities of `wallace`, every column that a test could be of being equally probable.

    A nominal column with a branch for each category cannot be tested again below.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> tree = SimpleNamespace(parent=np.array([-1, 0, 0, 0]), n_children=np.array([3, 0, 0, 0]), n_features=5)
    >>> tree.depth, tree.n_values = np.array([0, 1, 1, 1]), np.array([3, 0, 0, 0])
    >>> np.exp(wallace_choices(tree)[1]).round(3)  # 0.8 / 5, 1/3 / 4
    array([0.16 , 0.083, 0.083, 0.083])
    """
    as_leaf, as_test = wallace(tree)
    levels = Levels(tree)
    is_used_up = (tree.n_values > 0) & (tree.n_children == tree.n_values)
    used_above = levels.descend(np.where(tree.parent < 0, 0.0, is_used_up[levels.above]))
    return as_leaf, as_test - np.log(np.maximum(tree.n_features - used_above, 1.0))


TREE_PRIORS: dict[str, Callable[[CountedTree], tuple[NDArray[np.float64], NDArray[np.float64]]]] = {
    "flat": flat,
    "wallace": wallace,
    "wallace_choices": wallace_choices,
}


_AS_GOOD = math.log(0.999)  # a leaf may be this much less probable than the subtree, as in IND


def reach_of_prunings(tree: CountedTree, levels: Levels, *, alpha: float, prior: str) -> NDArray[np.float64]:
    """Return the posterior probability that a pruning of the tree keeps each node.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> reach_of_prunings(tree, Levels(tree), alpha=1.0, prior="flat").round(3)  # 1/9 to 1/30
    array([1.   , 0.769, 0.769])
    """
    leaf, as_test = _log_probabilities(tree, alpha, prior)
    either = levels.climb(leaf, lambda nodes, below: np.logaddexp(leaf[nodes], as_test[nodes] + below))
    is_test = -np.expm1(leaf - either)
    at_root = np.zeros_like(leaf)
    at_root[0] = 1.0
    return levels.descend(at_root, keep=is_test[levels.above])


def leaves_of_most_probable(tree: CountedTree, *, alpha: float = 1.0, prior: str = "wallace") -> NDArray[np.bool_]:
    """Return marks of the nodes that test nothing in the most probable pruning of the tree, at any depth.

    A leaf wins over a subtree that is up to 0.1 % more probable.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> leaves_of_most_probable(tree, prior="flat"), leaves_of_most_probable(tree, prior="wallace")
    (array([False,  True,  True]), array([ True,  True,  True]))
    """
    leaf, as_test = _log_probabilities(tree, alpha, prior)
    is_leaf = np.array(tree.is_leaf)

    def better(nodes: NDArray[np.intp], below: Any) -> NDArray[np.float64]:
        subtree = as_test[nodes] + below
        is_leaf[nodes] = leaf[nodes] - subtree > _AS_GOOD
        return np.asarray(np.maximum(leaf[nodes], subtree))

    Levels(tree).climb(leaf, better)
    return is_leaf


def log_marginal(tree: CountedTree, alpha: float) -> NDArray[np.float64]:
    """Return the log marginal likelihood of the classes of each node's rows, their prior Dirichlet.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> tree = SimpleNamespace(counts=np.array([[2.0, 2.0]]), weight=np.array([4.0]))
    >>> np.exp(-log_marginal(tree, 1.0)).round(9)  # 5! / (2! 2!)
    array([30.])
    """
    n_classes = tree.counts.shape[1]
    own = np.einsum("ij->i", gammaln(tree.counts + alpha)) - gammaln(tree.weight + n_classes * alpha)
    return np.asarray(own - (n_classes * gammaln(alpha) - gammaln(n_classes * alpha)))


def _log_probabilities(tree: CountedTree, alpha: float, prior: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the log-probability of each node as a leaf, classes included, and that of its test before the classes."""
    as_leaf, as_test = TREE_PRIORS[prior](tree)
    return as_leaf + log_marginal(tree, alpha), as_test + getattr(tree, "log_prior", 0.0)
