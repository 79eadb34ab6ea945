"""The values of a numeric column with their class counts, and the grid that they are rounded to."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from calibrant._saved import Array, Integer, Number, need, saved
from calibrant.bayes._counts import MOST_WEIGHT, Batch, Dialect
from calibrant.data._internal import cell_weights

_ONE_VALUE_STEP = 0.01  # Weka's precision of a column with a single value
_FARTHEST = 1e300  # differences of positions stay finite
FARTHEST_SAVED = 4e300  # of a mean of positions that were clipped so


@saved(inline=True, step=Number(0), origin=Number(-FARTHEST_SAVED, FARTHEST_SAVED))
@dataclass(frozen=True)
class ValueGrid:
    """Numbers rounded to whole multiples of ``step``, counted from ``origin``."""

    step: float
    origin: float

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> ValueGrid:
        """Return the grid of distinct, sorted values: its step is their mean gap.

        Examples
        --------
        >>> ValueGrid.of(np.array([1.0, 1.5, 3.0])).positions(np.array([1.0, 2.2, 3.0]))
        array([0., 1., 2.])
        """
        step = _ONE_VALUE_STEP
        if len(values) > 1:
            with np.errstate(over="ignore"):
                gaps = np.cumsum(np.diff(values))[-1] / (len(values) - 1)
            step = float(min(gaps, np.finfo(np.float64).max))
        return cls(step, float(_multiples(values[:1], step).sum()))

    @classmethod
    def spanning(cls, low: float, high: float, n_values: float) -> ValueGrid:
        """Return the grid of so many distinct values between two; of one value where there is none.

        Examples
        --------
        >>> ValueGrid.spanning(1.0, 3.0, 3.0)
        ValueGrid(step=1.0, origin=1.0)
        """
        if not low < high:
            return cls.of(np.array([low if np.isfinite(low) else 0.0]))
        step = max(high / (n_values - 1.0) - low / (n_values - 1.0), math.ulp(0.0))
        return cls(step, float(_multiples(np.array([low]), step).sum()))

    def positions(self, values: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        """Return the position of each value, NaN for NaN."""
        found = _multiples(values, self.step)
        found -= self.origin
        return found

    def positions_of(self, values: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the positions of values, that of 0 for missing and infinite ones, and which these are."""
        is_missing = ~np.isfinite(values)
        return self.positions(np.where(is_missing, 0, values) if is_missing.any() else values), is_missing


@saved(
    values=Array("f8", finite=True),
    value_index=Array("i8", low=0),
    labels=Array("i8", low=0),
    weights=Array("f8", finite=True, low=0, high=MOST_WEIGHT),
    n_classes=Integer(1, 2**31),
)
@dataclass(frozen=True)
class ValueCounts:
    """Distinct sorted values, and the weight of each pair of a value and a class that occurs.

    Infinite values are left out: they have no position on a grid.
    """

    values: NDArray[np.float64]
    value_index: NDArray[np.intp]
    labels: NDArray[np.intp]
    weights: NDArray[np.float64]
    n_classes: int

    @classmethod
    def empty(cls, n_classes: int) -> ValueCounts:
        """Return the counts before the first row."""
        none = np.empty(0, dtype=np.intp)
        return cls(np.empty(0), none, none, np.empty(0), n_classes)

    def __add__(self, new: ValueCounts) -> ValueCounts:
        """Return the counts of the rows of both; their order makes no difference.

        Examples
        --------
        >>> from calibrant.bayes._counts import Batch, Dialect
        >>> from calibrant.data._frames.columns import fit_columns
        >>> columns = fit_columns([[2.5], [0.5], [2.5]])
        >>> counts = ValueCounts.of(Batch(columns, np.array([0, 0, 1]), 2, None), 0)
        >>> twice = counts + counts
        >>> twice.values, twice.value_index, twice.labels, twice.weights
        (array([0.5, 2.5]), array([0, 1, 1]), array([0, 0, 1]), array([2., 2., 2.]))
        """
        if len(self.values) == 0:
            return new
        values = np.union1d(self.values, new.values)
        which = (np.searchsorted(values, each.values)[each.value_index] for each in (self, new))
        keys = np.concatenate([*which]) * self.n_classes + np.concatenate((self.labels, new.labels))
        keys, back = np.unique(keys, return_inverse=True)
        weights = np.bincount(back, np.concatenate((self.weights, new.weights))).astype(np.float64)
        return ValueCounts(values, keys // self.n_classes, keys % self.n_classes, weights, self.n_classes)

    @classmethod
    def of(cls, batch: Batch, column: int) -> ValueCounts:
        """Return the counts of a column of a batch."""
        table = batch.table_of(column)
        codes, values = table.codes(0), np.asarray(table.values(0))
        which, labels, weights = cell_weights(codes, len(values), batch.labels, batch.n_classes, batch.weights)
        is_finite = np.isfinite(values)
        if not is_finite.all():
            kept = is_finite[which]
            which, labels, weights = (np.cumsum(is_finite) - 1)[which[kept]], labels[kept], weights[kept]
        return ValueCounts(values[is_finite], which, labels, weights.astype(np.float64), batch.n_classes)

    @cached_property
    def grid(self) -> ValueGrid:
        """The grid of the values."""
        return ValueGrid.of(self.values)

    @cached_property
    def positions(self) -> NDArray[np.float64]:
        """The position of each pair on the grid."""
        return self.grid.positions(self.values)[self.value_index]

    def of_class(self, label: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the positions of a class, ascending, and their weights; those of all rows where the class has none."""
        is_its = self.labels == label
        if not is_its.any():
            is_its[:] = True
        positions, back = np.unique(self.positions[is_its], return_inverse=True)
        return positions, np.bincount(back, self.weights[is_its]).astype(np.float64)

    def _check_saved(self) -> None:
        n_values, pairs = len(self.values), len(self.value_index)
        need((np.diff(self.values) > 0).all(), "has values that are not in order")
        need(pairs == len(self.labels) == len(self.weights) and (pairs > 0) == (n_values > 0), "has other labels")
        if pairs:
            need(self.value_index.max() < n_values, "has positions of values that are not there")
            need(self.labels.max() < self.n_classes and self.weights.min() > 0, "has wrong classes")
            need(self.weights.sum() < MOST_WEIGHT, "has weights without a sum")


@dataclass(frozen=True)
class CountedDistribution:
    """A numeric column by the counts of its values so far."""

    counts: ValueCounts
    dialect: Dialect

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return self.counts.n_classes

    def add(self, batch: Batch, column: int) -> Self:
        """Return the distribution updated with a column of a batch."""
        return replace(self, counts=self.counts + ValueCounts.of(batch, column))


def _multiples(values: NDArray[np.floating[Any]], step: float) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):
        found: NDArray[np.float64] = np.divide(values, step, dtype=np.float64)
        np.rint(found, out=found)
        np.clip(found, -_FARTHEST, _FARTHEST, out=found)
        return found
