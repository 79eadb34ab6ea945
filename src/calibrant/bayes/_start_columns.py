"""The distribution of each column of a table in naive Bayes, by its kind and the options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from calibrant.bayes._counts import Batch, CategoryCounts, ColumnDistribution, Dialect, IntervalCounts, Smoothing
from calibrant.bayes._gaussian import Gaussian
from calibrant.bayes._kernels import KernelDistribution
from calibrant.bayes._value_grid import ValueCounts
from calibrant.data._internal import mdl_cuts

Numeric = Literal["mdl", "gaussian", "kernel", "equal_width"]
NUMERIC: tuple[Numeric, ...] = get_args(Numeric)


@dataclass(frozen=True)
class ColumnOptions:
    """The options of columns' distributions: the parameters of `NaiveBayesClassifier`."""

    numeric: Numeric
    n_bins: int
    smoothing: Smoothing
    dialect: Dialect


def start_columns(batch: Batch, options: ColumnOptions) -> list[ColumnDistribution]:
    """Return the distributions of all columns, still without rows; intervals are chosen by the batch."""
    features, counts = batch.columns.schema.features, ValueCounts.empty(batch.n_classes)
    cuts = mdl_cuts(batch.table, batch.labels, batch.n_classes, batch.weights) if options.numeric == "mdl" else ()
    columns: list[ColumnDistribution] = []
    for number, feature in enumerate(features):
        if feature.kind != "numeric":
            columns.append(CategoryCounts.empty(batch.n_classes, options.smoothing))
        elif options.numeric in ("gaussian", "kernel"):
            kind = Gaussian if options.numeric == "gaussian" else KernelDistribution
            columns.append(kind(counts, options.dialect))
        else:
            own = cuts[number] if cuts else equal_width_cuts(batch.columns.arrays[number], options.n_bins)
            columns.append(IntervalCounts.empty(own, batch.n_classes, options.smoothing))
    return columns


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
