"""The rows of a source coded in bytes: part by part, or all of them in memory-mapped files."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from calibrant._memory import format_bytes
from calibrant.data._bins.bins import MOST_BYTE_VALUES, Bins
from calibrant.data._bins.find_bins import find_bins
from calibrant.data._coding.coded_table import CodedTable
from calibrant.data._sources.source import Source
from calibrant.data._sources.source_part import SourcePart
from calibrant.data._validation.labels_and_weights import Labels
from calibrant.exceptions import DataError


@dataclass(frozen=True, eq=False)
class CodedPart:
    """The number of the first row in the whole source, and of each row its codes, class, weight and group."""

    first_row: int
    matrix: NDArray[np.uint8]
    labels: NDArray[np.uint16]
    weights: NDArray[np.float64] | None = None
    groups: NDArray[np.intp] | None = None

    @classmethod
    def of(
        cls,
        part: SourcePart,
        bins: Bins,
        classes: NDArray[Any],
        groups: NDArray[Any] | None,
        *,
        weighted: bool,
    ) -> CodedPart:
        """Return the rows of a part in codes; ``groups`` are the distinct groups of the whole source."""
        return cls(
            part.first_row or 0,
            bins.code(part.columns(bins.schema)),
            part.class_codes(classes).astype(np.uint16),
            part.weights if weighted else None,
            None if groups is None else part.group_codes(groups).astype(np.intp),
        )

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.labels)

    def __sizeof__(self) -> int:
        """Return the bytes of the arrays, by which Dask accounts for the memory of workers and chooses among them."""
        arrays = (self.matrix, self.labels, self.weights, self.groups)
        return sum(each.nbytes for each in arrays if each is not None)


_HINT = "Set CALIBRANT_SCRATCH to a folder on a larger disk."


class CodesFolder:
    """A folder below CALIBRANT_SCRATCH, or below the folder of temporary files, that is removed at the end.

    Examples
    --------
    >>> with CodesFolder() as folder:
    ...     codes = folder.array("codes", (3, 2), np.uint8)
    >>> codes.shape, folder.path.exists()
    ((3, 2), False)
    """

    def __init__(self) -> None:
        parent = os.environ.get("CALIBRANT_SCRATCH") or tempfile.gettempdir()
        self.path = Path(parent, f"calibrant-{os.getpid()}-{secrets.token_hex(8)}")
        # Registered before there is a folder, which an interrupt in between would leave behind
        self._remove = weakref.finalize(self, _remove, self.path)
        try:
            self.path.mkdir(mode=0o700)
        except OSError as error:
            raise DataError(f"no scratch folder can be made in {parent} ({error.strerror}). {_HINT}") from error

    def check_space(self, n_bytes: int, what: str) -> None:
        """Raise if the disk has less space than is needed."""
        free = shutil.disk_usage(self.path).free
        if n_bytes > free:
            raise DataError(
                f"{what} take {format_bytes(n_bytes)} in the scratch folder, and {self.path.parent} has "
                f"{format_bytes(free)} free. {_HINT}"
            )

    def array(self, name: str, shape: Sequence[int], dtype: Any) -> np.memmap[Any, Any]:
        """Return a new array in a file of the folder; its space is reserved, because a full disk ends the process."""
        path = self.path / name
        n_bytes = max(1, prod(shape) * np.dtype(dtype).itemsize)
        try:
            with path.open("wb") as file:
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, n_bytes)
                file.truncate(n_bytes)
        except OSError as error:
            raise DataError(
                f"{format_bytes(n_bytes)} cannot be written to {self.path.parent} ({error.strerror}). {_HINT}"
            ) from error
        return np.memmap(path, dtype=dtype, mode="r+", shape=tuple(shape))

    def remove(self) -> None:
        """Delete the folder and what is in it; nothing happens the second time."""
        self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()


def _remove(path: Path) -> None:
    """Delete a folder, also if an interrupt comes while it is deleted."""
    try:
        shutil.rmtree(path, ignore_errors=True)
    finally:
        if path.exists():
            shutil.rmtree(path, ignore_errors=True)


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
    files.labels[rows] = part.class_codes(classes)
    if files.weights is not None:
        files.weights[rows] = part.weights
    if files.groups is not None and groups is not None:
        files.groups[rows] = part.group_codes(groups)


@contextmanager
def binned_rows(source: Source, max_bins: int | None, *, n_jobs: int | None = 1) -> Iterator[BinnedRows]:
    """Yield the rows of a source in at most so many bins, 255 by default, mapped to files that are removed in the end.

    Examples
    --------
    >>> import polars
    >>> from calibrant.data._sources.open_source import open_source
    >>> lazy = polars.LazyFrame({"age": [31.0, 64.0, 45.0], "ill": ["no", "yes", "no"]})
    >>> with open_source(lazy, target="ill") as source, binned_rows(source, 2) as rows:
    ...     print(rows.table.codes(0))
    [0 1 0]
    """
    with CodesFolder() as folder:
        yield write_codes(source, find_bins(source, max_bins or MOST_BYTE_VALUES), folder, n_jobs=n_jobs)
