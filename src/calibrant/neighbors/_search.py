"""The rows nearest to others, ties and weights included: by scikit-learn's indices, or by all distances in blocks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np
from sklearn.neighbors import NearestNeighbors

from calibrant.neighbors._space import Points, Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Algorithm", "Found", "Neighbours", "in_blocks"]

T = TypeVar("T")
Algorithm = Literal["auto", "kd_tree", "ball_tree", "brute"]

_MOST_COORDINATES = 256
_MOST_CELLS = 2**20  # of a block: 8 MiB for an array of distances
_SURPLUS = 8  # rows asked of an index beyond those needed, for ties
_SLACK = 1e-9  # weights that add up to a whole number but for rounding reach it


@dataclass(frozen=True)
class Found:
    """Pairs of a query and a row near it, and for each query the squared distance at which its places are filled."""

    n_queries: int
    query: NDArray[np.intp]
    row: NDArray[np.intp]
    squared: NDArray[np.float64]
    limit: NDArray[np.float64]

    @classmethod
    def within(
        cls, squared: NDArray[np.float64], limit: NDArray[np.float64], rows: NDArray[np.intp] | None, tolerance: float
    ) -> Found:
        """Keep what lies within each limit, and what lies beyond by rounding; ``rows`` says what the columns are."""
        query, column = np.nonzero(squared <= (limit * (1 + tolerance) ** 2)[:, None])
        row = column if rows is None else rows[query, column]
        return cls(len(squared), query, row, squared[query, column], limit)

    @classmethod
    def merge(cls, parts: list[tuple[NDArray[np.intp], Found]], n_queries: int) -> Found:
        """Put together what was found for some of the queries and for the others."""
        limit = np.empty(n_queries)
        for places, part in parts:
            limit[places] = part.limit
        query = np.concatenate([places[part.query] for places, part in parts])
        row = np.concatenate([part.row for _, part in parts])
        return cls(n_queries, query, row, np.concatenate([part.squared for _, part in parts]), limit)


@dataclass(frozen=True)
class Neighbours:
    """Training rows to be found again; ``weights`` is None where each fills one place."""

    space: Space
    points: Points
    weights: NDArray[np.float64] | None
    index: NearestNeighbors | None
    greatest_norm: float

    @classmethod
    def of(cls, space: Space, points: Points, weights: NDArray[np.float64] | None, algorithm: Algorithm) -> Neighbours:
        """Build the index, where the rows have all their values and not too many coordinates."""
        if not points.is_complete.all() or not 0 < space.n_coordinates <= _MOST_COORDINATES:
            return cls(space, points, weights, None, 0.0)
        coordinates = space.coordinates(points)
        index = NearestNeighbors(algorithm=algorithm).fit(coordinates)
        return cls(space, points, weights, index, float((coordinates**2).sum(axis=1).max()))

    @property
    def unweighted(self) -> Neighbours:
        """The same rows, each of which fills one place."""
        return replace(self, weights=None)

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(len(self.points) if self.weights is None else self.weights.sum())

    def n_cells(self, n_places: float, *, everything: bool) -> int:
        """Say how many distances are held for each query at a time."""
        return len(self.points) if everything or not self._is_indexed(n_places) else self._n_asked(n_places)

    def nearest(self, queries: Points, n_places: float, tolerance: float, *, everything: bool = False) -> Found:
        """Find the rows that fill the places of each query, with all those that tie for the last, or all rows."""
        if self.index is None or everything or not self._is_indexed(n_places):
            return self._of_all(queries, n_places, tolerance, everything=everything)
        complete = np.flatnonzero(queries.is_complete)
        found, sure = self._indexed(self.index, queries.take(complete), n_places, tolerance)
        rest = np.delete(np.arange(len(queries)), complete[sure])
        others = self._in_parts(queries, rest, n_places, tolerance)
        return Found.merge([(complete[sure], found), *others], len(queries))

    def _of_all(self, queries: Points, n_places: float, tolerance: float, *, everything: bool = False) -> Found:
        """Find them by the distances from all rows."""
        squared = self.space.squared(queries, self.points)
        limit = self._limit(squared, n_places)
        found = Found.within(squared, np.full_like(limit, np.inf) if everything else limit, None, tolerance)
        return replace(found, limit=limit)

    def _in_parts(
        self, queries: Points, rest: NDArray[np.intp], n_places: float, tolerance: float
    ) -> list[tuple[NDArray[np.intp], Found]]:
        """Search all rows for the queries that an index cannot answer, a few at a time."""
        step = max(1, _MOST_CELLS // len(self.points))
        parts = [rest[start : start + step] for start in range(0, len(rest), step)]
        return [(part, self._of_all(queries.take(part), n_places, tolerance)) for part in parts]

    def _indexed(
        self, index: NearestNeighbors, queries: Points, n_places: float, tolerance: float
    ) -> tuple[Found, NDArray[np.bool_]]:
        """Ask the index for some rows too many; an answer is sure where the last of them is clearly too far."""
        n_asked = self._n_asked(n_places)
        if len(queries) == 0:
            none = np.empty((0, n_asked))
            return Found.within(none, np.empty(0), None, 0.0), np.empty(0, dtype=bool)
        coordinates = self.space.coordinates(queries)
        distances, rows = index.kneighbors(coordinates, n_asked)
        squared = self.space.squared_from_some(queries, self.points, rows)
        limit = self._limit(squared, n_places, rows)
        norms = (coordinates**2).sum(axis=1) + self.greatest_norm
        rounding = 8 * np.finfo(float).eps * (coordinates.shape[1] + 4) * norms  # of a distance by products
        sure = distances[:, -1] ** 2 - rounding > limit * (1 + tolerance) ** 2
        return Found.within(squared[sure], limit[sure], rows[sure], tolerance), sure

    def _limit(
        self, squared: NDArray[np.float64], n_places: float, rows: NDArray[np.intp] | None = None
    ) -> NDArray[np.float64]:
        """Give the distance of the row that fills the last place, or of the last row."""
        n_needed = min(self._n_needed(n_places), squared.shape[1])
        if self.weights is None:
            return np.partition(squared, n_needed - 1, axis=1)[:, n_needed - 1]
        chosen = np.argpartition(squared, n_needed - 1, axis=1)[:, :n_needed]
        near = np.take_along_axis(squared, chosen, axis=1)
        order = np.argsort(near, axis=1)
        chosen, near = np.take_along_axis(chosen, order, axis=1), np.take_along_axis(near, order, axis=1)
        filled = np.cumsum(self.weights[chosen if rows is None else np.take_along_axis(rows, chosen, axis=1)], axis=1)
        is_full = filled >= n_places * (1 - _SLACK)
        is_full[:, -1] = True
        return np.take_along_axis(near, is_full.argmax(axis=1)[:, None], axis=1)[:, 0]

    def _n_needed(self, n_places: float) -> int:
        """Give a number of rows that fill the places, whichever they are."""
        least = 1.0 if self.weights is None else float(self.weights.min())
        return len(self.points) if n_places >= len(self.points) * least else math.ceil(n_places / least)

    def _n_asked(self, n_places: float) -> int:
        n_needed = self._n_needed(n_places)
        return n_needed + n_needed // 8 + _SURPLUS

    def _is_indexed(self, n_places: float) -> bool:
        return self.index is not None and 2 * self._n_asked(n_places) < len(self.points)


def in_blocks(work: Callable[[Points], T], queries: Points, n_cells: int, n_jobs: int | None) -> list[T]:
    """Do the same with the queries, a few at a time, in threads; the blocks are the same for any number of threads."""
    from joblib import Parallel, delayed  # only here: it takes time to import

    step = max(1, _MOST_CELLS // n_cells)
    blocks = [queries.take(slice(start, start + step)) for start in range(0, len(queries), step)]
    return list(Parallel(n_jobs=n_jobs, prefer="threads")(delayed(work)(block) for block in blocks))
