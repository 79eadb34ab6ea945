"""Means and standard deviations of numeric columns by class, from two passes over a source with exact sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from calibrant._exact_sums import ExactSums
from calibrant.bayes._distribution import Dialect
from calibrant.bayes._gaussian import FittedGaussian
from calibrant.bayes._normal_cells import LEAST_SD
from calibrant.bayes._streams.part_batch import BatchReader
from calibrant.bayes._streams.value_ranges import ValueRange
from calibrant.bayes._value_grid import ValueGrid
from calibrant.data._internal import Source, SourcePart

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["fit_normals"]

_Sums = list[list[ExactSums]]  # of each numeric column, of each class


def fit_normals(
    source: Source, reader: BatchReader, ranges: Sequence[ValueRange], dialect: Dialect
) -> list[FittedGaussian]:
    """Return the normal distributions of each numeric column; a column without values has those of any one value."""
    grids = [ValueGrid.spanning(each.low, each.high, each.n_distinct) for each in ranges]
    sums = _totals(source, reader, grids, None)
    totals, means = sums[:, :, 0], _means(sums[:, :, 0], sums[:, :, 1])
    squares = _totals(source, reader, grids, means)[:, :, 1]
    variances = _means(totals, squares, _spread_of_means(totals, means, squares))
    return [
        FittedGaussian(mean, np.maximum(np.sqrt(variance), LEAST_SD), grid, dialect)
        for mean, variance, grid in zip(means, variances, grids, strict=True)
    ]


def _means(
    totals: NDArray[np.float64], sums: NDArray[np.float64], of_all: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return sums divided by totals; a class without values has the mean of all classes."""
    if of_all is None:
        of_all = _divided(sums.sum(axis=1), totals.sum(axis=1))
    return np.where(totals > 0, _divided(sums, totals), of_all[:, np.newaxis])


def _spread_of_means(
    totals: NDArray[np.float64], means: NDArray[np.float64], squares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the variance over all classes from those within classes and of their means."""
    whole = _divided((totals * means).sum(axis=1), totals.sum(axis=1))
    between = totals * (means - whole[:, np.newaxis]) ** 2
    return _divided((squares + between).sum(axis=1), totals.sum(axis=1))


def _divided(sums: NDArray[np.float64], totals: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0))


def _totals(
    source: Source, reader: BatchReader, grids: list[ValueGrid], means: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Return weights, and sums of positions or of squared distances from means: columns x classes x 2."""
    found: _Sums = source.reduce(_sums_of_part, reader, grids, means, merge=_merge_sums, description="Adding up values")
    return np.array([[sums.totals() for sums in column] for column in found]).reshape(len(grids), -1, 2)


def _sums_of_part(
    part: SourcePart, reader: BatchReader, grids: list[ValueGrid], means: NDArray[np.float64] | None
) -> _Sums:
    batch = reader.batch(part)
    weights = np.ones(len(batch.labels)) if batch.weights is None else batch.weights
    found: _Sums = []
    for number, (column, grid) in enumerate(zip(reader.numeric, grids, strict=True)):
        positions, is_missing = grid.positions_of(batch.columns.arrays[column])
        values = positions if means is None else (positions - means[number][batch.labels]) ** 2
        rows = np.stack([weights, weights * values], axis=1)
        kept = ~is_missing
        found.append([ExactSums(2).add(rows[kept & (batch.labels == label)]) for label in range(reader.n_classes)])
    return found


def _merge_sums(first: _Sums, second: _Sums) -> _Sums:
    return [[a + b for a, b in zip(one, other, strict=True)] for one, other in zip(first, second, strict=True)]
