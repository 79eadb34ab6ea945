"""The rows of a source coded in bytes: part by part, and all of them in memory-mapped files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.data._bins.bins import Bins
from calibrant.data._bins.coded_part import CodedPart
from calibrant.data._bins.codes_folder import CodesFolder
from calibrant.data._coding.coded_table import CodedTable
from calibrant.data._sources.source import Source
from calibrant.data._sources.source_part import SourcePart
from calibrant.data._sources.survey import class_codes, group_codes
from calibrant.data._validation.labels_and_weights import Labels
from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BinnedRows", "code_part", "write_codes"]


@dataclass(frozen=True, eq=False)
class BinnedRows:
    """All rows of a source in files that are mapped into memory, as long as their folder is there.

    ``weights`` is None where all are 1, ``groups`` where rows do not belong together; the codes of ``labels`` are
    uint16.
    """

    bins: Bins
    table: CodedTable
    labels: Labels
    weights: NDArray[np.float64] | None
    groups: NDArray[np.intp] | None
    n_groups: int


def code_part(
    part: SourcePart, bins: Bins, classes: NDArray[Any], groups: NDArray[Any] | None, *, weighted: bool, n_jobs: int = 1
) -> CodedPart:
    """Return the rows of a part in codes; ``groups`` are the distinct groups of the whole source."""
    return CodedPart(
        part.first_row or 0,
        bins.code(part.columns(bins.schema), n_jobs=n_jobs),
        class_codes(part, classes).astype(np.uint16),
        part.weights if weighted else None,
        None if groups is None else group_codes(part, groups).astype(np.intp),
    )


def write_codes(source: Source, bins: Bins, folder: CodesFolder, *, n_jobs: int | None = 1) -> BinnedRows:
    """Write the codes of all rows, their classes, weights and groups to files of a scratch folder.

    Examples
    --------
    >>> import polars
    >>> from calibrant.data._bins.find_bins import find_bins
    >>> from calibrant.data._sources.open_source import open_source
    >>> source = open_source(polars.LazyFrame({"age": [31.0, 64.0, 45.0], "ill": [0, 1, 1]}), target="ill")
    >>> with CodesFolder() as folder:
    ...     rows = write_codes(source, find_bins(source), folder)
    ...     rows.table.codes(0).tolist(), rows.labels.codes.tolist()
    ([0, 2, 1], [0, 1, 1])
    """
    bins.check_bytes()
    survey = source.survey()
    if survey.labels is None:
        raise DataError("the target must be the name of a column of the source; got None.")
    labels, n, weighted = survey.labels.labels(), survey.n_rows, not survey.are_ones
    needed = n * (len(bins.highs) + 2 + 8 * weighted + 8 * (survey.groups is not None))
    folder.check_space(needed, f"the codes of {n:,} rows")
    rows = _Files(
        folder.array("codes", (n, len(bins.highs)), np.uint8),
        folder.array("labels", (n,), np.uint16),
        folder.array("weights", (n,), np.float64) if weighted else None,
        None if survey.groups is None else folder.array("groups", (n,), np.intp),
    )
    source.map(_write_part, rows, bins, labels.classes, survey.groups, n_jobs, description="Coding rows")
    labels = replace(labels, codes=rows.labels)
    n_groups = 0 if survey.groups is None else len(survey.groups)
    return BinnedRows(bins, bins.table(rows.codes, n_jobs=n_jobs), labels, rows.weights, rows.groups, n_groups)


@dataclass(frozen=True, eq=False)
class _Files:
    """The mapped files that parts are written to."""

    codes: Any
    labels: Any
    weights: Any
    groups: Any


def _write_part(
    part: SourcePart, files: _Files, bins: Bins, classes: NDArray[Any], groups: NDArray[Any] | None, n_jobs: int | None
) -> None:
    first = part.first_row or 0
    rows = slice(first, first + part.n_rows)
    if rows.stop > len(files.labels):
        raise DataError(f"{part.origin} changed while it was read: it has more rows than before. Read it again.")
    bins.code(part.columns(bins.schema), files.codes[rows], n_jobs=n_jobs)
    files.labels[rows] = class_codes(part, classes)
    if files.weights is not None:
        files.weights[rows] = part.weights
    if files.groups is not None and groups is not None:
        files.groups[rows] = group_codes(part, groups)
