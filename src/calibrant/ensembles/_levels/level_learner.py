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
from calibrant.ensembles._boosting.tree_learner import DRAWS_STREAM, MEMBER_STREAM, TreeMember
from calibrant.ensembles._levels.boosted_weights import BoostedWeights, BoostingRound, MixtureFactors, sum_weights
from calibrant.ensembles._levels.drawn_weights import DrawnWeights
from calibrant.ensembles._levels.grow_forest import check_level_params
from calibrant.ensembles._levels.predicted_weights import PredictedWeights, sum_predicted
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
    if params.dialect != "c45":
        raise ParameterError(
            "dialect must be 'c45' where trees are boosted level by level, because no worker has memory for the codes "
            f"of all rows; got {params.dialect!r}. Start workers with more memory, or pass dialect='c45'."
        )


class LevelLearner:
    """Grows one tree each round; its leaves and classes stand for the rows, which get the same factor there."""

    advice = " Smaller members (max_depth, min_leaf) or resample=True avoid this."

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
        self._rows = BoostedWeights(bins)
        self._plan = LevelPlan(bins, len(examples.classes), examples.n_declared, n_rows, params, self._rows)
        self._total = float(np.sum(examples.class_weights))
        self.weights: NDArray[np.float64] = np.empty(0)  # those of the rows stay with the parts
        self.is_random = params.resample or params.tie_break == "random"

    def fit(self, number: int) -> tuple[TreeMember, MemberPredictions]:
        """Grow the tree of a round; its predictions are those of each node for each class, weighted by its leaves."""
        seed = np.random.SeedSequence(stream_seed(self._seed, MEMBER_STREAM, number))
        (core,) = grow_levels(self._parts, self._plan_of(number), {number: tie_seed(seed)})
        examples = self._examples
        tree = Tree(core, examples.order, examples.classes, self._plan.bins.schema)
        grown = GrownTree.of_source(tree, examples, self._params, seed)
        member = TreeMember(tree, TreeReading.of(grown, self._params.estimate, self._params))
        self._state = cast("tuple[Any, ...]", core.state)
        self._proba = np.ascontiguousarray(member.reading.table[:, np.argsort(tree.order)])
        self._predicted = self._predicted_weights(core)
        return member, self._predicted.predictions(self._proba)

    def _plan_of(self, number: int) -> LevelPlan:
        """Return the plan of a round: with the weights of the rows, or with how often they are drawn."""
        if not self._params.resample:
            return replace(self._plan, row_weights=self._rows)
        drawn = DrawnWeights.of(self._parts, self._rows, stream_seed(self._seed, DRAWS_STREAM, number))
        return replace(self._plan, row_weights=drawn)

    def _predicted_weights(self, core: Any) -> PredictedWeights:
        """Return the weights of all rows by what a tree predicts: those of its leaves unless its rows were drawn."""
        if not self._params.resample:
            return PredictedWeights.of_leaves(core, len(self._examples.classes))
        args = self._state, self._proba, self._rows
        found: PredictedWeights = self._parts.reduce(sum_predicted, *args, merge=PredictedWeights.sum)
        return found

    def reweight(self, factors: NDArray[np.float64]) -> None:
        """Multiply the weights of the rows at each node by factors by class, and scale them to their previous sum."""
        by_node, by_mixture = np.split(factors, [self._proba.size])
        mixtures = self._predicted.mixtures
        mixed = MixtureFactors(self._proba, mixtures, by_mixture) if len(mixtures) else None
        last = BoostingRound(self._state, by_node.reshape(self._proba.shape), mixed)
        last = replace(last, scale=self._total / self._sum(last))
        last = replace(last, total=self._sum(last))
        self._rows = replace(self._rows, rounds=(*self._rows.rounds, last))

    def _sum(self, last: BoostingRound) -> float:
        sums: ExactSums = self._parts.reduce(sum_weights, self._rows, last, merge=_added)
        return float(sums.totals()[0])


def _added(several: Sequence[ExactSums]) -> ExactSums:
    return reduce(add, several)
