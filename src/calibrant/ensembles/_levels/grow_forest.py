"""The trees of a forest, grown level by level from parts of the rows, some of them together."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from calibrant._progress import progress
from calibrant._random import stream_seed
from calibrant.ensembles._bagging.params import RULES, ForestParams, n_drawn
from calibrant.ensembles._levels.bag_weights import BagWeights
from calibrant.exceptions import ParameterError
from calibrant.trees._internal import BYTES_OF_ROW, LevelPlan, grow_levels

if TYPE_CHECKING:
    import numpy as np

    from calibrant import _core
    from calibrant.data._internal import Bins
    from calibrant.trees._internal import Parts

__all__ = ["check_level_params", "forest_plan", "grow_forest_levels"]

_GROWING = 1  # key of the random stream of a tree
_CELLS_AT_ONCE = 64 << 20  # of the histograms of a level of all trees that are grown together
_MOST_TREES = 32  # grown together: fewer round trips
_BYTES_BESIDE = 4  # the codes of a row in a node that is finished: its class and weight
_OPEN_NODES = 8  # of one level of a tree, about: nodes of less than an eighth of the rows are not open


def check_level_params(params: ForestParams) -> None:
    """Raise if a parameter needs the rows of a node at one place after the tree is grown."""
    for name, needed in (("prune", None), ("honest", False), ("collapse", False)):
        value = getattr(params, name, needed)
        if value != needed:
            raise ParameterError(
                f"{name} must be {needed!r} where trees are grown level by level, because no worker has memory for "
                f"the codes of all rows; got {value!r}. Start workers with more memory, or pass {name}={needed!r}."
            )


def forest_plan(
    parts: Parts,
    bins: Bins,
    params: ForestParams,
    seed: np.random.SeedSequence,
    *,
    n_rows: int,
    n_classes: int,
    n_declared: int,
    n_groups: int | None = None,
) -> LevelPlan:
    """Return what all parts must know of a forest: its columns, its parameters and how its bags are drawn."""
    check_level_params(params)
    snapshot = cast("ForestParams", SimpleNamespace(**{name: getattr(params, name) for name in RULES}))
    weights = BagWeights.of(parts, params.bootstrap, seed, params.max_samples, n_classes=n_classes, n_groups=n_groups)
    n_columns = len(bins.n_values)
    max_features = n_drawn(params.max_features, n_columns)
    rows_of_process = n_rows // parts.n_processes + 1
    bytes_of_tree = rows_of_process * (BYTES_OF_ROW + n_columns + _BYTES_BESIDE)  # most rows are gathered in the end
    at_once = min(_trees_at_once(max_features or n_columns, n_classes), max(1, parts.free_bytes // bytes_of_tree))
    kept = 2 * at_once * BYTES_OF_ROW * rows_of_process  # a worker may hold the parts of another that died
    return LevelPlan(
        bins, n_classes, n_declared, n_rows, snapshot, weights, max_features, trees_at_once=at_once, kept_bytes=kept
    )


def grow_forest_levels(parts: Parts, plan: LevelPlan, seed: np.random.SeedSequence, trees: range) -> list[_core.Tree]:
    """Grow the trees of these numbers from all parts, the same ones as `Forest` grows from all rows, to the bit."""
    at_once = plan.trees_at_once
    grown: list[_core.Tree] = []
    with progress(total=len(trees), description="Growing trees") as bar:
        for first in range(0, len(trees), at_once):
            batch = trees[first : first + at_once]
            grown += grow_levels(parts, plan, {tree: stream_seed(seed, tree, _GROWING) for tree in batch})
            bar.advance(len(batch))
    return grown


def _trees_at_once(n_columns: int, n_classes: int) -> int:
    """Return the number of trees whose histograms of one level fit a message."""
    return max(1, min(_MOST_TREES, _CELLS_AT_ONCE // (_OPEN_NODES * n_columns * 256 * n_classes)))
