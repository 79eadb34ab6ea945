"""Trees as members of boosting, grown level by level from parts of the rows, whose weights change in every round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from calibrant._random import stream_seed
from calibrant.ensembles._boosting.adaboost_variants import MemberPredictions
from calibrant.ensembles._boosting.tree_learner import MEMBER_STREAM, TreeMember
from calibrant.ensembles._levels.boosted_weights import BoostedWeights, BoostingRound, sum_weights
from calibrant.ensembles._levels.grow_forest import check_level_params
from calibrant.exceptions import ParameterError
from calibrant.trees import Tree
from calibrant.trees._internal import GrownTree, LevelPlan, TreeReading, grow_levels, tie_seed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant._exact_sums import ExactSums
    from calibrant.data._internal import Bins
    from calibrant.trees._internal import ExamplesWithoutRows, Parts

__all__ = ["LevelLearner", "check_boosting_params"]


def check_boosting_params(params: Any) -> None:
    """Raise if a parameter needs the rows of all parts at one place."""
    check_level_params(params)
    for name, needed in (("resample", False), ("dialect", "c45")):
        value = getattr(params, name)
        if value != needed:
            raise ParameterError(
                f"{name} must be {needed!r} where trees are boosted level by level, because no worker has memory for "
                f"the codes of all rows; got {value!r}. Start workers with more memory, or pass {name}={needed!r}."
            )


class LevelLearner:
    """Grows one tree each round; its leaves and classes stand for the rows, which get the same factor there."""

    advice = " Smaller members (max_depth, min_leaf) avoid this."

    def __init__(
        self,
        parts: Parts,
        bins: Bins,
        examples: ExamplesWithoutRows,
        params: Any,
        seed: np.random.SeedSequence,
        n_rows: int,
    ) -> None:
        check_boosting_params(params)
        self._parts, self._examples, self._params, self._seed = parts, examples, params, seed
        n_classes = len(examples.classes)
        self._plan = LevelPlan(bins, n_classes, examples.n_declared, n_rows, params, BoostedWeights(bins))
        self._total = float(np.sum(examples.class_weights))
        self._member: TreeMember | None = None
        self.weights: NDArray[np.float64] = np.empty(0)  # those of the rows stay with the parts
        self.is_random = params.tie_break == "random"

    @property
    def _row_weights(self) -> BoostedWeights:
        return cast("BoostedWeights", self._plan.row_weights)

    def fit(self, number: int) -> tuple[TreeMember, MemberPredictions]:
        """Grow the tree of a round; its predictions are those of each node for each class, weighted by its leaves."""
        seed = np.random.SeedSequence(stream_seed(self._seed, MEMBER_STREAM, number))
        (core,) = grow_levels(self._parts, self._plan, {number: tie_seed(seed)})
        examples = self._examples
        tree = Tree(core, examples.order, examples.classes, self._plan.bins.schema)
        grown = GrownTree.of_source(tree, examples, self._params, seed)
        self._member = TreeMember(tree, TreeReading.of(grown, self._params.estimate, self._params))
        return self._member, self._predictions(self._member, core)

    def _predictions(self, member: TreeMember, core: Any) -> MemberPredictions:
        n_classes = len(self._examples.classes)
        proba = member.reading.table[:, np.argsort(member.tree.order)]
        counts = np.where(np.asarray(core.feature)[:, np.newaxis] == -1, np.reshape(core.counts, (-1, n_classes)), 0.0)
        labels = np.tile(np.arange(n_classes), len(proba))
        return MemberPredictions(np.repeat(proba, n_classes, axis=0), labels, counts.ravel())

    def reweight(self, factors: NDArray[np.float64]) -> None:
        """Multiply the weights of the rows at each node by factors by class, and scale them to their previous sum."""
        core = cast("TreeMember", self._member).tree.core
        last = BoostingRound(cast("tuple[Any, ...]", core.state), factors.reshape(core.n_nodes, -1))
        last = replace(last, scale=self._total / self._sum(last))
        last = replace(last, total=self._sum(last))
        row_weights = replace(self._row_weights, rounds=(*self._row_weights.rounds, last))
        self._plan = replace(self._plan, row_weights=row_weights)

    def _sum(self, last: BoostingRound) -> float:
        sums: ExactSums = self._parts.reduce(sum_weights, self._row_weights, last, merge=_added)
        return float(sums.totals()[0])


def _added(several: Sequence[ExactSums]) -> ExactSums:
    return reduce(add, several)
