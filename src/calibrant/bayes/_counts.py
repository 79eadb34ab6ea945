"""The distribution of a column in each class: the interface, with class counts of categories or intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from calibrant._exact_sums import round_weights, weight_step
from calibrant._memory import check_count_memory, count_memory
from calibrant._saved import Array, Number, need, saved
from calibrant.data import CodedTable
from calibrant.data._internal import Columns, interval_codes

Dialect = Literal["exact", "weka"]

# The least probability of a value, as in Weka: no single column can rule a class out.
LOG_FLOOR = float(np.log(1e-75))
MOST_WEIGHT = 1e150  # in a model file: sums of such weights are finite


@dataclass(frozen=True)
class ClassRows:
    """The class of each row, and its weight as a whole number of units: 1 where ``counts`` is None."""

    labels: NDArray[np.uint32]
    totals: tuple[int, ...]  # of the counts of each class
    counts: NDArray[np.float64] | None
    exponent: int

    @classmethod
    def of(cls, labels: NDArray[np.intp], n_classes: int, weights: NDArray[np.float64] | None) -> ClassRows:
        """Return the classes of rows; weights are rounded to multiples of a unit in which their sum is exact.

        Examples
        --------
        >>> ClassRows.of(np.array([1, 0, 1]), 2, None)
        ClassRows(labels=array([1, 0, 1], dtype=uint32), totals=(1, 2), counts=None, exponent=0)
        """
        counts, exponent = None, 0
        if weights is not None:
            step = max(weight_step(float(weights.max(initial=0.0)), len(weights)), math.ulp(0.0))
            counts, exponent = round_weights(weights, step) / step, math.frexp(step)[1] - 1
        return cls(labels.astype(np.uint32), _totals(labels, n_classes, counts), counts, exponent)

    def totals_of(self, is_kept: NDArray[np.bool_]) -> tuple[int, ...]:
        """Return the count of each class in some of the rows."""
        if is_kept.all():
            return self.totals
        counts = None if self.counts is None else self.counts[is_kept]
        return _totals(self.labels[is_kept], len(self.totals), counts)


def _totals(labels: NDArray[Any], n_classes: int, counts: NDArray[np.float64] | None) -> tuple[int, ...]:
    return tuple(int(total) for total in np.bincount(labels, counts, n_classes))


@dataclass(frozen=True)
class Batch:
    """Validated training rows; ``labels`` are positions among ``n_classes`` classes."""

    columns: Columns
    labels: NDArray[np.intp]
    n_classes: int
    weights: NDArray[np.float64] | None

    @cached_property
    def table(self) -> CodedTable:
        """The columns coded, with sorted values."""
        return CodedTable.from_columns(self.columns, n_jobs=1)

    def table_of(self, column: int) -> CodedTable:
        """Return the table of a single column, coded."""
        schema = replace(self.columns.schema, features=self.columns.schema.features[column : column + 1])
        columns = replace(self.columns, schema=schema, arrays=self.columns.arrays[column : column + 1])
        return CodedTable.from_columns(columns, n_jobs=1)

    @cached_property
    def by_class(self) -> ClassRows:
        """The classes of the rows, with their weights as counts."""
        return ClassRows.of(self.labels, self.n_classes, self.weights)


class ColumnDistribution(Protocol):
    """The distribution of a column in each class; immutable."""

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        ...

    def add(self, batch: Batch, column: int) -> ColumnDistribution:
        """Return the distribution updated with column number ``column`` of a batch."""
        ...

    def add_log_likelihood(self, values: NDArray[Any], joint: NDArray[np.float64]) -> None:
        """Add the log-probability of each value to ``joint`` (classes x values), 0 where it is missing."""
        ...


@saved(inline=True, m=Number(0, MOST_WEIGHT))
@dataclass(frozen=True)
class Smoothing:
    """The smoothing of counts: one more of each value, or ``m`` more rows in the base rates of the values."""

    how: Literal["laplace", "m"]
    m: float

    def log_frequencies(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the logarithm of the smoothed frequency of each value (row) in each class (column).

        Examples
        --------
        >>> np.exp(Smoothing("laplace", 0).log_frequencies(np.array([[2.0, 0.0], [0.0, 0.0]])))
        array([[0.75, 0.5 ],
               [0.25, 0.5 ]])
        """
        prior = np.ones((len(counts), 1)) if self.how == "laplace" else self.m * _base_rates(counts)
        totals = counts.sum(axis=0) + prior.sum()
        frequencies = np.where(totals > 0, (counts + prior) / np.where(totals > 0, totals, 1), _base_rates(counts))
        return np.log(np.maximum(frequencies, np.exp(LOG_FLOOR)))


@saved(counts=Array("f8", ndim=2, finite=True, low=0, high=MOST_WEIGHT))
@dataclass(frozen=True)
class CategoryCounts:
    """The weight of each category in each class."""

    counts: NDArray[np.float64]
    smoothing: Smoothing

    @classmethod
    def empty(cls, n_classes: int, smoothing: Smoothing, n_values: int = 0) -> CategoryCounts:
        """Return the counts before the first row."""
        return cls(np.zeros((n_values, n_classes)), smoothing)

    def add(self, batch: Batch, column: int) -> Self:
        """Return the counts with the categories of a batch added."""
        feature = batch.columns.schema.features[column]
        n_values = len(feature.categories)
        check_count_memory(feature.name, n_values, batch.n_classes, count_memory())
        return self.add_codes(batch.columns.arrays[column], batch, n_values)

    def add_codes(self, codes: NDArray[np.int32], batch: Batch, n_values: int) -> Self:
        """Return the counts with codes below ``n_values`` added; negative codes are missing values and not counted."""
        keys, weights, is_known = codes.astype(np.int64) * batch.n_classes + batch.labels, batch.weights, codes >= 0
        if not is_known.all():
            keys, weights = keys[is_known], None if weights is None else weights[is_known]
        cells = np.bincount(keys, weights, n_values * batch.n_classes)
        new = cells.reshape(n_values, batch.n_classes).astype(np.float64)
        new[: len(self.counts)] += self.counts
        return replace(self, counts=new)

    @cached_property
    def _log_frequencies(self) -> NDArray[np.float64]:
        """Classes x categories, with a last column of zeros for missing values, whose code is -1."""
        frequencies = self.smoothing.log_frequencies(self.counts).T
        return np.concatenate((frequencies, np.zeros((len(frequencies), 1))), axis=1)

    def add_log_likelihood(self, values: NDArray[Any], joint: NDArray[np.float64]) -> None:
        """Add the log-frequency of each category in each class."""
        for logs, of_class in zip(self._log_frequencies, joint, strict=True):
            of_class += logs[values]

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.counts.shape[1])

    def _check_saved(self) -> None:
        need(self.n_classes >= 1, "has no classes")


@saved(cuts=Array("f8", finite=True))
@dataclass(frozen=True)
class IntervalCounts:
    """The counts of a numeric column's intervals, whose cuts are those of the first batch."""

    cuts: NDArray[np.float64]
    counts: CategoryCounts

    @classmethod
    def empty(cls, cuts: NDArray[np.float64], n_classes: int, smoothing: Smoothing) -> IntervalCounts:
        """Return the counts before the first row."""
        return cls(cuts, CategoryCounts.empty(n_classes, smoothing, len(cuts) + 1))

    def add(self, batch: Batch, column: int) -> Self:
        """Return the counts with the intervals of a batch added."""
        codes = interval_codes(batch.columns.arrays[column], self.cuts)
        return replace(self, counts=self.counts.add_codes(codes, batch, len(self.cuts) + 1))

    def add_log_likelihood(self, values: NDArray[Any], joint: NDArray[np.float64]) -> None:
        """Add the log-frequency of each value's interval in each class."""
        self.counts.add_log_likelihood(interval_codes(values, self.cuts), joint)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return self.counts.n_classes

    def _check_saved(self) -> None:
        need((np.diff(self.cuts) > 0).all(), "has cuts that are not in order")
        need(len(self.counts.counts) == len(self.cuts) + 1, "has other counts than intervals")


def _base_rates(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the frequency of each value over all classes; 0 before the first row."""
    totals = counts.sum(axis=1, keepdims=True)
    return np.asarray(totals / (totals.sum() or 1.0))
