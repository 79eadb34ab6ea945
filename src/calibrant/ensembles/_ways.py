"""Where rows end in the trees of a forest, tree by tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant import _core
from calibrant.data._coding import n_threads
from calibrant.ensembles._members import Arrived, LeafMatrix, Ways
from calibrant.trees._arrivals import arrivals

if TYPE_CHECKING:
    from calibrant.data._rows import Rows
    from calibrant.ensembles._forest import Forest
    from calibrant.trees._tree import Tree

__all__ = ["ways_of_rows", "ways_of_training"]

_MOST_KEPT, _MOST_LEAVES = 2**28, 2**30  # bytes worth keeping between two passes over the trees


def ways_of_training(forest: Forest) -> Ways:
    """Give the ways of the training rows, kept where they do not take much memory."""
    n_rows, table = forest.examples.n_rows, forest.examples.table.core
    may_miss = _has_missing(forest)
    if may_miss or 4 * n_rows * len(forest.trees) > _MOST_LEAVES:
        return _Kept(forest, (n_rows, table), may_miss=may_miss)
    cores = [tree.core for tree in forest.trees]
    return LeafMatrix(np.asarray(_core.apply_forest(cores, table, n_threads(forest.params.n_jobs))))


def ways_of_rows(forest: Forest, rows: Rows) -> Ways:
    """Give the ways of new rows."""
    columns = rows[1]
    is_whole = isinstance(columns, np.ndarray) and not np.isnan(columns).any()
    return _Kept(forest, rows, may_miss=not is_whole)


def _has_missing(forest: Forest) -> bool:
    table = forest.examples.table
    return any(table.n_missing(j) > 0 for j in range(table.n_columns))


class _Kept:
    """The ways of rows through the trees, worked out when asked for."""

    def __init__(self, forest: Forest, rows: tuple[int, Any], *, may_miss: bool) -> None:
        self._forest, (self._n_rows, self._columns), self._may_miss = forest, rows, may_miss
        self._n_jobs = forest.params.n_jobs
        self._numbers = np.arange(self._n_rows)
        self._keeps = 4 * self._n_rows * len(forest.trees) <= _MOST_KEPT
        self._kept: dict[int, Arrived] = {}

    def __call__(self, number: int) -> Arrived:
        if number not in self._kept:
            found = self._arrived(self._forest.trees[number])
            if not self._keeps:
                return found
            self._kept[number] = found
        return self._kept[number]

    def _arrived(self, tree: Tree) -> Arrived:
        if not self._may_miss:
            leaf = np.asarray(_core.apply_tree(tree.core, self._n_rows, self._columns, n_threads(self._n_jobs)))
            return Arrived(self._numbers, leaf)
        return Arrived.of(*arrivals(tree, self._n_rows, self._columns, self._n_jobs), self._n_rows)
