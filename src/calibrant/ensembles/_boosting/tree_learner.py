"""Trees as members of boosting: all are grown on one coded table, whose row weights change in every round."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._exact_sums import fixed_point_weights
from calibrant._random import stream_seed
from calibrant.ensembles._boosting.boosting_loop import MemberPredictions
from calibrant.trees._internal import GrownTree, TrainingSet, TreeReading

_DRAWS_BITS = 32  # draws are split by a bit each, which takes 0.1 s for each halving of so many


def draw_rows(
    weights: NDArray[np.float64], seed: int, *, before: float = 0.0, total: float | None = None
) -> NDArray[np.float64]:
    """Return the number of times that each row is drawn, of as many draws as the weights of all rows add up to.

    Each draw is a point on the axis of cumulative weights, where `before` is the weight of the rows before these and
    `total` that of all rows. Weights whose sums are exact are drawn the same whatever the parts. From a total of 2^32
    on, a draw counts as the least power of two with which there are fewer than 2^32 draws.

    Examples
    --------
    >>> weights = np.array([1.0, 0.0, 6.0, 2.0, 0.5, 0.5])
    >>> draw_rows(weights, 3)
    array([2., 0., 4., 3., 1., 0.])
    >>> draw_rows(weights[3:], 3, before=7.0, total=10.0)
    array([3., 1., 0.])
    """
    edges = before + np.concatenate([[0.0], np.cumsum(weights)])
    total = float(edges[-1]) if total is None else total
    # A power of two, so that draws times unit are exact where the weights sum to more than the draws may.
    unit = math.ldexp(1.0, max(0, math.frexp(total)[1] - _DRAWS_BITS))
    return np.asarray(_core.draw_by_weight(seed, max(1, round(total / unit)), total, edges)) * unit


# Keys of the random streams of one fit.
MEMBER_STREAM, DRAWS_STREAM = 0, 1


class TreeLearner:
    """Grows one tree each round on coded rows: on the weighted rows, or on as many rows drawn by weight."""

    advice = " Smaller members (max_depth, min_leaf, prune) or resample=True avoid this."

    def __init__(self, examples: TrainingSet, params: Any, seed: np.random.SeedSequence) -> None:
        self._examples, self._params, self._seed = examples, params, seed
        self.weights = np.ones(examples.n_rows) if examples.weights is None else examples.weights
        self._cases = None if params.resample else self.weights  # J48 counts cases, which reweighting does not change
        self._total = float(self.weights.sum())
        draws = params.honest or params.prune == "reduced_error" or params.tie_break == "random"
        self.is_random = params.resample or draws

    def fit(self, number: int) -> tuple[TreeReading, MemberPredictions]:
        """Grow the tree of a round, and send all rows down it."""
        member = self._grow(number)
        # The training rows as coded, or as validated where the estimate looks at the rows themselves
        rows = self._examples.n_rows, cast("Any", self._examples.table.core if member.reader is None else self._columns)
        proba = member.declared_proba(rows, self._params.n_jobs)
        return member, MemberPredictions(proba, self._examples.labels, self.weights)

    def reweight(self, factors: NDArray[np.float64]) -> None:
        """Multiply the weights of the rows, and scale them to their previous sum."""
        weights = self.weights * factors
        if self._examples.is_binned:  # sums that no partition of the rows changes, as trees of parts need them
            scaled = weights * (self._total / math.fsum(weights))
            self.weights = fixed_point_weights(scaled, math.fsum(scaled))
        else:
            self.weights = weights * (self._total / weights.sum())

    def _grow(self, number: int) -> TreeReading:
        seed = np.random.SeedSequence(stream_seed(self._seed, MEMBER_STREAM, number))
        # Without weights the core counts rows in whole numbers.
        weights = None if not self._params.resample and (self.weights == 1).all() else self.weights
        if self._params.resample:
            weights = draw_rows(self.weights, stream_seed(self._seed, DRAWS_STREAM, number))
        examples = replace(self._examples, weights=weights, cases=self._cases).with_exact_sums()
        return TreeReading.of(GrownTree.grow(examples, self._params, seed), self._params.estimate, self._params)

    @cached_property
    def _columns(self) -> list[NDArray[Any]]:
        rows = np.arange(self._examples.n_rows)
        return [self._examples.column(j, rows) for j in range(self._examples.table.n_columns)]
