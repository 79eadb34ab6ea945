"""The mean of the trees' probabilities, over the trees that have some for a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from calibrant import _core
from calibrant._docstrings import fill_docstring
from calibrant.ensembles._readings.forest_members import EXAMPLE_MEMBERS, Members
from calibrant.ensembles._readings.leaf_paths import LeafPaths

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.ensembles._bagging.bags import ForestBags

__all__ = ["Cells", "average_cells", "by_node", "out_of_bag_average", "score_sums"]

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
    >>> from calibrant.ensembles._readings.leaf_paths import LeafMatrix
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
