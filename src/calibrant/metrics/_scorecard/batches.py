"""Batches of tables larger than memory: Parquet and CSV files, LazyFrames, Dask frames, or frames in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw

from calibrant._optional import optional_import
from calibrant.exceptions import DataTypeError, MissingFileError, ReadError
from calibrant.metrics._scorecard.csv_batches import check_columns, csv_batches, is_csv

__all__ = ["batches"]


def batches(source: Any, columns: Sequence[str], batch_size: int, numbers: Sequence[str] = ()) -> Iterator[Any]:
    """Yield some columns of a table, batch by batch, as narwhals frames.

    Parameters
    ----------
    source : path, polars LazyFrame, Dask frame, or a frame in memory
        The table; a path is that of a Parquet file, or of a CSV file by its extension.
    columns : sequence of str
        The columns to read.
    batch_size : int
        The largest number of rows in a batch, where the source allows a choice.
    numbers : sequence of str
        The columns of a CSV file that hold numbers; the types of others are inferred.

    Yields
    ------
    narwhals.DataFrame
        The next rows.

    Examples
    --------
    >>> import polars
    >>> lazy = polars.LazyFrame({"y": [0, 1, 1], "p": [0.2, 0.7, 0.6], "x": [5, 6, 7]})
    >>> [batch.shape for batch in batches(lazy, ["y", "p"], 2)]
    [(2, 2), (1, 2)]
    """
    if isinstance(source, str | os.PathLike):
        yield from _file_batches(Path(source), columns, batch_size, numbers)
    elif hasattr(source, "to_delayed"):
        yield from _dask_batches(source, columns)
    elif hasattr(source, "collect") and hasattr(source, "collect_schema"):
        yield from _lazy_frame_batches(source, columns, batch_size)
    else:
        yield from _frame_batches(source, columns, batch_size)


def _file_batches(path: Path, columns: Sequence[str], batch_size: int, numbers: Sequence[str]) -> Iterator[Any]:
    if not path.is_file():
        raise MissingFileError.at(path, "there is no such file", hint="Pass the path of a Parquet or a CSV file.")
    if is_csv(path):
        yield from csv_batches(path, columns, batch_size, numbers)
    else:
        yield from _parquet_batches(path, columns, batch_size)


def _parquet_batches(path: Path, columns: Sequence[str], batch_size: int) -> Iterator[Any]:
    parquet = optional_import("pyarrow.parquet", extra="data", purpose="read Parquet")
    with _opened(parquet, path) as file:
        check_columns(columns, file.schema_arrow.names)
        arrow = optional_import("pyarrow", extra="data", purpose="read Parquet")
        for batch in file.iter_batches(batch_size=batch_size, columns=list(columns)):
            yield nw.from_native(arrow.Table.from_batches([batch]), eager_only=True)


def _opened(parquet: Any, path: Path) -> Any:
    try:
        return parquet.ParquetFile(path)
    except ValueError as error:
        raise ReadError.at(
            path, "is no Parquet file", hint="Pass the path of a Parquet or a CSV file, or a frame."
        ) from error


def _dask_batches(source: Any, columns: Sequence[str]) -> Iterator[Any]:
    check_columns(columns, [str(name) for name in source.columns])
    for part in source[list(columns)].to_delayed():
        yield nw.from_native(part.compute(), eager_only=True)


def _lazy_frame_batches(source: Any, columns: Sequence[str], batch_size: int) -> Iterator[Any]:
    check_columns(columns, source.collect_schema().names())
    for batch in _query_batches(source.select(list(columns)), batch_size):
        yield nw.from_native(batch, eager_only=True)


def _query_batches(query: Any, batch_size: int) -> Iterator[Any]:
    """Run the query once where polars can return batches of it, else once for each batch."""
    if hasattr(query, "collect_batches"):
        yield from query.collect_batches(chunk_size=batch_size)
        return
    begin = 0
    while len(batch := query.slice(begin, batch_size).collect()):
        yield batch
        begin += len(batch)


def _frame_batches(source: Any, columns: Sequence[str], batch_size: int) -> Iterator[Any]:
    try:
        frame = nw.from_native(source, eager_only=True)
    except TypeError as error:
        raise DataTypeError(
            f"source must be the path of a Parquet or a CSV file, a polars LazyFrame, a Dask frame or a frame; got "
            f"{type(source).__name__}."
        ) from error
    check_columns(columns, frame.columns)
    for begin in range(0, len(frame), batch_size):
        yield frame.select(list(columns))[begin : begin + batch_size]
