"""Naive Bayes learned from a source by sums over its rows, which no partition of the source changes by a bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._exact_sums import round_weights, weight_step
from calibrant.bayes._counts import Batch, CategoryCounts, ColumnDistribution, IntervalCounts
from calibrant.bayes._gaussian import Gaussian
from calibrant.bayes._start_columns import ColumnOptions, equal_width_cuts
from calibrant.bayes._value_grid import ValueCounts
from calibrant.data._internal import (
    Bins,
    Schema,
    Source,
    SourcePart,
    find_bins,
    interval_codes,
)

_MAX_BINS = 255  # among which the MDL principle chooses cuts


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
        if options.numeric == "gaussian":
            empty = Gaussian(ValueCounts.empty(len(self.classes)), options.dialect)
            return self.add_up(_normals, self.numeric, empty, description="Adding up values")
        ranges: list[ValueRange] = self.add_up(_ranges, self.numeric, description="Finding ranges")
        cuts = [equal_width_cuts(np.array([each.low, each.high]), options.n_bins) for each in ranges]
        return [IntervalCounts.empty(each, len(self.classes), options.smoothing) for each in cuts]

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


def _normals(batch: Batch, numeric: list[int], empty: Gaussian) -> list[ColumnDistribution]:
    return [empty.add(batch, column) for column in numeric]


@dataclass(frozen=True)
class ValueRange:
    """The least and the greatest finite value."""

    low: float
    high: float

    @classmethod
    def of(cls, values: NDArray[np.floating]) -> ValueRange:
        """Return the range of some values.

        Examples
        --------
        >>> ValueRange.of(np.array([2.0, 5.0, 2.0, np.nan])) + ValueRange.of(np.array([3.0, np.inf, 7.0]))
        ValueRange(low=2.0, high=7.0)
        """
        finite = values[np.isfinite(values)]
        return cls(float(finite.min(initial=np.inf)), float(finite.max(initial=-np.inf)))

    def __add__(self, other: ValueRange) -> ValueRange:
        """Return the range of the values of both."""
        return ValueRange(min(self.low, other.low), max(self.high, other.high))
