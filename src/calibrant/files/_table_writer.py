"""Predictions written chunk by chunk, as CSV or Parquet."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, Protocol

from calibrant._optional import optional_import
from calibrant._whole_file import whole_file
from calibrant.exceptions import ParameterError

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": ","}
_PARQUET = (".parquet", ".pq")


class TableWriter(Protocol):
    """Writes Arrow tables of the same columns one after the other."""

    def write(self, table: Any) -> None:
        """Write the next rows."""
        ...

    def close(self) -> None:
        """Write the end of the file."""
        ...


def check_format(path: Path) -> str:
    """Return the suffix that decides the format; raise if there is no such format.

    Examples
    --------
    >>> check_format(Path("a.csv.gz"))
    '.csv'
    """
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    if suffix not in (*_SEPARATORS, *_PARQUET):
        known = ", ".join((*_SEPARATORS, *_PARQUET))
        raise ParameterError(f"out must end in one of {known}; got {path.name!r}.")
    return suffix


@contextmanager
def open_writer(out: Path | BinaryIO) -> Iterator[TableWriter]:
    """Open a file for predictions, which appears when it is complete, or write CSV to a stream."""
    if not isinstance(out, Path):
        yield _CsvWriter(out, ",")
        return
    suffix = check_format(out)
    with _opened(out) as file:
        if suffix in _PARQUET:
            parquet = _ParquetWriter(file)
            yield parquet
            parquet.close()
        elif out.name.lower().endswith(".gz"):
            with gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=6, mtime=0) as compressed:
                yield _CsvWriter(compressed, _SEPARATORS[suffix])
        else:
            yield _CsvWriter(file, _SEPARATORS[suffix])


@contextmanager
def _opened(out: Path) -> Iterator[IO[bytes]]:
    """Open a file that appears when it is complete; a device or a named pipe is written directly."""
    is_device = out.exists() and not out.is_file() and not out.is_dir()
    with out.open("wb") if is_device else whole_file(out) as file:
        yield file


class _CsvWriter:
    """Writes CSV with the shortest digits that read back as the same floats."""

    def __init__(self, file: Any, separator: str) -> None:
        self._csv = optional_import("pyarrow.csv", extra="data", purpose="write CSV files")
        self._file, self._separator = file, separator
        self._has_header = False
        self._quoting = "none"

    def write(self, table: Any) -> None:
        if not self._has_header:
            self._file.write(_header(table.column_names, self._separator))
            self._has_header = True
        self._file.write(self._text(table))

    def _text(self, table: Any) -> Any:
        """Return the rows; quotes are used from the first text on that needs any, because they take twice the time."""
        import pyarrow as pa

        buffer = pa.BufferOutputStream()
        options = self._csv.WriteOptions(
            include_header=False, delimiter=self._separator, quoting_style=self._quoting, batch_size=8192
        )
        try:
            self._csv.write_csv(table, buffer, options)
        except pa.ArrowInvalid:
            if self._quoting == "needed":
                raise
            self._quoting = "needed"
            return self._text(table)
        return buffer.getvalue()

    def close(self) -> None:
        """Do nothing: CSV has no end."""


def _header(names: Sequence[str], separator: str) -> bytes:
    line = io.StringIO()
    csv.writer(line, delimiter=separator, lineterminator="\n").writerow(names)
    return line.getvalue().encode()


class _ParquetWriter:
    """Writes Parquet, a row group for each chunk."""

    def __init__(self, file: IO[bytes]) -> None:
        self._parquet = optional_import("pyarrow.parquet", extra="data", purpose="write Parquet files")
        self._file = file
        self._writer: Any = None

    def write(self, table: Any) -> None:
        if self._writer is None:
            self._writer = self._parquet.ParquetWriter(self._file, table.schema)
        self._writer.write_table(table)

    def close(self) -> None:
        """Write the footer."""
        if self._writer is not None:
            self._writer.close()
