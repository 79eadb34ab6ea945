"""Honest out-of-bag probabilities: the counts of a row, or of its group, are subtracted from its leaves.

Out-of-bag rows are counted in the leaves that they reach, so each would find its own class there. On labels that
are pure noise, out-of-bag probabilities without the subtraction had a log-loss of 0.84 bits, where the best possible is
1 (new rows: 1.02).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant import _core
from calibrant._docstrings import fill_docstring
from calibrant._folds import count_by_group
from calibrant.ensembles._readings.averages import average_cells, by_node
from calibrant.ensembles._readings.forest_members import EXAMPLE_MEMBERS, Members
from calibrant.ensembles._readings.out_of_bag_weight import Alpha, core_pooling
from calibrant.ensembles._readings.pooled_tree import PooledTree, pooled_table
from calibrant.ensembles._readings.pooling import Pooling, is_local

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["honest_oob_proba", "own_class_rates", "pooled_trees"]

_N_PARTS = 5  # a table of each tree is made for each part: few, and each leaves out a fifth of the rows


@fill_docstring(example_members=EXAMPLE_MEMBERS)
def honest_oob_proba(members: Members, pooling: Pooling, alpha: Alpha) -> NDArray[np.float64]:
    """Return out-of-bag probabilities by leaf, as of EB-PETs; NaN for a row that is in every bag.

    A leaf that is empty without the row is left out. A row whose leaves are all empty has the class frequencies of the
    other rows.

    Examples
    --------
    %(example_members)s
    >>> honest_oob_proba(members, Pooling(), Alpha(1.0))[4]
    array([0., 1.])
    """
    if is_local(pooling.estimate):
        proba = _without_own(members, pooling, core_pooling(members, pooling, alpha), [])
    else:
        proba = _by_parts(members, pooling, alpha)
    without = np.flatnonzero(np.isnan(proba[:, 0]) & members.is_out_of_bag)
    proba[without] = _frequencies_of_others(members, without)
    return proba


def own_class_rates(
    members: Members, pooling: Pooling, core: _core.Pooling, alphas: list[float]
) -> NDArray[np.float64]:
    """Return for each alpha the honest out-of-bag frequency, by leaf, of each row's actual class; NaN where none."""
    return _without_own(members, pooling, core, alphas)


def pooled_trees(
    members: Members, pooling: Pooling, alpha: Alpha, left_out: NDArray[np.bool_] | None = None
) -> list[PooledTree]:
    """Return the trees with pooled counts at their nodes; rows left out count in their bags only."""
    rows = members.bagged_rows(multiplicity=pooling.in_bag_counts == "multiplicity")
    parents, core = [tree.parent for tree in members.trees], core_pooling(members, pooling, alpha)
    counts: Any = _core.pool_leaves(members.paths.core, parents, rows, left_out, core, members.paths.n_threads)
    return [PooledTree(tree, each) for tree, each in zip(members.trees, counts, strict=True)]


def _without_own(members: Members, pooling: Pooling, core: _core.Pooling, alphas: list[float]) -> NDArray[np.float64]:
    rows, paths = members.bagged_rows(multiplicity=pooling.in_bag_counts == "multiplicity"), members.paths
    return np.asarray(_core.predict_leave_one_out(paths.core, members.n_nodes, rows, core, alphas, paths.n_threads))


def _by_parts(members: Members, pooling: Pooling, alpha: Alpha) -> NDArray[np.float64]:
    """Return the probabilities by an estimate that uses more than the leaf.

    Its probabilities at a leaf depend on the counts of many nodes, and subtracting each row from all of them would need
    a table for each row. A fifth of the rows is left out at a time instead: each row is predicted by a table made
    without the rows of its part, which has whole groups.
    """
    numbers = np.arange(members.n_rows) if members.groups is None else members.groups
    proba, part_of = np.empty((members.n_rows, members.n_classes)), numbers % _N_PARTS
    for part in range(_N_PARTS):
        chosen = part_of == part
        trees = pooled_trees(members, pooling, alpha, chosen)
        filled = by_node([pooled_table(tree, pooling) for tree in trees], [tree.weight > 0 for tree in trees])[:1]
        proba[chosen] = average_cells(members.paths, filled, bags=members.bags)[chosen]
    return proba


def _frequencies_of_others(members: Members, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    others = np.tile(members.class_weights, (len(rows), 1))
    if members.groups is None:
        others[np.arange(len(rows)), members.labels[rows]] -= 1.0 if members.weights is None else members.weights[rows]
    else:
        others -= count_by_group(members.groups, members.labels, members.weights)[members.groups[rows]]
    return np.asarray(others / np.maximum(others.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny))
