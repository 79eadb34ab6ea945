"""The distributions of the columns of a source: counts by one pass, cuts and normal distributions by those before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from calibrant import _core
from calibrant._threads import n_threads
from calibrant.bayes._counts import CategoryCounts, IntervalCounts
from calibrant.bayes._distribution import ColumnDistribution
from calibrant.bayes._gaussian import FittedGaussian
from calibrant.bayes._start_columns import ColumnOptions, Numeric, equal_width_cuts
from calibrant.bayes._streams.normal_sums import fit_normals
from calibrant.bayes._streams.part_batch import BatchReader
from calibrant.bayes._streams.value_ranges import find_ranges
from calibrant.data import CodedTable
from calibrant.data._internal import Schema, Source, SourcePart, find_bins, interval_codes, mdl_cuts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["learn_columns"]

_MAX_BINS = 255  # among which the MDL principle chooses cuts

_Counted = tuple[list[ColumnDistribution], "NDArray[np.float64]"]


def learn_columns(source: Source, reader: BatchReader, options: ColumnOptions) -> _Counted:
    """Return the distribution of each column, and the weight of each class.

    Parameters
    ----------
    source : Source
        The open source.
    reader : BatchReader
        How its parts are read.
    options : ColumnOptions
        How columns are modelled.

    Returns
    -------
    list of distributions, array of shape (n_classes,)
        What a fit in memory learns, with the cuts of ``"mdl"`` among the edges of at most 255 bins.
    """
    if options.numeric == "mdl":
        return _learn_mdl(source, reader, options)
    numeric = iter(_NUMERIC[options.numeric](source, reader, options) if reader.numeric else [])
    return _count(source, reader, _with_nominal(reader, options, numeric))


def _with_nominal(reader: BatchReader, options: ColumnOptions, numeric: object) -> list[ColumnDistribution]:
    empty = CategoryCounts.empty(reader.n_classes, options.smoothing)
    return [next(numeric) if feature.kind == "numeric" else empty for feature in reader.schema.features]  # type: ignore[call-overload]


def _normals(source: Source, reader: BatchReader, options: ColumnOptions) -> list[ColumnDistribution]:
    return list(fit_normals(source, reader, find_ranges(source, reader), options.dialect))


def _equal_width(source: Source, reader: BatchReader, options: ColumnOptions) -> list[ColumnDistribution]:
    ranges = find_ranges(source, reader)
    cuts = (equal_width_cuts(np.array([each.low, each.high]), options.n_bins) for each in ranges)
    return [_intervals(each, reader, options) for each in cuts]


_NUMERIC: dict[Numeric, Callable[[Source, BatchReader, ColumnOptions], list[ColumnDistribution]]] = {
    "gaussian": _normals,
    "equal_width": _equal_width,
}


def _intervals(cuts: NDArray[np.float64], reader: BatchReader, options: ColumnOptions) -> IntervalCounts:
    return IntervalCounts(cuts, CategoryCounts.empty(reader.n_classes, options.smoothing, len(cuts) + 1))


def _learn_mdl(source: Source, reader: BatchReader, options: ColumnOptions) -> _Counted:
    """Count the rows of each bin, and join bins between which the MDL principle sees no cut."""
    bins = find_bins(source, _MAX_BINS)
    ends = [highs for highs in bins.highs if highs is not None]
    numeric = iter([_intervals(highs[:-1], reader, options) for highs in ends])
    columns, class_count = _count(source, reader, _with_nominal(reader, options, numeric))
    joined = [
        _joined(column, reader.schema, index, highs, lows)
        if isinstance(column, IntervalCounts) and highs is not None and lows is not None
        else column
        for index, (column, highs, lows) in enumerate(zip(columns, bins.highs, bins.lows, strict=True))
    ]
    return joined, class_count


def _joined(
    binned: IntervalCounts, schema: Schema, index: int, highs: NDArray[np.float64], lows: NDArray[np.float64]
) -> IntervalCounts:
    """Return the counts of the intervals between the cuts of binned values."""
    counts = binned.counts.counts
    if len(highs) < 2:
        return binned
    bins, labels = np.nonzero(counts)
    matrix = np.ascontiguousarray(bins.astype(np.uint8)[:, np.newaxis])
    table = CodedTable(
        _core.byte_table(matrix, [(len(highs), highs, lows)], n_threads(1)),
        Schema((schema.features[index],), named=True),
    )
    cuts = mdl_cuts(table, labels, counts.shape[1], counts[bins, labels])[0]
    sums = np.zeros((len(cuts) + 1, counts.shape[1]))
    np.add.at(sums, interval_codes(highs, cuts), counts)
    return IntervalCounts(cuts, replace(binned.counts, counts=sums))


def _count(source: Source, reader: BatchReader, columns: list[ColumnDistribution]) -> _Counted:
    found: _Counted = source.reduce(_count_part, reader, columns, merge=_merge_counts, description="Counting values")
    return found


def _count_part(part: SourcePart, reader: BatchReader, columns: list[ColumnDistribution]) -> _Counted:
    batch = reader.batch(part)
    counted = [
        column if isinstance(column, FittedGaussian) else column.add(batch, index)
        for index, column in enumerate(columns)
    ]
    return counted, np.bincount(batch.labels, batch.weights, reader.n_classes).astype(np.float64)


def _merge_counts(first: _Counted, second: _Counted) -> _Counted:
    merged = [_merge(one, other) for one, other in zip(first[0], second[0], strict=True)]
    return merged, first[1] + second[1]


def _merge(one: ColumnDistribution, other: ColumnDistribution) -> ColumnDistribution:
    """Return the counts of both; a normal distribution is complete."""
    if isinstance(one, IntervalCounts) and isinstance(other, IntervalCounts):
        return IntervalCounts(one.cuts, replace(one.counts, counts=one.counts.counts + other.counts.counts))
    if isinstance(one, CategoryCounts) and isinstance(other, CategoryCounts):
        return replace(one, counts=one.counts + other.counts)
    return one
