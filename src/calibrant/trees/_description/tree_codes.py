"""The code length of a tree's structure and tests (Quinlan & Rivest 1989; Wallace & Patrick 1993)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from calibrant.estimates._internal import wallace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._tree import Tree

__all__ = ["TREE_CODINGS", "Coding", "cut_bits", "structure_bits"]

Coding = Literal["wallace", "quinlan_rivest"]

_CUTS = "cuts by log2 of their possible positions"

# How each coding encodes whether a node is a test, the column that it tests and the cut.
TREE_CODINGS: dict[str, str] = {
    "wallace": "below a test of a branches a node is a test with probability 1/a, the root with 1 - 1/columns; the "
    "column by log2 of those that can still be tested; " + _CUTS,
    "quinlan_rivest": "one bit for each node, whether it is a test; the column by log2 of those of two values or more; "
    + _CUTS,
}


def structure_bits(tree: Tree, is_useful: NDArray[np.bool_], coding: Coding) -> tuple[float, float]:
    """Return the bits of which nodes are tests, and those of which columns they test.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1, 0], [2, 1], [3, 0], [4, 1]], ["a", "a", "b", "b"]).tree_
    >>> structure_bits(tree, np.array([True, True]), "quinlan_rivest")
    (3.0, 1.0)
    """
    is_test, n_useful = ~tree.is_leaf, int(is_useful.sum())
    if coding == "quinlan_rivest":
        return float(tree.n_nodes), float(is_test.sum() * _log2(n_useful))
    as_leaf, as_test = wallace(tree)
    shape = -float(np.where(is_test, as_test, as_leaf).sum() / np.log(2.0))
    used = _columns_used_up(tree)
    return shape, float(sum(_log2(n_useful - len(used[node])) for node in np.flatnonzero(is_test)))


def cut_bits(tree: Tree, n_values: NDArray[np.intp]) -> float:
    """Return the bits of the cuts and of the groups of categories, from the number of values of each column.

    A cut takes log2(values - 1) bits, a branch for each category none, one category against the rest
    log2(categories), and groups of categories log2(branches) for each category. Where a test has a branch for missing
    values, these are one more category, and a cut is one of 2 values - 1: each with the missing values on either side,
    or whether the value is missing.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4], [5]], ["a", "a", "b", "b", "b"]).tree_
    >>> cut_bits(tree, np.array([5]))
    2.0
    """
    return float(sum(_cut_bits(tree, int(node), n_values) for node in np.flatnonzero(~tree.is_leaf)))


def _cut_bits(tree: Tree, node: int, n_values: NDArray[np.intp]) -> float:
    values = int(n_values[tree.feature[node]])
    sends_missing = tree.missing_branch[node] >= 0
    if tree.is_numeric[node]:
        return _log2(2 * values - 1 if sends_missing else values - 1)
    branches, n_branches = tree.branches_of(node), int(tree.n_children[node])
    if sends_missing:
        values, branches = values + 1, np.append(branches, tree.missing_branch[node])
    if n_branches == len(branches):
        return 0.0
    in_first = int((branches == 0).sum())
    is_one_against_the_rest = n_branches == 2 and in_first in (1, len(branches) - 1)
    return _log2(values) if is_one_against_the_rest else values * _log2(n_branches)


def _columns_used_up(tree: Tree) -> list[frozenset[int]]:
    """Return the columns that cannot be tested again at each node: those with a branch for each category above."""
    used: list[frozenset[int]] = []
    for parent in tree.parent:  # nodes come in preorder
        above = used[parent] if parent >= 0 else frozenset()
        if parent >= 0 and not tree.is_numeric[parent] and tree.n_children[parent] == _n_categories(tree, parent):
            above |= {int(tree.feature[parent])}
        used.append(above)
    return used


def _n_categories(tree: Tree, node: int) -> int:
    """Return the number of categories of a nominal test, a missing value counted where it has a branch."""
    return int(tree.n_values[node]) + int(tree.missing_branch[node] >= 0)


def _log2(n: float) -> float:
    return float(np.log2(n)) if n > 1 else 0.0
