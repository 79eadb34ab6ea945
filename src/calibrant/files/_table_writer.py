"""Rows written chunk by chunk, as CSV, Parquet, Feather or a workbook."""

from __future__ import annotations

import csv
import datetime
import gzip
import io
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, Protocol

from calibrant._optional import optional_import
from calibrant._whole_file import whole_file
from calibrant.exceptions import ParameterError

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": ","}
_PARQUET = (".parquet", ".pq")
_FORMATS = (*_SEPARATORS, *_PARQUET, ".feather", ".xlsx")
_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d+)?")
# What spreadsheets may take as a formula, and the texts among it that they cannot: numbers and marks, such as -5 or +
_FORMULA = "^[=+\\-@\t\r]"
_HARMLESS = "^[+\\-][0-9.,' ]*(?:[eE][+\\-]?[0-9]+)?%?$"
_MOST_SHEET_ROWS, _MOST_SHEET_COLUMNS = 2**20, 2**14  # of a sheet in Excel's format


class TableWriter(Protocol):
    """Writes Arrow tables of the same columns one after the other."""

    def write(self, table: Any) -> None:
        """Write the next rows."""
        ...

    def close(self) -> None:
        """Write the end of the file."""
        ...


def check_format(path: Path) -> str:
    """Return the suffix that decides the format; raise if there is no such format, or its package is not installed.

    Examples
    --------
    >>> check_format(Path("a.csv.gz"))
    '.csv'
    """
    compressed = path.name.lower().endswith(".gz")
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    if suffix not in (_SEPARATORS if compressed else _FORMATS):
        raise ParameterError(f"out must end in one of {', '.join(_FORMATS)}; got {path.name!r}.")
    if suffix == ".xlsx":
        optional_import("xlsxwriter", extra="tables", purpose="write workbooks")
    return suffix


@contextmanager
def open_writer(out: Path | BinaryIO) -> Iterator[TableWriter]:
    """Open a file for rows, which appears when it is complete, or write CSV to a stream."""
    if not isinstance(out, Path):
        yield _CsvWriter(out, ",")
        return
    suffix = check_format(out)
    with _opened(out) as file:
        if suffix not in _SEPARATORS:
            makers: dict[str, Callable[[Any], TableWriter]] = {".feather": _FeatherWriter, ".xlsx": _SheetWriter}
            binary = makers.get(suffix, _ParquetWriter)(file)
            yield binary
            binary.close()
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
            names = _without_formulas(table.from_pydict({"name": table.column_names}))["name"].to_pylist()
            self._file.write(_header(names, self._separator))
            self._has_header = True
        self._file.write(self._text(_without_formulas(_plain(table))))

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


def _plain(table: Any) -> Any:
    """Return a table whose dictionaries are values, which CSV does not have."""
    import pyarrow as pa

    for number, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        if pa.types.is_dictionary(column.type):
            table = table.set_column(number, name, column.cast(column.type.value_type))
    return table


def _without_formulas(table: Any) -> Any:
    """Return a table with an apostrophe before texts that a spreadsheet would run; numbers are as they are.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"a": ["=1+1", "-5", "-2+3", "@SUM(A1)", "+", "x"]})
    >>> _without_formulas(table)["a"].to_pylist()
    ["'=1+1", '-5', "'-2+3", "'@SUM(A1)", '+', 'x']
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    for number, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
            continue
        runs = pc.match_substring_regex(column, _FORMULA)
        if pc.any(runs).as_py():
            runs = pc.and_(runs, pc.invert(pc.match_substring_regex(column, _HARMLESS)))
            quoted = pc.binary_join_element_wise(pa.scalar("'", column.type), column, pa.scalar("", column.type))
            table = table.set_column(number, name, pc.if_else(runs, quoted, column))
    return table


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


class _FeatherWriter:
    """Writes Feather, which is Arrow's file format, a batch for each chunk."""

    def __init__(self, file: IO[bytes]) -> None:
        self._ipc = optional_import("pyarrow.ipc", extra="data", purpose="write Feather files")
        self._file = file
        self._writer: Any = None

    def write(self, table: Any) -> None:
        if self._writer is None:
            self._writer = self._ipc.new_file(self._file, table.schema)
        self._writer.write_table(table)

    def close(self) -> None:
        """Write the footer."""
        if self._writer is not None:
            self._writer.close()


class _SheetWriter:
    """Writes the sheet of a workbook: numbers and dates as such, text never as a formula or a link."""

    def __init__(self, file: IO[bytes]) -> None:
        xlsxwriter = optional_import("xlsxwriter", extra="tables", purpose="write workbooks")
        options = {"constant_memory": True, "default_date_format": "yyyy-mm-dd hh:mm:ss", "remove_timezone": True}
        self._book = xlsxwriter.Workbook(file, options)
        self._sheet = self._book.add_worksheet()
        self._n_rows = 0

    def write(self, table: Any) -> None:
        if self._n_rows == 0:
            for at, name in enumerate(table.column_names):
                self._sheet.write_string(0, at, name)
            self._n_rows = 1
        if self._n_rows + table.num_rows > _MOST_SHEET_ROWS or table.num_columns > _MOST_SHEET_COLUMNS:
            raise ParameterError(
                f"out: a sheet holds {_MOST_SHEET_ROWS:,} rows and {_MOST_SHEET_COLUMNS:,} columns at most, and there "
                "are more. Write CSV or Parquet."
            )
        for row, cells in enumerate(zip(*(column.to_pylist() for column in table.columns), strict=True), self._n_rows):
            for at, cell in enumerate(cells):
                self._write_cell(row, at, cell)
        self._n_rows += table.num_rows

    def _write_cell(self, row: int, at: int, cell: Any) -> None:
        if isinstance(cell, str):
            is_number = _PLAIN_NUMBER.fullmatch(cell)  # kept columns of a CSV file are texts
            self._sheet.write_number(row, at, float(cell)) if is_number else self._sheet.write_string(row, at, cell)
        elif isinstance(cell, bool):
            self._sheet.write_boolean(row, at, cell)
        elif isinstance(cell, int | float):
            is_finite = math.isfinite(cell)
            self._sheet.write_number(row, at, cell) if is_finite else self._sheet.write_blank(row, at, None)
        elif isinstance(cell, datetime.date | datetime.datetime):
            self._sheet.write_datetime(row, at, cell)
        elif cell is not None:
            self._sheet.write_string(row, at, str(cell))

    def close(self) -> None:
        """Write the workbook."""
        self._book.close()
