"""The tests of a tree as text: the condition of each branch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._tree import Tree

__all__ = ["all_conditions", "conditions", "marked_missing", "shortest_between", "values_of_branches"]

Values: TypeAlias = "Callable[[int], NDArray[np.float64] | None]"

_DIGITS = ".10g"


def conditions(tree: Tree, node: int, values: Values | None = None) -> list[str]:
    """Return the condition of each branch of a node: ``age <= 30``, ``town = Rome``, ``town in {Oslo, Rome}``.

    With the distinct training values of each column, a cut has as few digits as separate them. A branch that missing
    values go to says so.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([["a"], ["a"], ["b"], ["b"]], [0, 0, 1, 1]).tree_
    >>> conditions(tree, 0)
    ['x0 = a', 'x0 = b']
    """
    name = tree.schema.names[tree.feature[node]]
    if tree.is_numeric[node]:
        cut = float(tree.threshold[node])
        threshold = format(cut, _DIGITS) if values is None else _short_cut(cut, values(int(tree.feature[node])))
        return marked_missing(tree, node, [f"{name} <= {threshold}", f"{name} > {threshold}"])
    return marked_missing(tree, node, [_category_condition(name, found) for found in values_of_branches(tree, node)])


def marked_missing(tree: Tree, node: int, texts: list[str]) -> list[str]:
    """Return the conditions of a node's branches with the branch of missing values marked, where there is one.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier(missing="learned")
    >>> tree = model.fit([[1], [2], [3], [4], [None]], ["a", "a", "b", "b", "b"]).tree_
    >>> conditions(tree, 0)
    ['x0 <= 2', 'x0 > 2 or missing']
    """
    branch, name = int(tree.missing_branch[node]), tree.schema.names[tree.feature[node]]
    if branch < 0:
        return texts
    if tree.is_numeric[node] and math.isinf(tree.threshold[node]):
        return [f"{name} is known", f"{name} is missing"]
    marked = f"{texts[branch]} or missing" if texts[branch] else f"{name} is missing"
    return [*texts[:branch], marked, *texts[branch + 1 :]]


def _category_condition(name: str, values: list[str]) -> str:
    if len(values) < 2:
        return f"{name} = {values[0]}" if values else ""
    return f"{name} in {{{', '.join(values)}}}"


def values_of_branches(tree: Tree, node: int) -> list[list[str]]:
    """Return the categories of each branch of a nominal test, in the order of their codes."""
    categories = tree.schema.features[tree.feature[node]].categories
    branches = tree.branches_of(node)
    values: list[list[str]] = [[] for _ in range(int(tree.n_children[node]))]
    for code in np.flatnonzero(branches >= 0):
        values[branches[code]].append(str(categories[code]))
    return values


def shortest_between(low: float, high: float, near: float) -> str:
    """Return the number of fewest decimals in [low, high), the nearest to a number if there are several.

    Examples
    --------
    >>> shortest_between(2.4173, 2.52, 2.4173), shortest_between(1234.5, 1300, 1234.5), shortest_between(3, 4, 3)
    ('2.5', '1235', '3')
    """
    for decimals in range(18):
        scale = 10.0**decimals
        found = [whole / scale for whole in (round(near * scale), math.floor(near * scale), math.ceil(near * scale))]
        inside = [number for number in found if low <= number < high]
        if inside:
            return f"{inside[0]:.{decimals}f}"
    return format(near, _DIGITS)


def _short_cut(cut: float, values: NDArray[np.float64] | None) -> str:
    """Return a cut as text that separates the same distinct values, sorted, of its column."""
    if values is None or not len(values) or not values[0] <= cut < values[-1] or abs(cut) >= 1e15:
        return format(cut, _DIGITS)
    above = int(np.searchsorted(values, cut, side="right"))
    return shortest_between(float(values[above - 1]), float(values[above]), cut)


def all_conditions(tree: Tree, values: Values | None = None) -> list[str]:
    """Return the condition that leads to each node from its parent; empty for the root."""
    texts = [""] * tree.n_nodes
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        for child, condition in zip(tree.children_of(node), conditions(tree, node, values), strict=True):
            texts[child] = condition
    return texts
