"""The distribution of each column of a table in naive Bayes, by its kind and the options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from calibrant.bayes._counts import Batch, CategoryCounts, ColumnDistribution, Dialect, IntervalCounts, Smoothing
from calibrant.bayes._gaussian import Gaussian
from calibrant.bayes._kernels import KernelDistribution
from calibrant.bayes._value_grid import ValueCounts
from calibrant.data._internal import mdl_cuts

Numeric = Literal["mdl", "gaussian", "kernel", "equal_width"]


@dataclass(frozen=True)
class ColumnOptions:
    """The options of columns' distributions: the parameters of `NaiveBayesClassifier`."""

    numeric: Numeric
    n_bins: int
    smoothing: Smoothing
    dialect: Dialect


def start_columns(batch: Batch, options: ColumnOptions) -> list[ColumnDistribution]:
    """Return the distributions of all columns, still without rows; intervals are chosen by the batch."""
    numeric = iter(NUMERIC[options.numeric](batch, options))
    features = batch.columns.schema.features
    empty = CategoryCounts.empty(batch.n_classes, options.smoothing)
    return [next(numeric) if feature.kind == "numeric" else empty for feature in features]


def _mdl(batch: Batch, options: ColumnOptions) -> list[ColumnDistribution]:
    cuts = mdl_cuts(batch.table, batch.labels, batch.n_classes, batch.weights)
    return [_cut(cuts[column], batch, options) for column in _numeric_columns(batch)]


def _equal_width(batch: Batch, options: ColumnOptions) -> list[ColumnDistribution]:
    arrays = (batch.columns.arrays[column] for column in _numeric_columns(batch))
    return [_cut(equal_width_cuts(array, options.n_bins), batch, options) for array in arrays]


def _gaussian(batch: Batch, options: ColumnOptions) -> list[ColumnDistribution]:
    return [Gaussian(ValueCounts.empty(batch.n_classes), options.dialect) for _ in _numeric_columns(batch)]


def _kernel(batch: Batch, options: ColumnOptions) -> list[ColumnDistribution]:
    return [KernelDistribution(ValueCounts.empty(batch.n_classes), options.dialect) for _ in _numeric_columns(batch)]


NUMERIC: dict[Numeric, Callable[[Batch, ColumnOptions], list[ColumnDistribution]]] = {
    "mdl": _mdl,
    "gaussian": _gaussian,
    "kernel": _kernel,
    "equal_width": _equal_width,
}


def equal_width_cuts(values: NDArray[Any], n_bins: int) -> NDArray[np.float64]:
    """Return the cuts of the range of the finite values into equal intervals; cuts that round to one number are one.

    Examples
    --------
    >>> equal_width_cuts(np.array([0.0, 8.0, np.nan]), 4)
    array([2., 4., 6.])
    """
    finite = values[np.isfinite(values)].astype(np.float64)
    if len(finite) == 0 or finite.min() == finite.max():
        return np.empty(0)
    fractions = np.arange(1, n_bins) / n_bins
    return np.unique((1 - fractions) * finite.min() + fractions * finite.max())


def _cut(cuts: NDArray[np.float64], batch: Batch, options: ColumnOptions) -> IntervalCounts:
    return IntervalCounts(cuts, CategoryCounts.empty(batch.n_classes, options.smoothing, len(cuts) + 1))


def _numeric_columns(batch: Batch) -> list[int]:
    return [column for column, feature in enumerate(batch.columns.schema.features) if feature.kind == "numeric"]
