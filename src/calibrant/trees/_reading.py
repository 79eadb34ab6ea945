"""Probabilities read from a tree: the table of nodes x classes of an estimate, empty leaves filled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant import _core
from calibrant.data._coding import n_threads
from calibrant.estimates import Estimate, Frequency, as_estimate
from calibrant.trees._choosing import in_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._growth import Growth
    from calibrant.trees._rows import Rows
    from calibrant.trees._rules import Dialect, EmptyLeaf, ReadingParams
    from calibrant.trees._tree import Tree

__all__ = ["Reading", "answers", "nearest_filled", "probability_table", "read_tree"]


@dataclass(frozen=True, eq=False)
class Reading:
    """How a tree answers: an estimate with nothing left open, and the probabilities of the classes at every node."""

    estimate: Estimate
    table: NDArray[np.float64]


def read_tree(growth: Growth, given: str | Estimate, params: ReadingParams) -> Reading:
    """Read a grown tree by an estimate, choosing its number by cross-validation where it asks for that.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> read_tree(model._growth, "frequency", model).table[1]
    array([1., 0.])
    """
    estimate = in_numbers(
        as_estimate("estimate", given), growth, lambda each, tree: probability_table(tree, each, params)
    )
    return Reading(estimate, probability_table(growth.tree, estimate, params))


def answers(tree: Tree, rows: Rows, readings: Sequence[Reading], n_jobs: int | None) -> list[NDArray[np.float64]]:
    """Give the probabilities of the classes for each row, one array for each reading, all in one descent.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> answers(model.tree_, (1, np.array([[1.5]])), [read_tree(model._growth, "laplace", model)], 1)
    [array([[0.75, 0.25]])]
    """
    n_rows, columns = rows
    outputs = [np.empty((n_rows, reading.table.shape[1])) for reading in readings]
    tables = [reading.table for reading in readings]
    _core.predict_tree(tree.core, n_rows, columns, tables, outputs, n_threads(n_jobs))
    return outputs


def probability_table(tree: Tree, estimate: Estimate, params: ReadingParams) -> NDArray[np.float64]:
    """Give the probabilities of the sorted classes at every node.

    Examples
    --------
    >>> from calibrant.estimates import Laplace
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> probability_table(model.tree_, Laplace(), model)[1]
    array([0.75, 0.25])
    """
    table = np.array(estimate.table(tree), dtype=np.float64, order="C")
    empty = np.flatnonzero(tree.weight <= 0)
    if len(empty) == 0:
        return table
    if _empty_leaf(estimate, params.empty_leaf, params.dialect) == "parent":
        table[empty] = table[nearest_filled(tree)[empty]]
    else:
        table[empty] = 0.0
        table[empty, tree.label[empty]] = 1.0
    return table


def nearest_filled(tree: Tree) -> NDArray[np.intp]:
    """Give the nearest node at or above each node that training weight reached.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> nearest_filled(ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"]).tree_)
    array([0, 1, 2])
    """
    at = np.where(tree.weight > 0, np.arange(tree.n_nodes), tree.parent)
    while (tree.weight[at] <= 0).any():  # a whole subtree of an honest tree may be empty
        at = at[at]
    return at


def _empty_leaf(estimate: Estimate, told: EmptyLeaf | None, dialect: Dialect) -> EmptyLeaf:
    """Follow the dialect where nothing is told: C4.5's own frequencies vote for the parent's majority."""
    if told is not None:
        return told
    return "majority" if dialect == "c45" and isinstance(estimate, Frequency) else "parent"
