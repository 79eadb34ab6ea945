"""Trees boosted on a Dask cluster, level by level from parts of the rows, whose weights change in every round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from threading import Lock
from typing import Any, cast
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._exact_sums import ExactSums, fixed_point_weights
from calibrant._random import seed_sequence, stream_seed
from calibrant._source_limits import check_source_params
from calibrant.data._internal import Bins, CodedPart
from calibrant.ensembles._boosting.boosting_loop import ALGORITHMS, MemberPredictions, Run, boost
from calibrant.ensembles._boosting.tree_learner import DRAWS_STREAM, MEMBER_STREAM, draw_rows
from calibrant.ensembles._tree_style import styled, with_tree_params
from calibrant.trees._internal import ClusterRows, GrownTree, LevelPlan, Parts, TrainingSet, TreeReading


@dataclass(frozen=True, eq=False)
class PredictedWeights:
    """The weights of rows by node and class, and of those that reach several leaves by mixture and class.

    A row that was not drawn reaches several leaves where its value is missing and no drawn row's is. `mixtures` are
    distinct and sorted, with the class in the last column.
    """

    by_node: NDArray[np.float64]
    mixtures: NDArray[np.float64]
    by_mixture: NDArray[np.float64]

    @classmethod
    def of_leaves(cls, core: Any, n_classes: int) -> PredictedWeights:
        """Return the weights of the rows from which a tree was grown."""
        is_leaf = np.asarray(core.feature)[:, np.newaxis] == -1
        counts = np.where(is_leaf, np.reshape(core.counts, (-1, n_classes)), 0.0)
        # Without resampling the leaves' own counts are the weights of the rows that reach them: no pass is needed.
        return cls(counts, np.empty((0, n_classes + 1)), np.empty(0))

    @classmethod
    def sum(cls, several: Sequence[PredictedWeights]) -> PredictedWeights:
        """Return the weights of the rows of several parts."""
        every = np.concatenate([each.mixtures for each in several])
        mixtures, numbers = _distinct(every)
        weights = np.concatenate([each.by_mixture for each in several])
        by_node = np.add.reduce([each.by_node for each in several])
        return cls(by_node, mixtures, _sums(numbers, weights, len(mixtures)))

    def predictions(self, proba: NDArray[np.float64]) -> MemberPredictions:
        """Return the predictions of a tree with these probabilities at its nodes, one for each node and class first."""
        n_nodes, n_classes = proba.shape
        return MemberPredictions(
            np.concatenate([np.repeat(proba, n_classes, axis=0), self.mixtures[:, :-1]]),
            np.concatenate([np.tile(np.arange(n_classes), n_nodes), self.mixtures[:, -1].astype(np.intp)]),
            np.concatenate([self.by_node.ravel(), self.by_mixture]),
        )


def sum_predicted(
    state: tuple[Any, ...], proba: NDArray[np.float64], rows: BoostedWeights, part: CodedPart
) -> PredictedWeights:
    """Return the weights of the rows of a part by what a tree predicts for them; `proba` are those of its nodes."""
    n_nodes, n_classes = proba.shape
    tree, weights = _core.restore_tree(n_classes, state), rows.of_rows(part)
    nodes = leaves_of(tree, rows.bins, part)
    one, several = nodes >= 0, np.flatnonzero((nodes < 0) & (weights > 0))
    cells = nodes[one].astype(np.intp) * n_classes + part.labels[one]
    by_node = _sums(cells, weights[one], n_nodes * n_classes).reshape(n_nodes, n_classes)
    mixtures, numbers = _distinct(mixtures_of(tree, proba, rows.bins, part, several))
    return PredictedWeights(by_node, mixtures, _sums(numbers, weights[several], len(mixtures)))


def leaves_of(tree: _core.Tree, bins: Bins, part: CodedPart) -> NDArray[np.int32]:
    """Return the leaf of each row of a part; -1 where it reaches several."""
    nodes = np.zeros(part.n_rows, dtype=np.int32)
    _core.route_rows(tree, bins.table(part.matrix).core, nodes)
    return nodes


def mixtures_of(
    tree: _core.Tree, proba: NDArray[np.float64], bins: Bins, part: CodedPart, rows: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the probabilities of some rows, mixed over their leaves, and their classes in the last column."""
    mixed = np.empty((len(rows), proba.shape[1]))
    if len(rows):
        _core.predict_tree(tree, len(rows), bins.table(part.matrix[rows]).core, [proba], [mixed], 1)
    return np.column_stack([mixed, part.labels[rows]])


def _distinct(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return the distinct rows, sorted, and the position of each row among them."""
    # Rows of equal mixture and class get equal factors; few distinct ones travel instead of all rows.
    found, positions = np.unique(rows, axis=0, return_inverse=True)
    return found, positions.reshape(-1)


def _sums(cells: NDArray[np.intp], weights: NDArray[np.float64], n_cells: int) -> NDArray[np.float64]:
    return np.bincount(cells, weights, n_cells).astype(np.float64)  # without rows they are integers


@dataclass(frozen=True, eq=False)
class BoostingRound:
    """A tree, the factors of the rows at each node by class, the scale of the new weights and their exact sum.

    `mixed` are the probabilities at all nodes, the mixtures of rows that reach several leaves, and their factors.
    """

    state: tuple[Any, ...]
    factors: NDArray[np.float64]
    mixed: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]] | None = None  # None: none does
    scale: float = 1.0
    total: float | None = None  # None: the weights are not rounded yet

    def reweight(self, weights: NDArray[np.float64], bins: Bins, part: CodedPart) -> NDArray[np.float64]:
        """Return the weights of the rows of a part after the round."""
        tree = _core.restore_tree(self.factors.shape[1], self.state)
        nodes = leaves_of(tree, bins, part)
        factors = self.factors[nodes, part.labels]
        if self.mixed is not None:
            (proba, mixtures, by_mixture), rows = self.mixed, np.flatnonzero((nodes < 0) & (weights > 0))
            every = np.concatenate([mixtures, mixtures_of(tree, proba, bins, part, rows)])
            factors[rows] = by_mixture[_distinct(every)[1][len(mixtures) :]]  # the mixtures hold all of them, sorted
        scaled = weights * factors * self.scale
        return scaled if self.total is None else fixed_point_weights(scaled, self.total)


class KeptWeights:
    """The weights of the parts that this process holds, after the last round that it saw."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, int], tuple[str, int, NDArray[np.float64]]] = {}
        self._lock = Lock()

    def find(self, run: str, part: CodedPart, n_rounds: int) -> tuple[int, NDArray[np.float64] | None]:
        """Return the weights after as many rounds as are known, at most `n_rounds`."""
        with self._lock:
            of_run, known, weights = self._kept.get((part.first_row, part.n_rows), ("", 0, None))
        return (known, weights) if of_run == run and known <= n_rounds else (0, None)

    def keep(self, run: str, part: CodedPart, n_rounds: int, weights: NDArray[np.float64]) -> None:
        """Keep weights in place of those of earlier rounds and other runs."""
        with self._lock:
            # Weights of an earlier fit are dropped: a worker outlives many fits.
            self._kept = {key: each for key, each in self._kept.items() if each[0] == run}
            self._kept[part.first_row, part.n_rows] = run, n_rounds, weights


_KEPT = KeptWeights()
_KEPT_DRAWS = KeptWeights()  # every level of a tree needs them


@dataclass(frozen=True, eq=False)
class BoostedWeights:
    """The rounds so far; a worker that lost the weights of its rows computes them again from all of them."""

    bins: Bins
    rounds: tuple[BoostingRound, ...] = ()
    run: str = field(default_factory=lambda: uuid4().hex)

    def weights(self, part: CodedPart, tree: int) -> NDArray[np.float64] | None:  # noqa: ARG002
        """Return the weight of each row; None where all are 1."""
        return self.of_rows(part) if self.rounds else part.weights

    def of_rows(self, part: CodedPart) -> NDArray[np.float64]:
        """Return the weight of each row."""
        known, weights = _KEPT.find(self.run, part, len(self.rounds))
        if weights is None:
            weights = np.ones(part.n_rows) if part.weights is None else part.weights
        for each in self.rounds[known:]:
            weights = each.reweight(weights, self.bins, part)
        if self.rounds:
            _KEPT.keep(self.run, part, len(self.rounds), weights)
        return weights


def sum_weights(before: BoostedWeights, last: BoostingRound, part: CodedPart) -> ExactSums:
    """Return the exact sum of the weights of a part after one more round."""
    return ExactSums(1).add(last.reweight(before.of_rows(part), before.bins, part)[:, np.newaxis])


_PartWeight = tuple[int, int, float]  # first row, number of rows, weight


@dataclass(frozen=True, eq=False)
class DrawnWeights:
    """The weights of the rows in a round, their sum over all parts, and that before each part by its first row."""

    rows: BoostedWeights
    seed: int
    total: float
    before: dict[int, float]

    @classmethod
    def of(cls, parts: Parts, rows: BoostedWeights, seed: int) -> DrawnWeights:
        """Return the draw of rows from all parts, whose weights are added up."""
        # Dask returns parts in any order; draws go by cumulated weights in the order of the rows.
        weighed: list[_PartWeight] = sorted(parts.reduce(_weigh, rows))
        ends = list(accumulate(weight for *_, weight in weighed))
        # an empty part and the one that follows it begin at the same row, with the same weight before them
        before = {first: end - weight for (first, _, weight), end in zip(weighed, ends, strict=True)}
        return cls(rows, seed, ends[-1], before)

    def weights(self, part: CodedPart, tree: int) -> NDArray[np.float64]:
        """Return the number of times that each row is drawn for the tree of this round."""
        known, drawn = _KEPT_DRAWS.find(self.rows.run, part, tree)
        if drawn is None or known != tree:
            weights, before = self.rows.of_rows(part), self.before[part.first_row]
            drawn = draw_rows(weights, self.seed, before=before, total=self.total)
            _KEPT_DRAWS.keep(self.rows.run, part, tree, drawn)
        return drawn


def _weigh(rows: BoostedWeights, part: CodedPart) -> list[_PartWeight]:
    return [(part.first_row, part.n_rows, float(rows.of_rows(part).sum()))]


class LevelLearner:
    """Grows one tree each round; its leaves and classes stand for the rows, which get the same factor there."""

    advice = " Smaller members (max_depth, min_leaf) or resample=True avoid this."

    def __init__(
        self, parts: Parts, facts: Any, examples: TrainingSet, params: Any, seed: np.random.SeedSequence
    ) -> None:
        self._parts, self._examples, self._params, self._seed = parts, examples, params, seed
        self._rows = BoostedWeights(facts.bins)
        n_classes, n_declared = len(examples.classes), examples.n_declared
        self._plan = LevelPlan(facts.bins, n_classes, n_declared, facts.n_rows, params, self._rows)
        self._total = float(np.sum(examples.class_weights))
        self.weights: NDArray[np.float64] = np.empty(0)  # those of the rows stay with the parts
        self.is_random = params.resample or params.tie_break == "random"

    def fit(self, number: int) -> tuple[TreeReading, MemberPredictions]:
        """Grow the tree of a round; its predictions are those of each node for each class, weighted by its leaves."""
        seed = np.random.SeedSequence(stream_seed(self._seed, MEMBER_STREAM, number))
        rows: Any = self._rows
        if self._params.resample:
            rows = DrawnWeights.of(self._parts, rows, stream_seed(self._seed, DRAWS_STREAM, number))
        (core,) = replace(self._plan, row_weights=rows).grow(self._parts, {number: GrownTree.tie_seed(seed)})
        tree = self._examples.tree(core)
        grown = GrownTree.of(tree, self._examples, self._params, seed)
        member = TreeReading.of(grown, self._params.estimate, self._params)
        self._state = cast("tuple[Any, ...]", core.state)
        self._proba = np.ascontiguousarray(member.table[:, np.argsort(tree.order)])
        self._predicted = PredictedWeights.of_leaves(core, len(self._examples.classes))
        if self._params.resample:  # the leaves have counted the rows drawn
            args = self._state, self._proba, self._rows
            self._predicted = self._parts.reduce(sum_predicted, *args, merge=PredictedWeights.sum)
        return member, self._predicted.predictions(self._proba)

    def reweight(self, factors: NDArray[np.float64]) -> None:
        """Multiply the weights of the rows at each node by factors by class, and scale them to their previous sum."""
        by_node, by_mixture = np.split(factors, [self._proba.size])
        mixtures = self._predicted.mixtures
        mixed = (self._proba, mixtures, by_mixture) if len(mixtures) else None
        last = BoostingRound(self._state, by_node.reshape(self._proba.shape), mixed)
        # In two passes: the scale needs the sum of the weights, rounding the sum of the scaled ones.
        last = replace(last, scale=self._total / self._sum(last))
        last = replace(last, total=self._sum(last))
        self._rows = replace(self._rows, rounds=(*self._rows.rounds, last))

    def _sum(self, last: BoostingRound) -> float:
        sums: ExactSums = self._parts.reduce(sum_weights, self._rows, last)
        return float(sums.totals()[0])


def fit_boosting_on_cluster(estimator: Any, rows: ClusterRows) -> dict[str, Any]:
    """Return the attributes of boosted trees that the workers of a cluster have grown."""
    if rows.fits_workers:
        return rows.fit_by_one_worker(estimator)
    check_source_params(with_tree_params(estimator), "levels")
    run = Run(seed_sequence(estimator.random_state), b"")
    parts, examples = rows.number(None)
    learner = LevelLearner(rows.parts(parts), rows.facts, examples, styled(estimator), run.seed)
    boost(run, learner, ALGORITHMS[estimator.algorithm], estimator.n_trees, type(estimator).__name__)
    run.row_weights = None
    return dict(vars(estimator._store(run, examples)))
