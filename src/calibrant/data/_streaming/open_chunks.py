"""`open_chunks`: a file of any supported format in chunks, by the columns of a fitted model."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibrant._optional import optional_import
from calibrant.data._read_table import read_table
from calibrant.data._readers.file_format import FEATHER, PARQUET, detect_format
from calibrant.data._streaming.byte_source import ByteSource, open_bytes
from calibrant.data._streaming.category_text import as_category_text
from calibrant.data._streaming.chunk import Chunk, TableChunks
from calibrant.data._streaming.csv_chunks import CsvOptions, csv_chunks
from calibrant.data._streaming.parquet_chunks import parquet_chunks
from calibrant.data._streaming.source_chunks import is_many_tables, source_chunks
from calibrant.exceptions import ReadError

if TYPE_CHECKING:
    from calibrant.data._streaming.wanted_columns import WantedColumns

__all__ = ["open_chunks"]

# Bytes of a CSV file at a time: larger blocks take more memory, smaller ones more calls (benchmarks/cli.py).
_BLOCK = 2**22
_C45 = (".names", ".data", ".test")


@contextmanager
def open_chunks(
    source: Any,
    wanted: WantedColumns,
    *,
    options: CsvOptions | None = None,
    n_rows: int | None = None,
) -> Iterator[TableChunks]:
    """Open a file, a source or a binary stream; CSV and Parquet are read in chunks of ``n_rows`` rows, others whole.

    A stream is CSV, or by its first bytes another format, of which it is first copied to a temporary file.
    """
    optional_import("pandas", extra="data", purpose="read tables")
    if is_many_tables(source):
        with source_chunks(source, wanted, n_rows) as chunks:
            yield chunks
        return
    if isinstance(source, Path) and _is_read_whole(source):
        yield _limited(_whole_table(source, wanted), n_rows)
        return
    with open_bytes(source, _BLOCK) as opened:
        extension = detect_format(opened.path, opened.head)
        if extension not in (*PARQUET, *FEATHER, ".arff"):
            yield _limited(csv_chunks(opened, wanted, options or CsvOptions()), n_rows)
            return
        if isinstance(source, Path):
            yield _limited(_other_file(source, extension, wanted, n_rows), n_rows)
            return
        with _spooled(opened, extension) as copied:
            yield _limited(_other_file(copied, extension, wanted, n_rows), n_rows)


def _is_read_whole(path: Path) -> bool:
    name = path.name.lower().removesuffix(".gz")
    return name.endswith(_C45)


def _other_file(path: Path, extension: str, wanted: WantedColumns, n_rows: int | None) -> TableChunks:
    return parquet_chunks(path, wanted, n_rows) if extension in PARQUET else _whole_table(path, wanted)


def _whole_table(path: Path, wanted: WantedColumns) -> TableChunks:
    """Return the table of a format that cannot be read in chunks, as one chunk."""
    import pandas as pd
    import pyarrow as pa

    table = read_table(path, target=False)
    frame = table.X if table.extra is None else pd.concat([table.X, table.extra], axis=1)
    selection = wanted.select([str(name) for name in frame], [str(name) for name in table.X], str(path))
    kept = pa.Table.from_pandas(frame[list(selection.keep)], preserve_index=False) if selection.keep else None
    chunk = Chunk(as_category_text(frame[list(selection.features)], selection), kept)
    names = tuple(str(name) for name in frame)
    return TableChunks(names, selection, iter([chunk]), table.notes, n_rows=len(frame), is_streamed=False)


def _limited(chunks: TableChunks, n_rows: int | None) -> TableChunks:
    if n_rows is None:
        return chunks
    return replace(chunks, chunks=chain.from_iterable(chunk.split(n_rows) for chunk in chunks.chunks))


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
