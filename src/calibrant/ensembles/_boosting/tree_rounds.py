"""Trees as members of boosting: each grown on one coded table, whose rows weigh otherwise in every round."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

import numpy as np

from calibrant._random import stream, stream_seed
from calibrant.ensembles._boosting.algorithms import Answers
from calibrant.trees._internal import Growth, Reading, TreeParams, answers, grow, read_tree, set_aside

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Rows
    from calibrant.trees._internal import Examples, Tree

__all__ = ["TreeMember", "TreeRounds"]

# Where the streams of one fit are used.
_MEMBER, _RESAMPLE = 0, 1


class _Params(TreeParams, Protocol):
    resample: bool


class TreeMember(NamedTuple):
    """A tree and how it answers."""

    tree: Tree
    reading: Reading

    def answers(self, rows: Rows, n_jobs: int | None) -> NDArray[np.float64]:
        """Give the probabilities of the classes, in the order in which these were declared."""
        found = answers(self.tree, rows, [self.reading], n_jobs)[0]
        order = self.tree.order
        return found if (order == np.arange(len(order))).all() else found[:, np.argsort(order)]


class TreeRounds:
    """Learns a tree a round from coded rows: from their weights, or from as many rows drawn by their weights."""

    advice = " Smaller members (max_depth, min_leaf, prune) or resample=True would go on."

    def __init__(self, examples: Examples, params: _Params, seed: np.random.SeedSequence) -> None:
        self._examples, self._params, self._seed = examples, params, seed
        self.weights = np.ones(examples.n_rows) if examples.weights is None else examples.weights
        self._cases = None if params.resample else self.weights  # reweighing makes a row no more of a case than it was
        self._total = float(self.weights.sum())
        draws = params.honest or params.prune == "reduced_error" or params.tie_break == "random"
        self.can_differ = params.resample or draws

    def learn(self, number: int) -> tuple[TreeMember, Answers]:
        """Grow the tree of a round, and send all rows down it."""
        member = self._grow(number)
        return member, Answers(member.answers(self._rows(member), self._params.n_jobs), self._labels, self.weights)

    def reweigh(self, factors: NDArray[np.float64]) -> None:
        """Multiply the weights of the rows, and scale them to the sum they had."""
        weights = self.weights * factors
        self.weights = weights * (self._total / weights.sum())

    def _grow(self, number: int) -> TreeMember:
        seed = np.random.SeedSequence(stream_seed(self._seed, _MEMBER, number))
        examples = replace(self._examples, weights=self._learnt_weights(number), cases=self._cases)
        parts = set_aside(examples, self._params, seed)
        growth = Growth(grow(examples, parts, self._params, seed), examples, parts, self._params, seed)
        return TreeMember(growth.tree, read_tree(growth, self._params.estimate, self._params))

    def _learnt_weights(self, number: int) -> NDArray[np.float64] | None:
        if not self._params.resample:
            return None if (self.weights == 1).all() else self.weights
        chances = self.weights / self.weights.sum()
        drawn = stream(self._seed, _RESAMPLE, number).multinomial(max(1, round(self._total)), chances)
        return drawn.astype(np.float64)

    def _rows(self, member: TreeMember) -> Rows:
        """Give the training rows as coded, or as they passed the door where the estimate looks at the rows itself."""
        coded = cast("Any", self._examples.table.core)
        return self._examples.n_rows, coded if member.reading.reader is None else self._columns

    @cached_property
    def _columns(self) -> list[NDArray[Any]]:
        rows = np.arange(self._examples.n_rows)
        return [self._examples.column(j, rows) for j in range(self._examples.table.n_columns)]

    @property
    def _labels(self) -> NDArray[np.uint16]:
        return self._examples.labels
