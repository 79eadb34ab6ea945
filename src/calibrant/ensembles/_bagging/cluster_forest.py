"""A forest grown on a Dask cluster: batches of trees as tasks of workers that have the codes of all rows."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from calibrant._random import seed_sequence
from calibrant._source_limits import check_source_params
from calibrant.ensembles._bagging.forest import Forest
from calibrant.ensembles._bagging.params import RULES, ForestParams
from calibrant.ensembles._levels.grow_forest import forest_plan, grow_forest_levels
from calibrant.ensembles._levels.level_reading import read_levels
from calibrant.ensembles._readings.forest_reading import needs_all_rows
from calibrant.ensembles._tree_style import styled, styled_for
from calibrant.estimates import as_estimate
from calibrant.exceptions import ParameterError
from calibrant.trees import Tree
from calibrant.trees._internal import ClusterRows, DaskParts, JoinedRows, examples_for

if TYPE_CHECKING:
    import numpy as np

    from calibrant.trees._internal import Examples, ExamplesWithoutRows, LevelPlan, Parts, SourceFacts

__all__ = ["fit_forest_on_cluster"]

_BATCHES_PER_THREAD = 4  # so that workers end at about the same time, and little is lost with one that dies
_MOST_TREES = 8  # of a batch


def fit_forest_on_cluster(estimator: Any, rows: ClusterRows) -> dict[str, Any]:
    """Return the attributes of a forest that the workers of a cluster have fitted."""
    seed = seed_sequence(estimator.random_state)
    return _by_batches(estimator, rows, seed) if rows.fits_workers else _by_levels(estimator, rows, seed)


def _by_batches(estimator: Any, rows: ClusterRows, seed: np.random.SeedSequence) -> dict[str, Any]:
    """Send the codes of all rows to every worker, and share out the trees."""
    rows.join()
    params, examples = rows.call(_describe, estimator, seed, description="Fitting")
    grown = rows.start_many(_grow_batch, _batches(params, seed, rows.n_threads), description="Growing trees")
    trees = tuple(tree for batch in rows.fetch(grown, "Reading the forest") for tree in batch)
    if not _can_read_blocks(estimator, params, trees[0]):
        return rows.call(_finish, estimator, params, seed, inputs=grown, description="Reading the forest")
    parts = DaskParts(rows.connection, rows.blocks(estimator.class_weight), "Reading the forest")
    plan = _plan(parts, rows.facts, params, seed, examples)
    return _read(estimator, parts, plan, Forest(trees, cast("Examples", examples), params, seed))


def _can_read_blocks(estimator: Any, params: ForestParams, tree: Tree) -> bool:
    """Return whether blocks of rows can be read by themselves: one worker reads the forest otherwise."""
    if params.prune is not None or params.honest or params.collapse:
        return False
    if needs_all_rows(as_estimate("estimate", estimator._reading_options().estimate), tree):
        return False
    return bool(estimator.combine == "vote" or estimator.out_of_bag == "ignore")


def _by_levels(estimator: Any, rows: ClusterRows, seed: np.random.SeedSequence) -> dict[str, Any]:
    """Grow the trees level by level from histograms of the partitions, whose codes stay where they are."""
    check_source_params(estimator, "levels")
    params, facts = _snapshot(styled(estimator)), rows.facts
    _check_groups(estimator, has_groups=facts.groups is not None)
    numbered = rows.number(estimator.class_weight)
    examples, parts = numbered.examples, DaskParts(rows.connection, numbered.futures)
    plan = _plan(parts, facts, params, seed, examples)
    cores = grow_forest_levels(parts, plan, seed, range(params.n_trees))
    trees = tuple(Tree(core, examples.order, examples.classes, examples.table.schema) for core in cores)
    forest = Forest(trees, cast("Examples", examples), params, seed)
    return _read(estimator, DaskParts(rows.connection, numbered.futures, "Reading the forest"), plan, forest)


def _plan(
    parts: Parts,
    facts: SourceFacts,
    params: ForestParams,
    seed: np.random.SeedSequence,
    examples: ExamplesWithoutRows,
) -> LevelPlan:
    return forest_plan(
        parts,
        facts.bins,
        params,
        seed,
        n_rows=facts.n_rows,
        n_classes=len(examples.classes),
        n_declared=examples.n_declared,
        n_groups=None if facts.groups is None else len(facts.groups),
    )


def _read(estimator: Any, parts: Parts, plan: LevelPlan, forest: Forest) -> dict[str, Any]:
    """Return the attributes of a forest that is read part by part."""
    return dict(vars(estimator._keep(read_levels(parts, plan, forest, estimator._reading_options()))))


def _check_groups(estimator: Any, *, has_groups: bool) -> None:
    """Raise if the counts of a group, whose rows are on several workers, would be subtracted from leaves."""
    if has_groups and estimator.out_of_bag != "ignore" and estimator.combine != "vote":
        raise ParameterError(
            f"out_of_bag must be 'ignore' where trees are grown level by level and rows have groups, because rows of a "
            f"group are on several workers and their counts cannot be subtracted from its leaves; got "
            f"{estimator.out_of_bag!r}. Pass no groups, or start workers that have memory for the codes of all rows."
        )


def _batches(
    params: ForestParams, seed: np.random.SeedSequence, n_threads: int
) -> list[tuple[ForestParams, np.random.SeedSequence, range]]:
    size = max(1, min(_MOST_TREES, params.n_trees // (_BATCHES_PER_THREAD * n_threads)))
    numbers = range(params.n_trees)
    return [(params, seed, numbers[first : first + size]) for first in range(0, params.n_trees, size)]


def _describe(
    estimator: Any, seed: np.random.SeedSequence, rows: JoinedRows
) -> tuple[ForestParams, ExamplesWithoutRows]:
    """Return the parameters of the trees, which may depend on the rows where a style prunes by cross-validation.

    And what a model keeps of the rows.
    """
    examples = examples_for(estimator, rows)
    return _snapshot(styled_for(examples, estimator, seed)), examples.without_rows()


def _snapshot(params: Any) -> ForestParams:
    return cast("ForestParams", SimpleNamespace(**{name: getattr(params, name) for name in RULES}))


def _grow_batch(params: ForestParams, seed: np.random.SeedSequence, batch: range, rows: JoinedRows) -> list[Tree]:
    """Grow some trees in one thread of a worker."""
    alone = cast("ForestParams", SimpleNamespace(**vars(params) | {"n_jobs": 1}))
    return Forest((), examples_for(params, rows), alone, seed).grow_batch(batch)


def _finish(
    estimator: Any, params: ForestParams, seed: np.random.SeedSequence, rows: JoinedRows, grown: Sequence[list[Tree]]
) -> dict[str, Any]:
    """Read the grown forest as the estimator does, and drop the rows."""
    trees = tuple(tree for batch in grown for tree in batch)
    forest = Forest(trees, examples_for(estimator, rows), params, seed)
    estimator._store(forest)._drop_rows()
    return dict(vars(estimator))
