"""The table of nodes x classes that an estimate makes of a tree, with the leaves without training weight filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant._normalize import normalize_rows
from calibrant.estimates import Curtailment, Estimate, Frequency

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._tree import Tree
    from calibrant.trees._tree_params import Dialect, EmptyLeaf

__all__ = ["majority_leaves", "nearest_with_weight", "probability_table"]


def probability_table(
    tree: Tree, estimate: Estimate, *, empty_leaf: EmptyLeaf | None, dialect: Dialect
) -> NDArray[np.float64]:
    """Return the probabilities of the sorted classes at every node.

    Examples
    --------
    >>> from calibrant.estimates import Laplace
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"]).tree_
    >>> probability_table(tree, Laplace(), empty_leaf=None, dialect="c45")[1]
    array([0.75, 0.25])
    """
    table = normalize_rows(np.array(estimate.table(tree), dtype=np.float64, order="C"))
    empty = np.flatnonzero(tree.weight <= 0)
    if len(empty) == 0:
        return table
    table[empty] = table[nearest_with_weight(tree)[empty]]
    voting = majority_leaves(tree, estimate, empty_leaf=empty_leaf, dialect=dialect)
    table[voting] = 0.0
    table[voting, tree.label[voting]] = 1.0
    return table


def majority_leaves(
    tree: Tree, estimate: Estimate, *, empty_leaf: EmptyLeaf | None, dialect: Dialect
) -> NDArray[np.intp]:
    """Return the leaves without training weight that predict their parent's majority class with certainty."""
    empty = np.flatnonzero(tree.weight <= 0)
    if len(empty) == 0 or _empty_leaf_rule(estimate, empty_leaf, dialect) == "parent":
        return empty[:0]
    # No row ends in a leaf that curtailment never enters.
    return empty[estimate.answering(tree)[empty] == empty] if isinstance(estimate, Curtailment) else empty


def nearest_with_weight(tree: Tree) -> NDArray[np.intp]:
    """Return the nearest node at or above each node that training weight reached.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> nearest_with_weight(ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"]).tree_)
    array([0, 1, 2])
    """
    at = np.where(tree.weight > 0, np.arange(tree.n_nodes), tree.parent)
    while (tree.weight[at] <= 0).any():  # a whole subtree of an honest tree may be without weight
        at = at[at]
    return at


def _empty_leaf_rule(estimate: Estimate, specified: EmptyLeaf | None, dialect: Dialect) -> EmptyLeaf:
    """Return the rule specified, or that of the dialect: C4.5's own frequencies predict the parent's majority."""
    if specified is not None:
        return specified
    return "majority" if dialect == "c45" and isinstance(estimate, Frequency) else "parent"
