"""A forest grown on a Dask cluster: batches of trees as tasks, or level by level from parts of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._dask.tasks import gather
from calibrant._progress import progress
from calibrant._random import seed_sequence, stream_seed
from calibrant._source_limits import check_source_params
from calibrant.data._internal import CodedPart
from calibrant.ensembles._bagging.bags import Bootstrap, ForestBags
from calibrant.ensembles._bagging.forest import GROWING_STREAM, Forest, n_drawn, snapshot
from calibrant.ensembles._levels.level_reading import read_levels
from calibrant.ensembles._readings.forest_reading import needs_all_rows
from calibrant.ensembles._tree_style import styled, styled_for, with_tree_params
from calibrant.estimates import as_estimate
from calibrant.exceptions import ParameterError
from calibrant.trees import Tree
from calibrant.trees._internal import ClusterRows, LevelPlan, Parts, TrainingSet

if TYPE_CHECKING:
    from calibrant.ensembles._bagging.bagged_trees import BaggedTreesClassifier


@dataclass(frozen=True, eq=False)
class BagWeights:
    """The draw of the bags of a forest: the units of all parts, and those before each part by its first row."""

    kind: Bootstrap | None
    seed: np.random.SeedSequence
    max_samples: float
    n_units: tuple[int, ...]
    first_units: dict[int, tuple[int, ...]]

    @classmethod
    def of(
        cls, parts: Parts, params: BaggedTreesClassifier, seed: np.random.SeedSequence, n_classes: int, groups: Any
    ) -> BagWeights:
        """Return the draw of bags from all parts, whose rows are counted."""
        counted = sorted(parts.reduce(count_classes, n_classes), key=lambda each: each[:2])
        counts = np.array([of_part for *_, of_part in counted], dtype=np.int64).reshape(len(counted), n_classes)
        # Units are numbered over all rows, so that a part draws what it would draw in one process.
        before = np.cumsum(counts, axis=0) - counts
        if groups is not None:
            n_units, first = (len(groups),), [(0,)] * len(counted)
        elif params.bootstrap == "by_class":
            n_units, first = tuple(counts.sum(axis=0).tolist()), [tuple(each) for each in before.tolist()]
        else:
            n_units, first = (int(counts.sum()),), [(each,) for each in before.sum(axis=1).tolist()]
        # of empty parts and the one that follows them, which begin at the same row, the last is right for both
        first_units: dict[int, tuple[int, ...]] = {
            first_row: units for (first_row, *_), units in zip(counted, first, strict=True)
        }
        return cls(params.bootstrap, seed, params.max_samples, n_units, first_units)

    def weights(self, part: CodedPart, tree: int) -> NDArray[np.float64] | None:
        """Return the weight of each row in the bag of a tree; None where all rows are in it with a weight of 1."""
        if self.kind is None or not part.n_rows:
            return part.weights
        times = self.bags(part).count(tree).astype(np.float64)
        return times if part.weights is None else times * part.weights

    def bags(self, part: CodedPart) -> ForestBags:
        """Return the rows of a part in the bags of all trees."""
        first = self.first_units[part.first_row]
        return ForestBags(self.kind, part.labels, self.seed, part.groups, self.max_samples, self.n_units, first)


def count_classes(n_classes: int, part: CodedPart) -> list[tuple[int, int, NDArray[np.int64]]]:
    """Return the first row of a part, its number of rows and that of each class."""
    return [(part.first_row, part.n_rows, np.bincount(part.labels, minlength=n_classes))]


_CELLS_AT_ONCE = 64 << 20  # of the histograms of a level of all trees that are grown together
_MOST_TREES = 32  # grown together: fewer round trips
_BYTES_BESIDE = 4  # the codes of a row in a node that is finished: its class and weight
_OPEN_NODES = 8  # of one level of a tree, about: nodes of less than an eighth of the rows are not open


def forest_plan(parts: Parts, facts: Any, params: BaggedTreesClassifier, seed: np.random.SeedSequence) -> LevelPlan:
    """Return the plan that all parts share: the columns, the parameters, the draw of the bags."""
    n_columns, n_classes = len(facts.bins.n_values), len(facts.labels.classes)
    max_features = n_drawn(params.max_features, n_columns)
    rows_of_process = facts.n_rows // parts.n_processes + 1
    # Most rows are gathered in the end
    bytes_of_tree = rows_of_process * (LevelPlan.BYTES_OF_ROW + n_columns + _BYTES_BESIDE)
    # Of which the histograms of one level fit a message
    at_once = _CELLS_AT_ONCE // (_OPEN_NODES * (max_features or n_columns) * 256 * n_classes)
    at_once = max(1, min(_MOST_TREES, at_once, parts.free_bytes // bytes_of_tree))
    kept = 2 * at_once * LevelPlan.BYTES_OF_ROW * rows_of_process  # a worker may hold the parts of another that died
    return LevelPlan(
        facts.bins,
        n_classes,
        facts.labels.n_declared,
        facts.n_rows,
        snapshot(params),
        BagWeights.of(parts, params, seed, n_classes, facts.groups),
        max_features,
        trees_at_once=at_once,
        kept_bytes=kept,
    )


def grow_forest_levels(parts: Parts, plan: LevelPlan, seed: np.random.SeedSequence, trees: range) -> list[_core.Tree]:
    """Grow the trees of these numbers from all parts, the same ones as `Forest` grows from all rows, to the bit."""
    at_once = plan.trees_at_once
    grown: list[_core.Tree] = []
    with progress(total=len(trees), description="Growing trees") as bar:
        for first in range(0, len(trees), at_once):
            batch = trees[first : first + at_once]
            grown += plan.grow(parts, {tree: stream_seed(seed, tree, GROWING_STREAM) for tree in batch})
            bar.advance(len(batch))
    return grown


_BATCHES_PER_THREAD = 4  # so that workers end at about the same time, and little is lost with one that dies
_MOST_OF_BATCH = 8  # of a batch


def fit_forest_on_cluster(estimator: Any, rows: ClusterRows) -> dict[str, Any]:
    """Return the attributes of a forest that the workers of a cluster have fitted."""
    seed = seed_sequence(estimator.random_state)
    return _by_batches(estimator, rows, seed) if rows.fits_workers else _by_levels(estimator, rows, seed)


def _by_batches(estimator: Any, rows: ClusterRows, seed: np.random.SeedSequence) -> dict[str, Any]:
    """Send the codes of all rows to every worker, and share out the trees."""
    rows.join()
    params, examples = rows.call(_describe, estimator, seed, description="Fitting")
    size = max(1, min(_MOST_OF_BATCH, params.n_trees // (_BATCHES_PER_THREAD * rows.n_threads)))
    numbers = range(params.n_trees)
    batches = [(params, seed, numbers[first : first + size]) for first in range(0, params.n_trees, size)]
    grown = rows.start_many(_grow_batch, batches, description="Growing trees")
    trees = tuple(tree for batch in gather(rows.connection, grown, "Reading the forest") for tree in batch)
    if not _can_read_blocks(estimator, params, trees[0]):
        return rows.call(_finish, estimator, params, seed, inputs=grown, description="Reading the forest")
    parts = rows.parts(rows.blocks(estimator.class_weight), "Reading the forest")
    return _read(estimator, parts, forest_plan(parts, rows.facts, params, seed), Forest(trees, examples, params, seed))


def _can_read_blocks(estimator: Any, params: BaggedTreesClassifier, tree: Tree) -> bool:
    """Return whether blocks of rows can be read by themselves: one worker reads the forest otherwise."""
    if params.prune is not None or params.honest or params.collapse:
        return False
    if needs_all_rows(as_estimate("estimate", estimator._reading_options().estimate), tree):
        return False
    # Readings that count out-of-bag rows at leaves need the leaves of all rows at once.
    return bool(estimator.combine == "vote" or estimator.out_of_bag == "ignore")


def _by_levels(estimator: Any, rows: ClusterRows, seed: np.random.SeedSequence) -> dict[str, Any]:
    """Grow the trees level by level from histograms of the partitions, whose codes stay where they are."""
    check_source_params(with_tree_params(estimator), "levels")
    _check_groups(estimator, has_groups=rows.facts.groups is not None)
    params = snapshot(styled(estimator))
    futures, examples = rows.number(estimator.class_weight)
    parts = rows.parts(futures, "Growing trees")
    plan = forest_plan(parts, rows.facts, params, seed)
    trees = tuple(map(examples.tree, grow_forest_levels(parts, plan, seed, range(params.n_trees))))
    return _read(estimator, rows.parts(futures, "Reading the forest"), plan, Forest(trees, examples, params, seed))


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


def _describe(estimator: Any, seed: np.random.SeedSequence, rows: Any) -> tuple[BaggedTreesClassifier, TrainingSet]:
    """Return the parameters of the trees, which a style may choose by the rows, and what a model keeps of the rows."""
    examples = rows.examples(estimator.class_weight)
    return snapshot(styled_for(examples, estimator, seed)), examples.without_rows()


def _grow_batch(params: BaggedTreesClassifier, seed: np.random.SeedSequence, batch: range, rows: Any) -> list[Tree]:
    """Grow some trees in one thread of a worker."""
    return Forest((), rows.examples(params.class_weight), snapshot(params, n_jobs=1), seed).grow_batch(batch)


def _finish(
    estimator: Any, params: BaggedTreesClassifier, seed: np.random.SeedSequence, rows: Any, grown: Sequence[list[Tree]]
) -> dict[str, Any]:
    """Read the grown forest as the estimator does, and drop the rows."""
    trees = tuple(tree for batch in grown for tree in batch)
    estimator._store(Forest(trees, rows.examples(estimator.class_weight), params, seed))._drop_rows()
    return dict(vars(estimator))
