"""Bins of the columns of a source: exact, and the same for any partition of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._exact_sums import round_weights, weight_step
from calibrant.data._bins.bins import Bins
from calibrant.data._bins.cells import CellCounts, count_cells, sample_edges
from calibrant.data._bins.quantile_search import CellValues, Gathering, QuantileSearch, gather_values
from calibrant.data._bins.quantiles import ColumnBins, distinct_bins
from calibrant.data._frames.values import numeric_values
from calibrant.data._sources.source import Source
from calibrant.data._sources.source_part import SourcePart
from calibrant.data._sources.survey import Survey

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["find_bins"]

_LEAST_CELLS, _MOST_CELLS = 2**10, 2**14  # counted in the first pass; more take longer to search than a further pass
_ROWS_OF_ENDS = 2**16  # to be collected of all cells that hold the end of a bin


def find_bins(source: Source, max_bins: int = 255) -> Bins:
    """Return the bins that `bins_of` returns for all rows in memory, to the bit.

    A first pass finds the columns of few distinct values, and samples the others; the next counts the rows between
    values of the sample, again in finer cells where these hold too many rows, and the last collects the values of the
    cells in which bins end.

    Examples
    --------
    >>> import polars
    >>> from calibrant.data._sources.open_source import open_source
    >>> lazy = polars.LazyFrame({"age": [31.0, 64.0, 45.0, 19.0], "ill": [0, 1, 1, 0]})
    >>> find_bins(open_source(lazy, target="ill", batch_size=3), 2).highs
    (array([31., 64.]),)
    """
    survey, schema = source.survey(max_bins), source.schema
    step = None if survey.are_ones else weight_step(survey.largest_weight, survey.n_rows)
    found = _few_values(survey)
    searches = {
        name: QuantileSearch(
            _first_edges(facts.distinct.sample.known(), survey.n_rows, max_bins), step or 1.0, max_bins
        )
        for name, facts in zip(source.columns, survey.columns, strict=True)
        if facts.kind == "numeric" and name not in found
    }
    _count(source, dict(searches), step)
    if searches:
        gatherings = {name: search.gathering() for name, search in searches.items()}
        gathered = source.reduce(_gather_part, gatherings, step, merge=_merge, description="Finding bins")
        found |= {name: search.bins(gathered[name]) for name, search in searches.items()}
    pairs = [found.get(feature.name, (None, None)) for feature in schema.features]
    return Bins(schema, tuple(highs for highs, _ in pairs), tuple(lows for _, lows in pairs))


def _few_values(survey: Survey) -> dict[str, ColumnBins]:
    """Return the bins of numeric columns that have few distinct values, or none at all."""
    found: dict[str, ColumnBins] = {}
    for facts in survey.columns:
        if facts.kind == "numeric" and facts.is_empty:
            found[facts.name] = distinct_bins(np.empty(0))
        elif facts.kind == "numeric" and facts.distinct.values is not None:
            found[facts.name] = distinct_bins(facts.distinct.values)
    return found


def _first_edges(sample: NDArray[np.float64], n_rows: int, max_bins: int) -> NDArray[np.float64]:
    """Return edges so close that the cells in which bins end have few rows in all."""
    n_cells = max(_LEAST_CELLS, min(_MOST_CELLS, n_rows * max_bins // _ROWS_OF_ENDS))
    return sample_edges(sample, min(n_cells, len(sample))) if len(sample) else np.zeros(1)


def _count(source: Source, searches: dict[str, QuantileSearch], step: float | None) -> None:
    """Count cells, and divide those that hold the ends of bins, until they are fine enough."""
    while searches:
        edges = {name: search.edges for name, search in searches.items()}
        counts = source.reduce(_count_part, edges, step, merge=_merge, description="Finding bins")
        for name, search in list(searches.items()):
            search.add_counts(counts[name])
            if search.is_fine():
                del searches[name]
            else:
                search.refine()


def _count_part(
    part: SourcePart, edges: Mapping[str, NDArray[np.float64]], step: float | None
) -> dict[str, CellCounts]:
    weights = _weights(part, step)
    return {name: count_cells(_values(part, name), weights, each) for name, each in edges.items()}


def _gather_part(part: SourcePart, gatherings: Mapping[str, Gathering], step: float | None) -> dict[str, CellValues]:
    weights = _weights(part, step)
    return {name: gather_values(_values(part, name), weights, each) for name, each in gatherings.items()}


def _merge(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {name: one[name] + other[name] for name in one}


def _values(part: SourcePart, name: str) -> NDArray[np.floating[Any]]:
    return numeric_values(part.frame[name], name) if part.n_rows else np.empty(0)


def _weights(part: SourcePart, step: float | None) -> NDArray[np.float64] | None:
    return None if step is None or part.weights is None else round_weights(part.weights, step)
