"""Cut points of the columns of a source, from the class weights of their bins, which its parts count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant._exact_sums import round_weights, weight_step
from calibrant.data._bins.bins import MOST_BYTE_VALUES, Bins
from calibrant.data._bins.find_bins import find_bins
from calibrant.data._discretize.stopping_rules import CutRule
from calibrant.data._frames.schema import Schema
from calibrant.data._sources.label_facts import class_codes
from calibrant.data._sources.source import Source
from calibrant.data._sources.source_part import SourcePart
from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["source_cuts"]


def source_cuts(
    source: Source, max_bins: int | None, rule: CutRule
) -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64] | None], Schema]:
    """Return the cut points of every column, the ends of its bins (None for a nominal one), and the schema.

    Examples
    --------
    >>> import polars
    >>> from calibrant.data._sources.open_source import open_source
    >>> lazy = polars.LazyFrame({"age": list(range(20)), "ill": [0] * 10 + [1] * 10})
    >>> source_cuts(open_source(lazy, target="ill", batch_size=7), None, "fayyad_irani")[0]
    [array([9.5])]
    """
    bins, survey = find_bins(source, max_bins or MOST_BYTE_VALUES), source.survey()
    bins.check_bytes()
    if survey.labels is None:
        raise DataError("y must be the name of a column of the source; got None.")
    classes = survey.labels.labels().classes
    step = None if survey.are_ones else weight_step(survey.largest_weight, survey.n_rows)
    counts = source.reduce(_count_part, bins, classes, step, merge=_add, description="Counting bins")
    cuts = [bins.mdl_cuts(column, each, rule) for column, each in enumerate(counts)]
    values = [
        None if highs is None or lows is None else np.unique(np.concatenate([lows, highs]))
        for highs, lows in zip(bins.highs, bins.lows, strict=True)
    ]
    return cuts, values, bins.schema


def _count_part(part: SourcePart, bins: Bins, classes: NDArray[np.generic], step: float | None) -> NDArray[np.float64]:
    """Return the class weights (columns x codes x classes) of a part; sums of rounded weights are exact."""
    codes, labels = (
        bins.code(part.columns(bins.schema)),
        class_codes(part, classes) if part.n_rows else np.empty(0, int),
    )
    weights = None if step is None or part.weights is None else round_weights(part.weights, step)
    counts = np.zeros((len(bins.highs), MOST_BYTE_VALUES + 1, len(classes)))
    for j, highs in enumerate(bins.highs):
        if highs is not None:
            keys = codes[:, j].astype(np.intp) * len(classes) + labels
            counts[j] = np.bincount(keys, weights, counts[j].size).reshape(counts[j].shape)
    return counts


def _add(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    return one + other
