"""Sums along the paths of a tree, from the root down and from the leaves up, level by level without recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from calibrant.estimates._base import CountedTree

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Levels", "average_along_paths", "nearest_above"]


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
