"""The votes of neighbours, weighted by distance, and how they are counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.neighbors._search import NeighborPairs

__all__ = ["VOTES", "WEIGHTS", "Ties", "VoteCount", "Weights"]

Weights = Literal["uniform", "inverse", "inverse_squared", "similarity", "gaussian"]
Ties = Literal["all", "share"]
WEIGHTS: tuple[Weights, ...] = get_args(Weights)

_ALIKE = 1e-12  # of the diameter: nearer rows count as equal, since distances are rounded
_THIRD = 3**2  # the automatic width is a third of the last neighbour's distance, which so counts 1 % of the nearest
_STEEPEST = -np.finfo(np.float64).max  # of a kernel of width 0: rows at the least distance count 1, others 0


@dataclass(frozen=True)
class VoteCount:
    """How the votes of nearest rows are counted: one reading of a search.

    Distances are relative to ``diameter``, and every class starts with ``start``.
    """

    n_neighbors: float
    kind: Weights
    ties: Ties
    tolerance: float
    diameter: float
    start: float
    offset: float
    bandwidth: float | None

    def of_pairs(
        self, pairs: NeighborPairs, labels: NDArray[np.int32], weights: NDArray[np.float64] | None, n_classes: int
    ) -> NDArray[np.float64]:
        """Return the probability of each class for each query, from votes that are summed from near to far."""
        counts = np.ones(len(pairs.row)) if weights is None else weights[pairs.row]
        if self.ties == "share":
            counts = counts * _shares(pairs, counts, self.n_neighbors, self.tolerance)
        votes = counts * self.votes(pairs.squared, _least(pairs)[pairs.query])
        cells = pairs.query * n_classes + labels[pairs.row]
        sums: NDArray[np.float64] = np.bincount(cells, votes, pairs.n_queries * n_classes).astype(np.float64)
        return self.probabilities(sums.reshape(-1, n_classes))

    def votes(self, squared: NDArray[np.float64], least: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the votes of rows at squared distances, the least of which is that of the nearest row."""
        return VOTES[self.kind](self, squared, least)

    def kernel_votes(
        self, beyond: NDArray[np.float64], limit: NDArray[np.float64], out: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return exp(-d^2 / 2 h^2) relative to the nearest row, so that it does not underflow for a far query."""
        width = limit / _THIRD if self.bandwidth is None else np.full_like(limit, np.float64(self.bandwidth) ** 2)
        with np.errstate(divide="ignore", over="ignore"):
            factor = np.maximum(-0.5 / width, _STEEPEST)
            return np.exp(np.multiply(beyond, factor[:, np.newaxis], out=out), out=out)

    def probabilities(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the class probabilities of queries from the sums of votes for each class."""
        sums = sums + self.start
        return np.asarray(sums / sums.sum(axis=1, keepdims=True))

    def relative(self, squared: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return distances relative to the diameter."""
        return np.sqrt(squared) / (self.diameter or 1.0)


def _uniform(_: VoteCount, squared: NDArray[np.float64], _nearest: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.ones_like(squared)


def _inverse(
    count: VoteCount, squared: NDArray[np.float64], least: NDArray[np.float64], power: int = 1
) -> NDArray[np.float64]:
    """Return 1 / d relative to the nearest row; where rows equal the query, they alone count."""
    distance = count.relative(squared)
    if count.offset > 0:
        return np.asarray((distance + count.offset) ** -power)
    nearest = count.relative(least)
    ratio = nearest / np.maximum(distance, _ALIKE)
    return np.where(nearest <= _ALIKE, distance <= _ALIKE, ratio**power)


def _inverse_squared(count: VoteCount, squared: NDArray[np.float64], least: NDArray[np.float64]) -> NDArray[np.float64]:
    return _inverse(count, squared, least, power=2)


def _similarity(count: VoteCount, squared: NDArray[np.float64], least: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 - d; where all are a diameter away ``start`` decides, or without one every neighbour counts 1."""
    is_zero = np.maximum(1 - count.relative(least), 0) + count.start == 0  # then the votes of farther rows are 0 too
    return np.where(is_zero, 1.0, np.maximum(1 - count.relative(squared), 0))


def _least(pairs: NeighborPairs) -> NDArray[np.float64]:
    """Return the least squared distance of each query."""
    least = np.full(pairs.n_queries, np.inf)
    np.minimum.at(least, pairs.query, pairs.squared)
    return least


VOTES: dict[Weights, Callable[[VoteCount, NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]] = {
    "uniform": _uniform,
    "inverse": _inverse,
    "inverse_squared": _inverse_squared,
    "similarity": _similarity,
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
