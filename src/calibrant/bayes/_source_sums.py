"""Naive Bayes learned from a source by sums over its rows, which no partition of the source changes by a bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._exact_sums import ExactSums, round_weights, weight_step
from calibrant.bayes._counts import Batch, CategoryCounts, ColumnDistribution, IntervalCounts
from calibrant.bayes._gaussian import LEAST_SD, FittedGaussian
from calibrant.bayes._start_columns import ColumnOptions, equal_width_cuts
from calibrant.bayes._value_grid import ValueGrid
from calibrant.data._internal import (
    Bins,
    Schema,
    Source,
    SourcePart,
    find_bins,
    hash_codes,
    interval_codes,
)

_MAX_BINS = 255  # among which the MDL principle chooses cuts
_MOST_HASHES = 2**14  # the number of distinct values then has a standard error of 0.8 %; up to so many it is exact
_SPAN = 2.0**64


@dataclass(frozen=True, eq=False)
class SourceSums:
    """Sums over the rows of a source: its schema, its classes, and the step that weights are rounded to."""

    source: Source
    schema: Schema
    classes: NDArray[Any]
    step: float | None

    @classmethod
    def of(cls, source: Source) -> SourceSums:
        """Return the sums over an open source."""
        survey = source.survey()
        labels = survey.labels.labels().classes if survey.labels is not None else np.empty(0)
        # Whole weights add up exactly; others do as multiples of a power of two.
        step = None if survey.are_whole else weight_step(survey.largest_weight, survey.n_rows)
        return cls(source, source.schema, labels, step)

    @property
    def numeric(self) -> list[int]:
        """The positions of the numeric columns."""
        return [index for index, feature in enumerate(self.schema.features) if feature.kind == "numeric"]

    def add_up(self, terms: Callable[..., list[Any]], *args: Any, description: str) -> list[Any]:
        """Return the sums over all parts of what ``terms(batch, *args)`` returns, item by item."""
        found: list[Any] = self.source.reduce(
            _terms_of_part, terms, self.schema, self.classes, self.step, args, merge=_add, description=description
        )
        return found

    def learn(self, options: ColumnOptions) -> tuple[list[ColumnDistribution], NDArray[np.float64]]:
        """Return the distribution of each column, and the weight of each class.

        These are those of a fit in memory, but the cuts of ``"mdl"`` are among the edges of at most 255 bins.
        """
        empty = CategoryCounts.empty(len(self.classes), options.smoothing)
        bins = find_bins(self.source, _MAX_BINS) if options.numeric == "mdl" else None
        numeric = iter(self._start_numeric(options, bins))
        columns = [next(numeric) if feature.kind == "numeric" else empty for feature in self.schema.features]
        *counts, class_count = self.add_up(_counts, columns, description="Counting values")
        columns = [_with_counts(*pair) for pair in zip(columns, counts, strict=True)]
        return columns if bins is None else self._join_bins(columns, bins), class_count

    def _start_numeric(self, options: ColumnOptions, bins: Bins | None) -> list[ColumnDistribution]:
        """Return the distributions of the numeric columns: intervals to be counted, or normal distributions."""
        if bins is not None:
            cuts = [highs[:-1] for highs in bins.highs if highs is not None]
            return [IntervalCounts.empty(each, len(self.classes), options.smoothing) for each in cuts]
        if not self.numeric:
            return []
        ranges: list[ValueRange] = self.add_up(_ranges, self.numeric, description="Finding ranges")
        if options.numeric == "equal_width":
            cuts = [equal_width_cuts(np.array([each.low, each.high]), options.n_bins) for each in ranges]
            return [IntervalCounts.empty(each, len(self.classes), options.smoothing) for each in cuts]
        return self._normals([ValueGrid.spanning(each.low, each.high, each.n_distinct) for each in ranges], options)

    def _join_bins(self, columns: list[ColumnDistribution], bins: Bins) -> list[ColumnDistribution]:
        """Return the columns with bins joined between which the MDL principle sees no cut."""
        joined = list(columns)
        for index, (column, highs) in enumerate(zip(columns, bins.highs, strict=True)):
            if isinstance(column, IntervalCounts) and highs is not None and len(highs) > 1:
                cuts = bins.mdl_cuts(index, column.counts.counts)
                sums = np.zeros((len(cuts) + 1, len(self.classes)))
                np.add.at(sums, interval_codes(highs, cuts), column.counts.counts)
                joined[index] = IntervalCounts(cuts, replace(column.counts, counts=sums))
        return joined

    def _normals(self, grids: list[ValueGrid], options: ColumnOptions) -> list[ColumnDistribution]:
        """Return the normal distributions by two passes: means first, since squares about 0 would lose digits."""
        sums = self._moments(grids, None)
        totals, means = sums[:, :, 0], _means(sums[:, :, 0], sums[:, :, 1])
        squares = self._moments(grids, means)[:, :, 1]
        whole = _divided((totals * means).sum(axis=1), totals.sum(axis=1))
        between = totals * (means - whole[:, np.newaxis]) ** 2
        of_all = _divided((squares + between).sum(axis=1), totals.sum(axis=1))
        deviations = np.maximum(np.sqrt(_means(totals, squares, of_all)), LEAST_SD)
        return [FittedGaussian(*each, options.dialect) for each in zip(means, deviations, grids, strict=True)]

    def _moments(self, grids: list[ValueGrid], means: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """Return weights, and sums of positions or of squared distances from means: columns x classes x 2."""
        found = self.add_up(_moments, self.numeric, grids, means, description="Adding up values")
        return np.array([sums.totals() for sums in found]).reshape(len(grids), -1, 2)


def _terms_of_part(
    part: SourcePart,
    terms: Callable[..., list[Any]],
    schema: Schema,
    classes: NDArray[Any],
    step: float | None,
    args: tuple[Any, ...],
) -> list[Any]:
    weights = part.weights if step is None or part.weights is None else round_weights(part.weights, step)
    labels = part.class_codes(classes).astype(np.intp)
    return terms(Batch(part.columns(schema), labels, len(classes), weights), *args)


def _add(one: list[Any], other: list[Any]) -> list[Any]:
    return [mine + theirs for mine, theirs in zip(one, other, strict=True)]


def _counts(batch: Batch, columns: list[ColumnDistribution]) -> list[Any]:
    """Return the counts of each column, none of normal distributions, and the weight of each class."""
    found: list[NDArray[Any]] = []
    for index, column in enumerate(columns):
        if isinstance(column, IntervalCounts):
            found.append(column.add(batch, index).counts.counts)
        else:
            found.append(column.add(batch, index).counts if isinstance(column, CategoryCounts) else np.empty(0))
    return [*found, np.bincount(batch.labels, batch.weights, batch.n_classes).astype(np.float64)]


def _with_counts(column: ColumnDistribution, counts: NDArray[np.float64]) -> ColumnDistribution:
    if isinstance(column, IntervalCounts):
        return replace(column, counts=replace(column.counts, counts=counts))
    return replace(column, counts=counts) if isinstance(column, CategoryCounts) else column


def _ranges(batch: Batch, numeric: list[int]) -> list[ValueRange]:
    return [ValueRange.of(batch.columns.arrays[column]) for column in numeric]


def _moments(
    batch: Batch, numeric: list[int], grids: list[ValueGrid], means: NDArray[np.float64] | None
) -> list[ExactSums]:
    """Return the sums of each column and class."""
    weights = np.ones(len(batch.labels)) if batch.weights is None else batch.weights
    found = []
    for number, (column, grid) in enumerate(zip(numeric, grids, strict=True)):
        positions, is_missing = grid.positions_of(batch.columns.arrays[column])
        values = positions if means is None else (positions - means[number][batch.labels]) ** 2
        rows = np.stack([weights, weights * values], axis=1)
        kept = ~is_missing
        found += [ExactSums(2).add(rows[kept & (batch.labels == label)]) for label in range(batch.n_classes)]
    return found


def _means(
    totals: NDArray[np.float64], sums: NDArray[np.float64], of_all: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return sums divided by totals; a class without values has the mean of all classes."""
    if of_all is None:
        of_all = _divided(sums.sum(axis=1), totals.sum(axis=1))
    return np.where(totals > 0, _divided(sums, totals), of_all[:, np.newaxis])


def _divided(sums: NDArray[np.float64], totals: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0))


@dataclass(frozen=True, eq=False)
class ValueRange:
    """The least and the greatest finite value, and the least hashes of distinct ones (Bar-Yossef et al. 2002)."""

    low: float
    high: float
    hashes: NDArray[np.uint64]

    @classmethod
    def of(cls, values: NDArray[np.floating]) -> ValueRange:
        """Return the range of some values.

        Examples
        --------
        >>> found = ValueRange.of(np.array([2.0, 5.0, 2.0, np.nan]))
        >>> found.low, found.high, found.n_distinct
        (2.0, 5.0, 2.0)
        """
        finite = np.unique(values[np.isfinite(values)].astype(np.float64) + 0.0)
        hashes = np.sort(hash_codes([finite], len(finite)))[:_MOST_HASHES]
        return cls(float(finite.min(initial=np.inf)), float(finite.max(initial=-np.inf)), hashes)

    @property
    def n_distinct(self) -> float:
        """The number of distinct values, estimated where they are many."""
        if len(self.hashes) < _MOST_HASHES:
            return float(len(self.hashes))
        # The k-th least of n hashes spread evenly over the span lies about k / n of it from 0.
        return (_MOST_HASHES - 1) / ((float(self.hashes[-1]) + 1.0) / _SPAN)

    def __add__(self, other: ValueRange) -> ValueRange:
        """Return the range of the values of both."""
        hashes = np.union1d(self.hashes, other.hashes)[:_MOST_HASHES]
        return ValueRange(min(self.low, other.low), max(self.high, other.high), hashes)
