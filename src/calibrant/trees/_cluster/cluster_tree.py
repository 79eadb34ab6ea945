"""One tree grown on a Dask cluster: by one worker that has all codes, or level by level where none has."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from calibrant._random import seed_sequence
from calibrant._source_limits import check_source_params
from calibrant.trees._cluster.cluster_fit import ClusterRows, fit_by_one_worker
from calibrant.trees._growing.grow import tie_seed
from calibrant.trees._growing.grown_tree import GrownTree
from calibrant.trees._levels.dask_parts import DaskParts
from calibrant.trees._levels.grow_levels import grow_levels
from calibrant.trees._levels.level_plan import LevelPlan, OwnWeights
from calibrant.trees._tree import Tree

if TYPE_CHECKING:
    from calibrant.trees._tree_params import TreeParams

__all__ = ["fit_tree_on_cluster"]


def fit_tree_on_cluster(estimator: Any, rows: ClusterRows) -> dict[str, Any]:
    """Return the attributes of a tree that the workers of a cluster have grown."""
    if rows.fits_workers:
        return fit_by_one_worker(estimator, rows)
    check_source_params(estimator, "levels")
    params = cast("TreeParams", SimpleNamespace(**estimator.get_params(deep=False)))
    seed, facts = seed_sequence(estimator.random_state), rows.facts
    parts = rows.number(estimator.class_weight)
    examples = parts.examples
    n_classes = len(examples.classes)
    plan = LevelPlan(facts.bins, n_classes, examples.n_declared, facts.n_rows, params, OwnWeights())
    (core,) = grow_levels(DaskParts(rows.connection, parts.futures), plan, {0: tie_seed(seed)})
    tree = Tree(core, examples.order, examples.classes, examples.table.schema)
    return dict(vars(estimator._store(GrownTree.of_source(tree, examples, params, seed))))
