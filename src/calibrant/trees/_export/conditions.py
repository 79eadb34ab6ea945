"""The tests of a tree as text: the condition of each branch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from calibrant.trees._tree import Tree

__all__ = ["all_conditions", "conditions", "values_of_branches"]

_DIGITS = ".10g"


def conditions(tree: Tree, node: int) -> list[str]:
    """Return the condition of each branch of a node: ``age <= 30``, ``town = Rome``, ``town in {Oslo, Rome}``.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([["a"], ["a"], ["b"], ["b"]], [0, 0, 1, 1]).tree_
    >>> conditions(tree, 0)
    ['x0 = a', 'x0 = b']
    """
    name = tree.schema.names[tree.feature[node]]
    if tree.is_numeric[node]:
        threshold = format(tree.threshold[node], _DIGITS)
        return [f"{name} <= {threshold}", f"{name} > {threshold}"]
    return [
        f"{name} = {values[0]}" if len(values) == 1 else f"{name} in {{{', '.join(values)}}}"
        for values in values_of_branches(tree, node)
    ]


def values_of_branches(tree: Tree, node: int) -> list[list[str]]:
    """Return the categories of each branch of a nominal test, in the order of their codes."""
    categories = tree.schema.features[tree.feature[node]].categories
    branches = tree.branches_of(node)
    values: list[list[str]] = [[] for _ in range(int(tree.n_children[node]))]
    for code in np.flatnonzero(branches >= 0):
        values[branches[code]].append(str(categories[code]))
    return values


def all_conditions(tree: Tree) -> list[str]:
    """Return the condition that leads to each node from its parent; empty for the root."""
    texts = [""] * tree.n_nodes
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        for child, condition in zip(tree.children_of(node), conditions(tree, node), strict=True):
            texts[child] = condition
    return texts
