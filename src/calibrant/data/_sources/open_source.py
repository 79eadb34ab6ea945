"""The opening of a source: of files, frames or collections that are read part by part."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._dask.client import Connection, active_client
from calibrant._dask.lazy import is_dask
from calibrant._optional import optional_import
from calibrant.data._frames.columns import Nominal
from calibrant.data._readers.arguments import check_arguments
from calibrant.data._readers.compression import uncompressed_name
from calibrant.data._readers.reading import Reading, ReadOptions
from calibrant.data._readers.source import PARQUET, TEXT, detect_format
from calibrant.data._sources.csv_blocks import ByteSource, open_bytes
from calibrant.data._sources.csv_reader import BLOCK, CsvReader
from calibrant.data._sources.model_columns import Chunk, SelectedColumns, WantedColumns
from calibrant.data._sources.source import DaskSource, LocalSource, Source
from calibrant.data._sources.source_part import SourcePart, choose_roles
from calibrant.data._sources.table_readers import (
    DatasetReader,
    FrameReader,
    LazyFrameReader,
    ParquetReader,
    PartitionReader,
    Partitions,
    SourceReader,
)
from calibrant.exceptions import DataError, ParameterError, ReadError, SchemaError

_C45 = (".names", ".data", ".test")
_CHUNK_ROWS = 65_536  # of a table that is predicted; with 100 columns of numbers 50 MB


def _open_files(path: Path, batch_size: int | None, options: ReadOptions, names: Sequence[str]) -> SourceReader:
    """Open a file or a folder of Parquet or CSV files; other formats are read whole."""
    if path.is_dir():
        paths = _files(path)
        extension = _extension(paths[0])
    else:
        paths = [path]
        with open_bytes(path, 2**12) as opened:
            extension = detect_format(path, opened.head)
        is_retyped = extension in PARQUET and (options.missing or options.types)
        if extension not in (*PARQUET, *TEXT) or _extension(path) in _C45 or is_retyped:
            return _whole_file(path, batch_size, options)
    if extension in PARQUET:
        return ParquetReader(str(path), paths, batch_size)
    return CsvReader(str(path), paths, batch_size, options, names)


def _whole_file(path: Path, batch_size: int | None, options: ReadOptions) -> SourceReader:
    import pandas as pd

    from calibrant.data._read_table import read_table  # a circular import otherwise

    table = read_table(path, target=False, **{name: getattr(options, name) for name in options.given})
    frame = table.X if table.extra is None else pd.concat([table.X, table.extra], axis=1)
    reader = FrameReader(frame, batch_size, str(path), table.reading)
    reader.not_features = () if table.extra is None else [str(name) for name in table.extra]
    return reader


def _files(folder: Path) -> list[Path]:
    """Return the files of a folder in the order of their names, numbers in them by size as Dask orders them."""
    found = [path for path in folder.iterdir() if path.is_file() and path.name[0] not in "._"]
    known = [path for path in found if _is_table(path)]
    if not known:
        hint = "Pass a folder of such files; for one with folders in it, pass pyarrow.dataset.dataset(folder)."
        raise ReadError.at(folder, "has no Parquet or CSV files", hint=hint)
    if below := _inner_folder(folder):
        hint = "Move them into one folder, or pass pyarrow.dataset.dataset(folder)."
        raise ReadError.at(folder, f"has files and a folder of files, {below.name!r}", hint=hint)
    if len({_extension(path) in PARQUET for path in known}) > 1:
        raise ReadError.at(folder, "has both Parquet and CSV files", hint="Pass a folder of one of them.")
    return sorted(known, key=lambda path: natural_key(path.name))


def _is_table(path: Path) -> bool:
    return _extension(path) in (*PARQUET, *TEXT)


def _inner_folder(folder: Path) -> Path | None:
    """Return a folder in another one that has Parquet or CSV files, whose rows nobody would read."""
    inner = (path for path in sorted(folder.iterdir()) if path.is_dir() and path.name[0] not in "._")
    return next((path for path in inner if any(map(_is_table, path.iterdir()))), None)


def natural_key(name: str) -> list[tuple[int, int, str]]:
    """Return a key by which part.2 precedes part.10.

    Examples
    --------
    >>> sorted(["part.10.csv", "part.2.csv"], key=natural_key)
    ['part.2.csv', 'part.10.csv']
    """
    pieces = re.split(r"([0-9]+)", name)
    return [(0, int(piece), piece) if piece.isascii() and piece.isdigit() else (1, 0, piece) for piece in pieces]


def _extension(path: Path) -> str:
    return Path(uncompressed_name(path)).suffix


def is_source(X: Any) -> bool:
    """Return whether a table is read part by part: a path, a LazyFrame, a pyarrow Dataset or a Dask collection.

    Examples
    --------
    >>> is_source("rows.parquet"), is_source([[1.0, 2.0]])
    (True, False)
    """
    return isinstance(X, str | os.PathLike) or is_dask(X) or _is_lazy(X) or _is_dataset(X)


def open_source(
    X: Any,
    *,
    target: str | None,
    sample_weight: str | None = None,
    groups: str | None = None,
    columns: Sequence[str] | None = None,
    nominal: Nominal = "auto",
    batch_size: int | None = None,
    client: Any = None,
) -> Source:
    """Open a table that is read part by part; a frame in memory is accepted too.

    Parameters
    ----------
    X : path, polars LazyFrame, pyarrow Dataset, Dask collection, or frame
        The table. A path is that of a file, or of a folder of Parquet or CSV files, which are read by name.
    target, sample_weight, groups : str, optional
        The columns of classes, weights and groups.
    columns : sequence of str, optional
        The features; by default all other columns.
    nominal : "auto", "all", or a sequence of names, positions or booleans
        The columns to treat as nominal, in addition to those whose values are not numbers.
    batch_size : int, optional
        The largest number of rows of a part, where the source allows a choice.
    client : distributed.Client, optional
        The cluster that reads a Dask collection; by default the active one. Other sources take none.

    Returns
    -------
    Source
        To be closed, or opened with ``with``.

    Examples
    --------
    >>> import polars
    >>> lazy = polars.LazyFrame({"age": [31, 64, 45], "ill": ["no", "yes", "no"]})
    >>> with open_source(lazy, target="ill", batch_size=2) as source:
    ...     [(part.number, part.first_row, part.y.tolist()) for part in source]
    [(0, 0, ['no', 'yes']), (1, 2, ['no'])]
    """
    roles: dict[str, Any] = {"target": target, "sample_weight": sample_weight, "groups": groups}
    if is_dask(X):
        return _open_dask(X, client, {**roles, "columns": columns, "nominal": nominal})
    if client is not None:
        raise ParameterError(
            "client must be None unless the source is a Dask frame or array; got a client. To learn on its workers, "
            "pass dask.dataframe.read_parquet(path) or the like."
        )
    reader = _reader(X, batch_size)
    return LocalSource(
        reader, choose_roles(reader.columns, reader.not_features, **roles, columns=columns, nominal=nominal)
    )


def _open_dask(X: Any, client: Any, roles: dict[str, Any]) -> Source:
    """Open a Dask collection on a cluster: that of the client, or of the active one, else in this process."""
    partitions = Partitions(X)
    for role in ("target", "sample_weight", "groups"):
        if partitions.is_array and isinstance(roles[role], int):
            roles[role] = str(roles[role])
    chosen = choose_roles(partitions.columns, **roles, named=not partitions.is_array)
    client = client if client is not None else active_client()
    if client is None:
        return LocalSource(PartitionReader(partitions), chosen)
    return DaskSource(partitions, chosen, Connection(client))


def _reader(
    X: Any, batch_size: int | None, options: ReadOptions | None = None, names: Sequence[str] = ()
) -> SourceReader:
    if isinstance(X, str | os.PathLike):
        return _open_files(Path(X), batch_size, options or ReadOptions(), names)
    if is_dask(X):
        return PartitionReader(Partitions(X))
    if _is_lazy(X):
        return LazyFrameReader(X, batch_size)
    return DatasetReader(X, batch_size) if _is_dataset(X) else FrameReader(X, batch_size)


def _is_lazy(X: Any) -> bool:
    return hasattr(X, "collect") and hasattr(X, "collect_schema") and hasattr(X, "lazy")


def _is_dataset(X: Any) -> bool:
    return type(X).__module__.startswith("pyarrow") and hasattr(X, "get_fragments")


def predict_parts(X: Any, predict: Callable[[Any], NDArray[Any]], names: Any = None) -> NDArray[Any]:
    """Return the predictions of all rows of a source, of which one part at a time is in memory.

    Parameters
    ----------
    X : path, polars LazyFrame or pyarrow Dataset
        The table.
    predict : callable
        Returns the predictions of a frame.
    names : sequence of str, optional
        The columns that the model has; by default all are passed.

    Returns
    -------
    array of shape (n_rows, ...)
        The predictions.

    Examples
    --------
    >>> import polars
    >>> lazy = polars.LazyFrame({"a": [1, 2, 3], "b": [4, 5, 6]})
    >>> predict_parts(lazy, lambda frame: frame["a"].to_numpy(), ["a"])
    array([1, 2, 3])
    """
    columns = None if names is None else [str(name) for name in names]
    with open_source(X, target=None, columns=columns) as source:
        found = _predict(source, lambda part: predict(part.X) if part.n_rows else None)
    parts = [each for each in found if each is not None]
    if not parts:
        raise DataError("the source has no rows. Pass a table with rows.")
    return np.concatenate(parts)


def _predict(source: Source, predict: Callable[[SourcePart], Any]) -> list[Any]:
    """Return the predictions of each part, once more if a column may have another type in later rows."""
    try:
        return source.map(predict, description="Predicting")
    except SchemaError:
        source.map(_nothing)  # decides the types of columns of CSV files, which may be text by a later row
        return source.map(predict, description="Predicting")


def _nothing(_part: SourcePart) -> None:
    """Read a part, no more."""


@dataclass(frozen=True, eq=False)
class TableChunks:
    """The chunks of a file, with the names of all its columns and those that are read.

    ``n_rows`` is the number of rows that the file states, None if it states none, and ``n_expected`` an estimate for
    progress bars; ``is_streamed`` is False where the whole file was read at once because its format requires that.
    """

    columns: tuple[str, ...]
    selection: SelectedColumns
    chunks: Iterator[Chunk]
    n_rows: int | None = None
    n_expected: int | None = None
    is_streamed: bool = True
    reader: SourceReader | None = None

    @classmethod
    @contextmanager
    def open(
        cls,
        source: Any,
        wanted: WantedColumns,
        *,
        n_rows: int | None = None,
        **layout: Any,
    ) -> Iterator[TableChunks]:
        """Open a source or a binary stream by the columns of a model, in chunks of at most ``n_rows`` rows.

        ``layout`` has the keywords of `read_table` for how a file is laid out. A stream is CSV, or by its first bytes
        another format, of which it is first copied to a temporary file.
        """
        optional_import("pandas", extra="data", purpose="read tables")
        check_arguments(**layout)
        options = ReadOptions(**{name: each for name, each in layout.items() if each is not None})
        options = replace(options, missing=tuple(options.missing))
        names = wanted.names or ()
        batch_size = min(n_rows or _CHUNK_ROWS, _CHUNK_ROWS)
        if is_source(source):
            yield cls._of(_reader(source, batch_size, options, names), wanted)
            return
        with open_bytes(source, BLOCK) as opened:
            extension = detect_format(opened.path, opened.head)
            if extension in TEXT:
                yield cls._of(CsvReader(str(opened.path), [opened], batch_size, options, names), wanted)
                return
            with _spooled(opened, extension) as copied:
                yield cls._of(_reader(copied, batch_size, options), wanted)

    @classmethod
    def _of(cls, reader: SourceReader, wanted: WantedColumns) -> TableChunks:
        names = tuple(str(name) for name in reader.columns)
        selection = wanted.select(names, [name for name in names if name not in reader.not_features], reader.name)
        return cls(
            names, selection, reader.chunks(selection), reader.n_rows, reader.n_expected, reader.is_streamed, reader
        )

    @property
    def reading(self) -> Reading | None:
        """The layout of the file, as far as it has been read."""
        return None if self.reader is None else self.reader.reading


@contextmanager
def _spooled(source: ByteSource, extension: str) -> Iterator[Path]:
    """Copy a stream to a temporary file, because its format is read from the end or as a whole."""
    try:
        folder = tempfile.mkdtemp(prefix="calibrant-")
    except OSError as error:
        raise ReadError.at(source.path, f"cannot be copied to a temporary file ({error.strerror})") from error
    try:
        path = Path(folder, f"standard_input{extension}")
        with path.open("wb") as file:
            for part in chain([source.head], iter(source.read, b"")):
                file.write(part)
        yield path
    finally:
        shutil.rmtree(folder, ignore_errors=True)
