"""Passes over the scored rows of a source: grids, and exact sums of functions of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._exact_sums import ExactSums
from calibrant.calibration._fitting.replace_certain import CertainCounts
from calibrant.calibration._streams.part_scores import ScoresOfParts
from calibrant.calibration._streams.score_grid import (
    MOST_CELLS,
    ScoreGrid,
    margin_keys,
    merge_grids,
    probability_keys,
)
from calibrant.calibration._validation import BinaryScores
from calibrant.data._internal import Source, SourcePart

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ScorePasses", "binary_scores"]

_CHUNK = 2**13  # rows whose derivatives are in memory at once


@dataclass(frozen=True, slots=True, eq=False)
class ScorePasses:
    """A source whose rows are read again for every sum.

    Parameters
    ----------
    source : Source
        The open source.
    parts : ScoresOfParts
        How rows are read.
    total : float
        The weight of all rows.
    column : int or None
        The class that is positive, by its own column; None: the second of two, by their one score.
    class_weights : array of shape (n_classes,) or None
        The weight of each class, where the rows at hand are a sample.
    certain : CertainCounts or None
        Certain probabilities among all rows, where the rows at hand are a sample.
    """

    source: Source
    parts: ScoresOfParts
    total: float
    column: int | None = None
    class_weights: NDArray[np.float64] | None = None
    certain: CertainCounts | None = None

    def of_column(self, column: int) -> BinaryScores:
        """Return the grid of a class against the rest, with passes for it."""
        return binary_scores(replace(self, column=column))

    def scaled(self, size: float) -> ScorePasses:
        """Return passes over scores divided by a size."""
        return replace(self, parts=replace(self.parts, size=size))

    def grid(self) -> ScoreGrid:
        """Return the grid of the scores of the positive class, with the weights of negative and positive rows."""
        found: ScoreGrid = self.source.reduce(
            _grid_of_part, self.parts, self.column, merge=merge_grids, description="Reading scores"
        )
        return found

    def sums(self, function: Callable[..., NDArray[np.float64]], n_sums: int, *args: Any) -> NDArray[np.float64]:
        """Return exact sums over all rows of ``function(rows, *args)``, which has a row for each and a column a sum."""
        found: ExactSums = self.source.reduce(
            _sums_of_part, self.parts, function, n_sums, args, merge=_merge_sums, description="Adding up derivatives"
        )
        return found.totals()


def binary_scores(passes: ScorePasses) -> BinaryScores:
    """Return the cells of the grid as weighted rows, with the passes where the grid is coarser than the scores."""
    grid = passes.grid()
    kept = [np.flatnonzero(grid.weight[:, code]) for code in range(2)]
    return BinaryScores(
        np.concatenate([grid.scores()[cells] for cells in kept]),
        np.repeat([False, True], [len(cells) for cells in kept]),
        np.concatenate([grid.weight[cells, code] for code, cells in enumerate(kept)]),
        passes=None if grid.is_exact else passes,
    )


def _grid_of_part(part: SourcePart, parts: ScoresOfParts, column: int | None) -> ScoreGrid:
    rows = parts.rows(part)
    scores = np.ascontiguousarray(rows.scores[:, column or 0])
    is_own = (rows.codes == (1 if column is None else column)).astype(np.int32)
    keys = probability_keys(scores) if parts.are_probabilities else margin_keys(scores)
    return ScoreGrid.of(keys, scores, is_own, rows.weights(), 2, MOST_CELLS)


def _sums_of_part(
    part: SourcePart,
    parts: ScoresOfParts,
    function: Callable[..., NDArray[np.float64]],
    n_sums: int,
    args: tuple[Any, ...],
) -> ExactSums:
    sums = ExactSums(n_sums)
    for rows in parts.chunks(part, _CHUNK):
        sums.add(function(rows, *args))
    return sums


def _merge_sums(first: ExactSums, second: ExactSums) -> ExactSums:
    return first + second
