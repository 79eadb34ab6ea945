"""Votes of neighbours, read for every number of them and every weighting from the same distances.

The grid of numbers is that of Caruana & Niculescu-Mizil (2005).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from calibrant._params import Int, check_param
from calibrant.neighbors._search import NeighborPairs, Neighbours
from calibrant.neighbors._space import Points


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


Weights = Literal["uniform", "inverse", "inverse_squared", "similarity", "gaussian"]
Ties = Literal["all", "share"]
WEIGHTS: tuple[Weights, ...] = get_args(Weights)

_ALIKE = 1e-12  # of the diameter: nearer rows count as equal, since distances are rounded
_THIRD = 3**2  # the automatic width is a third of the last neighbour's distance, which so counts 1 % of the nearest
_STEEPEST = -np.finfo(np.float64).max  # of a kernel of width 0: rows at the least distance count 1, others 0


@dataclass(frozen=True)
class VoteCount:
    """The rule by which votes of nearest rows are counted: one reading of a search.

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


def grid_of_k(n_rows: int, size: int = 26) -> list[int]:
    """Return numbers of neighbours from 1 to all rows in about geometric progression.

    Parameters
    ----------
    n_rows : int
        Number of training rows; in cross-validation that of a split.
    size : int
        Number of values, evenly spaced in their logarithms and rounded, small ones to numbers that differ; all numbers
        where there are fewer rows.

    Returns
    -------
    list of int
        Ascending, without repetitions; the first is 1 and the last `n_rows`.

    References
    ----------
    R. Caruana and A. Niculescu-Mizil, "Predicting good probabilities with supervised learning", 2005, who take 26
    numbers between 1 and the number of rows, but do not print them.

    Examples
    --------
    >>> grid_of_k(4000)[:12], len(grid_of_k(4000))
    ([1, 2, 3, 4, 5, 6, 7, 10, 14, 20, 28, 38], 26)
    """
    check_param("n_rows", n_rows, Int(1))
    check_param("size", size, Int(2))
    size = min(size, n_rows)
    rounded = np.round(np.geomspace(1, n_rows, size)).astype(np.int64)
    positions = np.arange(size)
    differing = np.maximum.accumulate(rounded - positions) + positions  # each more than the one before
    return [int(k) for k in np.minimum(differing, n_rows - positions[::-1])]
