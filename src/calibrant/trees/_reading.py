"""Probabilities read from a tree: the table of nodes x classes of an estimate, empty leaves filled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant._params import choose
from calibrant.estimates import ESTIMATES, Estimate, Frequency

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._rules import Dialect, EmptyLeaf, TreeParams
    from calibrant.trees._tree import Tree

__all__ = ["probability_table"]


def probability_table(tree: Tree, params: TreeParams) -> NDArray[np.float64]:
    """Give the probabilities of the sorted classes at every node.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> probability_table(model.tree_, model)[1]
    array([0.75, 0.25])
    """
    estimate = _estimate(params.estimate)
    table = np.array(estimate.table(tree), dtype=np.float64, order="C")
    empty = np.flatnonzero(tree.weight <= 0)
    if len(empty) == 0:
        return table
    if _empty_leaf(estimate, params.empty_leaf, params.dialect) == "parent":
        table[empty] = table[_nearest_filled(tree)[empty]]
    else:
        table[empty] = 0.0
        table[empty, tree.label[empty]] = 1.0
    return table


def _estimate(given: str | Estimate) -> Estimate:
    return choose("estimate", given, ESTIMATES)() if isinstance(given, str) else given


def _empty_leaf(estimate: Estimate, told: EmptyLeaf | None, dialect: Dialect) -> EmptyLeaf:
    """Follow the dialect where nothing is told: C4.5's own frequencies vote for the parent's majority."""
    if told is not None:
        return told
    return "majority" if dialect == "c45" and isinstance(estimate, Frequency) else "parent"


def _nearest_filled(tree: Tree) -> NDArray[np.intp]:
    """Give the nearest node at or above each node that training weight reached."""
    at = np.where(tree.weight > 0, np.arange(tree.n_nodes), tree.parent)
    while (tree.weight[at] <= 0).any():  # a whole subtree of an honest tree may be empty
        at = at[at]
    return at
