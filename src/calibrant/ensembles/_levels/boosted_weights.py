"""The weights of the rows of a part in each round of boosting, from the trees of the rounds before."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from calibrant import _core
from calibrant._exact_sums import ExactSums
from calibrant.ensembles._levels.predicted_weights import find_mixtures, leaves_of, mixtures_of
from calibrant.trees._internal import fixed_point_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Bins, CodedPart

__all__ = ["BoostedWeights", "BoostingRound", "KeptWeights", "MixtureFactors", "sum_weights"]


@dataclass(frozen=True, eq=False)
class MixtureFactors:
    """The factors of rows that reach several leaves, by mixture and class; `proba` are those of all nodes."""

    proba: NDArray[np.float64]
    mixtures: NDArray[np.float64]
    factors: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BoostingRound:
    """A tree, the factors of the rows at each node by class, the scale of the new weights and their exact sum."""

    state: tuple[Any, ...]
    factors: NDArray[np.float64]
    mixed: MixtureFactors | None = None  # None: every row reaches one leaf
    scale: float = 1.0
    total: float | None = None  # None: the weights are not rounded yet

    def reweight(self, weights: NDArray[np.float64], bins: Bins, part: CodedPart) -> NDArray[np.float64]:
        """Return the weights of the rows of a part after the round."""
        tree = _core.restore_tree(self.factors.shape[1], self.state)
        nodes = leaves_of(tree, bins, part)
        factors = self.factors[nodes, part.labels]
        if self.mixed is not None:
            rows = np.flatnonzero((nodes < 0) & (weights > 0))
            mixtures = mixtures_of(tree, self.mixed.proba, bins, part, rows)
            factors[rows] = self.mixed.factors[find_mixtures(self.mixed.mixtures, mixtures)]
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
            self._kept = {key: each for key, each in self._kept.items() if each[0] == run}
            self._kept[part.first_row, part.n_rows] = run, n_rounds, weights


_KEPT = KeptWeights()


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
