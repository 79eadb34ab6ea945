"""The votes of neighbours, weighted by distance and summed for each class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.neighbors._search import NeighborPairs

__all__ = ["VOTES", "Ties", "VoteCount", "Weights"]

Weights = Literal["uniform", "inverse", "inverse_squared", "similarity", "gaussian"]
Ties = Literal["all", "share"]

_ALIKE = 1e-12  # of the diameter: nearer rows count as equal, since distances are rounded
_THIRD = (
    3**2
)  # the automatic width is a third of the distance of the last neighbour, which so counts 1 % of the nearest


@dataclass(frozen=True)
class VoteCount:
    """How votes are counted: distances are relative to ``diameter``, every class starts with ``start``."""

    labels: NDArray[np.int32]
    n_classes: int
    weights: NDArray[np.float64] | None
    diameter: float
    start: float
    offset: float
    bandwidth: float | None

    def probabilities(
        self, pairs: NeighborPairs, kind: Weights, n_neighbors: float, ties: Ties, tolerance: float
    ) -> Any:
        """Return the probability of each class for each query."""
        counts = np.ones(len(pairs.row)) if self.weights is None else self.weights[pairs.row]
        if ties == "share" and kind != "gaussian":
            counts = counts * _shares(pairs, counts, n_neighbors, tolerance)
        votes = counts * VOTES[kind](self, pairs)
        cells = pairs.query * self.n_classes + self.labels[pairs.row]
        sums = np.bincount(cells, votes, pairs.n_queries * self.n_classes).reshape(-1, self.n_classes) + self.start
        return sums / sums.sum(axis=1, keepdims=True)

    def relative(self, squared: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return distances relative to the diameter."""
        return np.sqrt(squared) / (self.diameter or 1.0)


def _uniform(_: VoteCount, pairs: NeighborPairs) -> NDArray[np.float64]:
    return np.ones(len(pairs.row))


def _inverse(count: VoteCount, pairs: NeighborPairs, power: int = 1) -> NDArray[np.float64]:
    """Return 1 / d relative to the nearest row; where rows equal the query, they alone count."""
    distance = count.relative(pairs.squared)
    if count.offset > 0:
        return np.asarray((distance + count.offset) ** -power)
    nearest = _least(pairs, distance)[pairs.query]
    ratio = nearest / np.maximum(distance, _ALIKE)
    return np.where(nearest <= _ALIKE, distance <= _ALIKE, ratio**power)


def _inverse_squared(count: VoteCount, pairs: NeighborPairs) -> NDArray[np.float64]:
    return _inverse(count, pairs, power=2)


def _similarity(count: VoteCount, pairs: NeighborPairs) -> NDArray[np.float64]:
    """Return 1 - d; where all are a diameter away ``start`` decides, or without one every neighbour counts 1."""
    votes = np.maximum(1 - count.relative(pairs.squared), 0)
    is_zero = np.bincount(pairs.query, votes, pairs.n_queries) + count.start == 0
    return np.where(is_zero[pairs.query], 1.0, votes)


def _gaussian(count: VoteCount, pairs: NeighborPairs) -> NDArray[np.float64]:
    """Return exp(-d^2 / 2 h^2) relative to the nearest row, so that it does not underflow for a far query."""
    beyond = pairs.squared - _least(pairs, pairs.squared)[pairs.query]
    width = pairs.limit[pairs.query] / _THIRD if count.bandwidth is None else np.float64(count.bandwidth) ** 2
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        return np.where(beyond == 0, 1.0, np.exp(-beyond / (2 * width)))


def _least(pairs: NeighborPairs, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the least of the values of each query."""
    least = np.full(pairs.n_queries, np.inf)
    np.minimum.at(least, pairs.query, values)
    return least


VOTES: dict[Weights, Callable[[VoteCount, NeighborPairs], NDArray[np.float64]]] = {
    "uniform": _uniform,
    "inverse": _inverse,
    "inverse_squared": _inverse_squared,
    "similarity": _similarity,
    "gaussian": _gaussian,
}


def _shares(
    pairs: NeighborPairs, counts: NDArray[np.float64], n_neighbors: float, tolerance: float
) -> NDArray[np.float64]:
    """Return the fraction of each row that counts: rows tied for the last places share what is left of them."""
    is_tied = pairs.squared * (1 + tolerance) ** 2 >= pairs.limit[pairs.query]
    nearer = np.bincount(pairs.query, counts * ~is_tied, pairs.n_queries)
    tied = np.bincount(pairs.query, counts * is_tied, pairs.n_queries)
    share = np.clip((n_neighbors - nearer) / tied, 0, 1)
    return np.where(is_tied, share[pairs.query], 1.0)
