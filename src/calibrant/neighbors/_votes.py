"""What neighbours say of a row: votes that count by distance, added up for each class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.neighbors._search import Found

__all__ = ["VOTES", "Ballot", "Ties", "Weights"]

Weights = Literal["uniform", "inverse", "inverse_squared", "similarity", "gaussian"]
Ties = Literal["all", "share"]

_ALIKE = 1e-12  # shares of the diameter: nearer rows are taken for the same
_THIRD = 3**2  # of the distance of the last place, in a kernel width


@dataclass(frozen=True)
class Ballot:
    """How votes are counted: distances become shares of ``diameter``, every class starts with ``start``."""

    labels: NDArray[np.int32]
    n_classes: int
    weights: NDArray[np.float64] | None
    diameter: float
    start: float
    offset: float
    bandwidth: float | None

    def probabilities(self, found: Found, kind: Weights, places: float, ties: Ties, tolerance: float) -> Any:
        """Give the probability of each class for each query."""
        counts = np.ones(len(found.row)) if self.weights is None else self.weights[found.row]
        if ties == "share" and kind != "gaussian":
            counts = counts * _shares(found, counts, places, tolerance)
        votes = counts * VOTES[kind](self, found)
        cells = found.query * self.n_classes + self.labels[found.row]
        sums = np.bincount(cells, votes, found.n_queries * self.n_classes).reshape(-1, self.n_classes) + self.start
        return sums / sums.sum(axis=1, keepdims=True)

    def relative(self, squared: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give distances as shares of the diameter."""
        return np.sqrt(squared) / (self.diameter or 1.0)


def _uniform(_: Ballot, found: Found) -> NDArray[np.float64]:
    return np.ones(len(found.row))


def _inverse(ballot: Ballot, found: Found, power: int = 1) -> NDArray[np.float64]:
    """Count 1 / d relative to the nearest row; where rows are the same as the query, they alone count."""
    distance = ballot.relative(found.squared)
    if ballot.offset > 0:
        return np.asarray((distance + ballot.offset) ** -power)
    nearest = _least(found, distance)[found.query]
    ratio = nearest / np.maximum(distance, _ALIKE)
    return np.where(nearest <= _ALIKE, distance <= _ALIKE, ratio**power)


def _inverse_squared(ballot: Ballot, found: Found) -> NDArray[np.float64]:
    return _inverse(ballot, found, power=2)


def _similarity(ballot: Ballot, found: Found) -> NDArray[np.float64]:
    """Count 1 - d; where all are a whole diameter away the start answers, or without one every neighbour alike."""
    votes = np.maximum(1 - ballot.relative(found.squared), 0)
    is_mute = np.bincount(found.query, votes, found.n_queries) + ballot.start == 0
    return np.where(is_mute[found.query], 1.0, votes)


def _gaussian(ballot: Ballot, found: Found) -> NDArray[np.float64]:
    """Count exp(-d^2 / 2 h^2) relative to the nearest row, so that a far query is answered too."""
    beyond = found.squared - _least(found, found.squared)[found.query]
    width = found.limit[found.query] / _THIRD if ballot.bandwidth is None else np.float64(ballot.bandwidth) ** 2
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        return np.where(beyond == 0, 1.0, np.exp(-beyond / (2 * width)))


def _least(found: Found, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the least of the values of each query."""
    least = np.full(found.n_queries, np.inf)
    np.minimum.at(least, found.query, values)
    return least


VOTES: dict[Weights, Callable[[Ballot, Found], NDArray[np.float64]]] = {
    "uniform": _uniform,
    "inverse": _inverse,
    "inverse_squared": _inverse_squared,
    "similarity": _similarity,
    "gaussian": _gaussian,
}


def _shares(found: Found, counts: NDArray[np.float64], places: float, tolerance: float) -> NDArray[np.float64]:
    """Give what is left of the places to the rows that tie for them, each in proportion to its weight."""
    is_tied = found.squared * (1 + tolerance) ** 2 >= found.limit[found.query]
    nearer = np.bincount(found.query, counts * ~is_tied, found.n_queries)
    tied = np.bincount(found.query, counts * is_tied, found.n_queries)
    share = np.clip((places - nearer) / tied, 0, 1)
    return np.where(is_tied, share[found.query], 1.0)
