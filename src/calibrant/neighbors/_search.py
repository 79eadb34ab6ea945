"""The search of nearest rows, with ties and weights: by scikit-learn's indices, or by all distances in blocks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from calibrant._saved import Array, Inline, Text, need, saved
from calibrant._threads import n_threads
from calibrant.neighbors._space import LARGEST, Points, Space

T = TypeVar("T")
Algorithm = Literal["auto", "kd_tree", "ball_tree", "brute"]

_MOST_CATEGORIES, _MOST_NUMBERS = 256, 2**26  # of an index: beyond, comparing codes is faster; 512 MiB of coordinates
# Where a k-d tree is faster than all distances by matrix products, measured on independent normal columns.
_TREE_COORDINATES, _TREE_COORDINATES_OF_FEW, _FEW_ROWS = 8, 15, 10_000
_MOST_CELLS = 2**17  # of a block: 1 MiB for an array of distances stays in the cache
_TREE_QUERIES = 1024  # of a block, so that there are blocks to share among threads
_BRUTE_CELLS = 2**20  # of a block of scikit-learn's, which shares it among threads itself
_SLACK = 1e-9  # weights that sum to a whole number up to rounding reach it


@dataclass(frozen=True)
class NeighborPairs:
    """Pairs of a query and a near row, and for each query the squared distance of its last neighbour."""

    n_queries: int
    query: NDArray[np.intp]
    row: NDArray[np.intp]
    squared: NDArray[np.float64]
    limit: NDArray[np.float64]

    @classmethod
    def within(
        cls, squared: NDArray[np.float64], limit: NDArray[np.float64], rows: NDArray[np.intp] | None, tolerance: float
    ) -> NeighborPairs:
        """Return the pairs within each limit, up to rounding; ``rows`` are the rows of the columns, None for all."""
        query, column = np.nonzero(squared <= (limit * (1 + tolerance) ** 2)[:, None])
        row = column if rows is None else rows[query, column]
        return cls(len(squared), query, row, squared[query, column], limit)

    @classmethod
    def merge(cls, parts: list[tuple[NDArray[np.intp], NeighborPairs]], n_queries: int) -> NeighborPairs:
        """Return the pairs of all queries from those of several groups of queries."""
        limit = np.empty(n_queries)
        for queries, part in parts:
            limit[queries] = part.limit
        query = np.concatenate([queries[part.query] for queries, part in parts])
        row = np.concatenate([part.row for _, part in parts])
        return cls(n_queries, query, row, np.concatenate([part.squared for _, part in parts]), limit)

    def from_near_to_far(self) -> NeighborPairs:
        """Return the pairs in the order of queries and distances, so that sums do not depend on the search."""
        order = np.lexsort((self.row, self.squared, self.query))
        return replace(self, query=self.query[order], row=self.row[order], squared=self.squared[order])


@saved(
    space=Inline(Space),
    numbers=Array("f8", ndim=2, low=-LARGEST, high=LARGEST),
    codes=Array("i4", ndim=2, low=-1),
    weights=Array("f8", finite=True, low=0, high=LARGEST) | None,
    algorithm=Text("kd_tree", "ball_tree", "brute") | None,
)
@dataclass(frozen=True)
class Neighbours:
    """Training rows to search; ``weights`` is None where each counts as one neighbour."""

    space: Space
    points: Points
    weights: NDArray[np.float64] | None
    index: NearestNeighbors | None
    greatest_norm: float

    @classmethod
    def of(cls, space: Space, points: Points, weights: NDArray[np.float64] | None, algorithm: Algorithm) -> Neighbours:
        """Return the rows with an index, where none has a missing value and there are not too many categories."""
        n_rows, n_coordinates = len(points), space.n_coordinates
        few = sum(space.n_categories) <= _MOST_CATEGORIES and n_rows * n_coordinates <= _MOST_NUMBERS
        is_indexable = n_coordinates > 0 and (few or not space.nominal)
        if not points.is_complete.all() or not is_indexable:
            return cls(space, points, weights, None, 0.0)
        coordinates = space.coordinates(points)
        most = _TREE_COORDINATES_OF_FEW if n_rows <= _FEW_ROWS else _TREE_COORDINATES
        chosen = ("kd_tree" if n_coordinates <= most else "brute") if algorithm == "auto" else algorithm
        index = NearestNeighbors(algorithm=chosen).fit(coordinates)
        return cls(space, points, weights, index, float((coordinates**2).sum(axis=1).max()))

    def _saved_values(self, training_rows: bool) -> dict[str, Any]:  # noqa: ARG002
        """Return the rows, and how their index is built: it is built again when they are loaded."""
        return {
            "space": self.space,
            "numbers": self.points.numbers,
            "codes": self.points.codes,
            "weights": self.weights,
            "algorithm": None if self.index is None else self.index.algorithm,
        }

    @classmethod
    def _from_saved(cls, values: dict[str, Any]) -> Neighbours:
        space, numbers, codes, weights = (values[name] for name in ("space", "numbers", "codes", "weights"))
        widths = numbers.shape[1], codes.shape[1]
        need(widths == (len(space.numeric), len(space.nominal)), "has rows of other columns")
        n_rows = len(numbers)
        need(n_rows == len(codes) >= 1 and (weights is None or len(weights) == n_rows), "has rows without values")
        need(not np.isinf(numbers).any(), "has rows that are infinite")
        need(weights is None or weights.sum() > 0, "has rows without weight")
        need((codes < np.array(space.n_categories, dtype=np.int64)).all(), "has rows of categories that are not there")
        return cls.of(space, Points(numbers, codes), weights, values["algorithm"] or "brute")

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(len(self.points) if self.weights is None else self.weights.sum())

    def is_indexed(self, n_neighbors: float) -> bool:
        """Return whether an index finds so many neighbours faster than all distances do."""
        return self._is_worth(self._n_requested(n_neighbors))

    def block_size(self, n_neighbors: float) -> int:
        """Return the number of queries of a block."""
        if self.index is None or not self.is_indexed(n_neighbors):
            return self.full_block_size
        brute = max(1, _BRUTE_CELLS // self._n_requested(n_neighbors))
        return _TREE_QUERIES if self.index.algorithm != "brute" else brute

    @property
    def full_block_size(self) -> int:
        """The number of queries of a block whose distances from all rows are computed."""
        return max(1, _MOST_CELLS // len(self.points))

    def all_squared(self, queries: Points) -> NDArray[np.float64]:
        """Return the squared distances of queries from all rows.

        Those of an incomplete query are summed in an order of columns that depends on the queries beside it. Where an
        index finds the neighbours of complete queries, incomplete ones are therefore taken one by one.
        """
        if self.index is None or queries.is_complete.all():
            return self.space.squared(queries, self.points)
        squared = np.empty((len(queries), len(self.points)))
        complete = np.flatnonzero(queries.is_complete)
        for part in (complete, *np.flatnonzero(~queries.is_complete)[:, np.newaxis]):
            squared[part] = self.space.squared(queries.take(part), self.points)
        return squared

    def nearest(self, queries: Points, n_neighbors: float, tolerance: float) -> NeighborPairs:
        """Return the nearest rows of each query, with all that tie for the last place."""
        if self.index is None:
            return self._of_all(queries, n_neighbors, tolerance)
        parts, todo = [], np.flatnonzero(queries.is_complete)
        rest, n_requested = np.flatnonzero(~queries.is_complete), self._n_requested(n_neighbors)
        while len(todo) and self._is_worth(n_requested):
            pairs, is_certain = self._indexed(self.index, queries.take(todo), n_neighbors, tolerance, n_requested)
            parts.append((todo[is_certain], pairs))
            todo, n_requested = todo[~is_certain], 4 * n_requested
        # Queries that the index cannot decide, a few at a time
        rest, step = np.concatenate([rest, todo]), self.full_block_size
        few = [rest[start : start + step] for start in range(0, len(rest), step)]
        parts += [(some, self._of_all(queries.take(some), n_neighbors, tolerance)) for some in few]
        return NeighborPairs.merge(parts, len(queries))

    def _of_all(self, queries: Points, n_neighbors: float, tolerance: float) -> NeighborPairs:
        """Return the same by the distances from all rows."""
        squared = self.all_squared(queries)
        return NeighborPairs.within(squared, self.limit(squared, n_neighbors), None, tolerance)

    def _indexed(
        self, index: NearestNeighbors, queries: Points, n_neighbors: float, tolerance: float, n_requested: int
    ) -> tuple[NeighborPairs, NDArray[np.bool_]]:
        """Request more rows of the index than needed; the result is certain where the last is clearly too far."""
        coordinates = self.space.coordinates(queries)
        distances, rows = index.kneighbors(coordinates, n_requested)
        squared = self.space.squared_from_some(queries, self.points, rows)
        limit = self.limit(squared, n_neighbors, rows)
        norms = (coordinates**2).sum(axis=1) + self.greatest_norm
        rounding = 8 * np.finfo(float).eps * (coordinates.shape[1] + 4) * norms  # of a distance by products
        is_certain = distances[:, -1] ** 2 - rounding > limit * (1 + tolerance) ** 2
        return NeighborPairs.within(squared[is_certain], limit[is_certain], rows[is_certain], tolerance), is_certain

    def limit(
        self, squared: NDArray[np.float64], n_neighbors: float, rows: NDArray[np.intp] | None = None
    ) -> NDArray[np.float64]:
        """Return the squared distance of the last neighbour, or of the last row."""
        n_needed = min(self._n_needed(n_neighbors), squared.shape[1])
        if self.weights is None:
            return np.partition(squared, n_needed - 1, axis=1)[:, n_needed - 1]
        chosen = np.argpartition(squared, n_needed - 1, axis=1)[:, :n_needed]
        near = np.take_along_axis(squared, chosen, axis=1)
        order = np.argsort(near, axis=1)
        chosen, near = np.take_along_axis(chosen, order, axis=1), np.take_along_axis(near, order, axis=1)
        filled = np.cumsum(self.weights[chosen if rows is None else np.take_along_axis(rows, chosen, axis=1)], axis=1)
        is_full = filled >= n_neighbors * (1 - _SLACK)
        is_full[:, -1] = True
        return np.take_along_axis(near, is_full.argmax(axis=1)[:, None], axis=1)[:, 0]

    def _n_needed(self, n_neighbors: float) -> int:
        """Return a number of rows that is enough, whichever they are."""
        least = 1.0 if self.weights is None else float(self.weights.min())
        return len(self.points) if n_neighbors >= len(self.points) * least else math.ceil(n_neighbors / least)

    def _n_requested(self, n_neighbors: float) -> int:
        """Return a few more, so that the last is too far unless there are ties."""
        n_needed = self._n_needed(n_neighbors)
        return n_needed + n_needed // 16 + 2

    def _is_worth(self, n_requested: int) -> bool:
        return self.index is not None and 2 * n_requested < len(self.points)


def in_blocks(work: Callable[[Points], T], queries: Points, size: int, n_jobs: int | None) -> list[T]:
    """Return the results of blocks of queries, computed in threads; the blocks do not depend on their number."""
    from joblib import Parallel, delayed  # only here: it takes time to import

    blocks = [queries.take(slice(start, start + size)) for start in range(0, len(queries), size)]
    return list(Parallel(n_jobs=n_threads(n_jobs), prefer="threads")(delayed(work)(block) for block in blocks))
