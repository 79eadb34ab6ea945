"""Several readings of one search: votes for every number of neighbours and every weighting from the same distances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from calibrant.neighbors._search import NeighborPairs, Neighbours

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.neighbors._space import Points
    from calibrant.neighbors._votes import VoteCount

__all__ = ["RowsByClass"]


@dataclass(frozen=True, eq=False)
class RowsByClass:
    """Training rows in the order of their classes, so that the votes for a class stand side by side."""

    neighbours: Neighbours
    labels: NDArray[np.int32]
    first: NDArray[np.intp]  # the first row of each class
    n_classes: int

    @classmethod
    def of(cls, neighbours: Neighbours, labels: NDArray[np.int32], n_classes: int) -> RowsByClass:
        """Return rows in the order of their classes."""
        order = np.argsort(labels, kind="stable")
        weights = None if neighbours.weights is None else neighbours.weights[order]
        ordered = replace(neighbours, points=neighbours.points.take(order), weights=weights)
        return cls(ordered, labels[order], np.searchsorted(labels[order], np.arange(n_classes)), n_classes)

    def read(self, queries: Points, counts: Sequence[VoteCount]) -> list[NDArray[np.float64]]:
        """Return the class probabilities of queries by each reading; none depends on the others."""
        block = _Block(self, self.neighbours.all_squared(queries), len(counts) > 1)
        return [
            count.probabilities(block.sums(count))
            if count.ties == "all" or count.kind == "gaussian"
            else block.shared(count)
            for count in counts
        ]


@dataclass(eq=False)
class _Block:
    """The squared distances of a block of queries from all rows, and what several readings use of them."""

    rows: RowsByClass
    squared: NDArray[np.float64]
    is_shared: bool
    _totals: dict[tuple[str, float, bool], list[NDArray[np.float64]]] = field(default_factory=dict)
    _ends: dict[tuple[float, float], NDArray[np.intp]] = field(default_factory=dict)

    def sums(self, count: VoteCount) -> NDArray[np.float64]:
        """Return the sum of the votes for each class."""
        return self._kernel_sums(count) if count.kind == "gaussian" else self._near_sums(count)

    def shared(self, count: VoteCount) -> NDArray[np.float64]:
        """Return the class probabilities where rows tied for the last places share them."""
        is_near = np.arange(self.order.shape[1]) < self._end(count)[:, np.newaxis]
        query, column = np.nonzero(is_near)
        found = self.order[query, column], self.sorted[query, column], self._limit(count.n_neighbors)
        pairs = NeighborPairs(len(self.squared), query, *found)
        return count.of_pairs(pairs, self.rows.labels, self.rows.neighbours.weights, self.rows.n_classes)

    def _kernel_sums(self, count: VoteCount) -> NDArray[np.float64]:
        limit = self._limit(count.n_neighbors) if count.bandwidth is None else self.least
        votes = count.kernel_votes(self.beyond, limit, self.buffer)
        if self.rows.neighbours.weights is not None:
            votes *= self.rows.neighbours.weights
        return np.add.reduceat(votes, self.rows.first, axis=1)

    def _near_sums(self, count: VoteCount) -> NDArray[np.float64]:
        """Return sums from near to far, as many as there are neighbours: all numbers of them share the running sums."""
        key = (count.kind, count.offset, count.start == 0)
        if key not in self._totals:
            self._totals[key] = self._running_sums(count)
        queries, last = np.arange(len(self.squared)), self._end(count) - 1
        return np.stack([total[queries, last] for total in self._totals[key]], axis=1)

    def _running_sums(self, count: VoteCount) -> list[NDArray[np.float64]]:
        votes, labels = count.votes(self.sorted, self.sorted[:, :1]), self.rows.labels[self.order]
        if self.rows.neighbours.weights is not None:
            votes = votes * self.rows.neighbours.weights[self.order]
        return [np.cumsum(np.where(labels == code, votes, 0.0), axis=1) for code in range(self.rows.n_classes)]

    def _end(self, count: VoteCount) -> NDArray[np.intp]:
        """Return the number of neighbours of each query, with all that tie for the last place."""
        key = (count.n_neighbors, count.tolerance)
        if key not in self._ends:
            self._ends[key] = self._find_end(self._limit(count.n_neighbors) * (1 + count.tolerance) ** 2, count)
        return self._ends[key]

    def _find_end(self, farthest: NDArray[np.float64], count: VoteCount) -> NDArray[np.intp]:
        """Return the number of rows within squared distances; most often those requested, without any tie."""
        n_rows = self.sorted.shape[1]
        expected = min(int(count.n_neighbors), n_rows)
        is_end = (self.sorted[:, expected - 1] <= farthest) if expected else np.zeros(len(farthest), dtype=bool)
        if expected < n_rows:
            is_end &= self.sorted[:, expected] > farthest
        ends = np.full(len(farthest), expected)
        others = np.flatnonzero(~is_end)
        ends[others] = (self.sorted[others] <= farthest[others, np.newaxis]).sum(axis=1)
        return ends

    def _limit(self, n_neighbors: float) -> NDArray[np.float64]:
        """Return the squared distance of the last neighbour of each query."""
        neighbours = self.rows.neighbours
        if not self.is_shared or neighbours.weights is not None:
            return neighbours.limit(self.squared, n_neighbors)
        return self.sorted[:, min(int(np.ceil(n_neighbors)), self.sorted.shape[1]) - 1]

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """The rows from near to far; only with weights does the order of ties matter."""
        return np.argsort(self.squared, axis=1, kind=None if self.rows.neighbours.weights is None else "stable")

    @cached_property
    def sorted(self) -> NDArray[np.float64]:
        """The squared distances from near to far."""
        return np.take_along_axis(self.squared, self.order, axis=1)

    @cached_property
    def least(self) -> NDArray[np.float64]:
        """The squared distance of the nearest row."""
        return np.asarray(self.squared.min(axis=1))

    @cached_property
    def beyond(self) -> NDArray[np.float64]:
        """The squared distances beyond the least of each query."""
        return self.squared - self.least[:, np.newaxis]

    @cached_property
    def buffer(self) -> NDArray[np.float64]:
        """Space for votes."""
        return np.empty_like(self.squared)
