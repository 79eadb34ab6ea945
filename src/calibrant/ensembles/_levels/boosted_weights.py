"""The weights of the rows of a part in each round of boosting, from the trees of the rounds before."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from calibrant import _core
from calibrant._exact_sums import ExactSums
from calibrant.trees._internal import fixed_point_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Bins, CodedPart

__all__ = ["BoostedWeights", "BoostingRound", "sum_weights"]


@dataclass(frozen=True, eq=False)
class BoostingRound:
    """A tree, the factors of the rows at each node by class, the scale of the new weights and their exact sum."""

    state: tuple[Any, ...]
    factors: NDArray[np.float64]
    scale: float = 1.0
    total: float | None = None  # None: the weights are not rounded yet

    def reweight(self, weights: NDArray[np.float64], bins: Bins, part: CodedPart) -> NDArray[np.float64]:
        """Return the weights of the rows of a part after the round."""
        nodes = np.zeros(part.n_rows, dtype=np.int32)
        tree = _core.restore_tree(self.factors.shape[1], self.state)
        _core.route_rows(tree, bins.table(part.matrix).core, nodes)
        scaled = weights * self.factors[nodes, part.labels] * self.scale
        return scaled if self.total is None else fixed_point_weights(scaled, self.total)


class _KeptWeights:
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


_KEPT = _KeptWeights()


@dataclass(frozen=True, eq=False)
class BoostedWeights:
    """The rounds so far; a worker that lost the weights of its rows computes them again from all of them."""

    bins: Bins
    rounds: tuple[BoostingRound, ...] = ()
    run: str = field(default_factory=lambda: uuid4().hex)

    def weights(self, part: CodedPart, tree: int) -> NDArray[np.float64] | None:  # noqa: ARG002
        """Return the weight of each row; None where all are 1."""
        if not self.rounds:
            return part.weights
        known, weights = _KEPT.find(self.run, part, len(self.rounds))
        if weights is None:
            weights = np.ones(part.n_rows) if part.weights is None else part.weights
        for each in self.rounds[known:]:
            weights = each.reweight(weights, self.bins, part)
        _KEPT.keep(self.run, part, len(self.rounds), weights)
        return weights


def sum_weights(before: BoostedWeights, last: BoostingRound, part: CodedPart) -> ExactSums:
    """Return the exact sum of the weights of a part after one more round."""
    weights = before.weights(part, 0)
    old = np.ones(part.n_rows) if weights is None else weights
    return ExactSums(1).add(last.reweight(old, before.bins, part)[:, np.newaxis])
