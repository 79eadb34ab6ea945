"""Files of commands: tables to read, results written whole or not at all, reports."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, cast

import typer

from calibrant._whole_file import whole_file
from calibrant.cli._app.errors import CANNOT_WRITE, USAGE, CommandError
from calibrant.cli._app.options import usage_error
from calibrant.cli._app.printing import print_note
from calibrant.exceptions import CalibrantError, ReadError

if TYPE_CHECKING:
    import pandas as pd

    from calibrant.data import Table
    from calibrant.report import Report

STDIN = "-"
_SHOWN = "standard input"


@contextmanager
def input_file(path: str) -> Iterator[Path]:
    """Yield the path of a file to read; standard input is copied to a temporary file first.

    Errors of calibrant that name the temporary file name standard input instead.
    """
    if path != STDIN:
        yield Path(path)
        return
    if sys.stdin.isatty():
        print_note("Reading the table from standard input; Ctrl-D ends it.")
    with tempfile.TemporaryDirectory() as folder:
        spooled = Path(folder) / "stdin"
        with spooled.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        try:
            yield spooled
        except CalibrantError as error:
            error.args = tuple(str(part).replace(str(spooled), _SHOWN) for part in error.args)
            raise


def read_table(path: str, **options: Any) -> Table:
    """Read a table by `calibrant.data.read_table`, whose options it takes."""
    from calibrant import data

    with input_file(path) as file:
        return data.read_table(file, **options)


def read_frame(path: str, **options: Any) -> pd.DataFrame:
    """Read all columns of a table: no column is the class."""
    return read_table(path, target=False, **options).X


def read_foreign_frame(path: str) -> pd.DataFrame:
    """Read all columns of a table from elsewhere: text that is not UTF-8 is that of Windows in Western Europe."""
    from calibrant import data

    with input_file(path) as file:
        try:
            return data.read_table(file, target=False).X
        except ReadError as error:
            if not isinstance(error.__cause__, UnicodeDecodeError):
                raise
            try:
                frame = data.read_table(file, target=False, encoding="cp1252").X
            except ReadError:
                raise error from error.__cause__
            print_note(f"Note: {_SHOWN if path == STDIN else path} is not UTF-8; it is read as Windows-1252.")
            return frame


STDOUT = "-"
_FORMATS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": ",", ".parquet": "", ".pq": "", ".feather": ""}


@contextmanager
def open_output(path: str) -> Iterator[BinaryIO]:
    """Open a file to write, ``-`` for standard output; the file appears when all of it has been written.

    Rows go to a temporary file in the same folder, which replaces the file at the end of the ``with`` block. Whatever
    is raised in the block removes it and leaves an older file as it was. Open it before long work, so that a folder
    that cannot be written is reported first.
    """
    with write_errors(path):
        if path == STDOUT:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        elif Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir():
            with Path(path).open("wb") as file:  # a device or a named pipe
                yield file
        else:
            with whole_file(Path(path)) as whole:
                yield cast("BinaryIO", whole)


def write_frame(frame: pd.DataFrame, path: str) -> None:
    """Write a frame in the format of the file's extension; CSV to standard output."""
    extension = check_format(path)
    with open_output(path) as file:
        if extension in (".parquet", ".pq"):
            frame.to_parquet(file, index=False)
        elif extension == ".feather":
            frame.to_feather(file)
        else:
            gzip = {"method": "gzip", "mtime": 0} if path.lower().endswith(".gz") else None  # the same bytes each time
            frame.to_csv(file, index=False, sep=_FORMATS[extension], compression=gzip)


def check_format(path: str) -> str:
    """Return the extension of a file to write, ``.gz`` left out; raise if it is that of no format.

    Examples
    --------
    >>> check_format("-"), check_format("a.CSV.gz"), check_format("b.parquet")
    ('.csv', '.csv', '.parquet')
    """
    is_stream = path == STDOUT or (Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir())
    extension = ".csv" if is_stream else Path(path.lower().removesuffix(".gz")).suffix
    if extension not in _FORMATS:
        known = ", ".join(_FORMATS)
        raise CommandError(f"{path}: the extension must be one of {known}; got {extension or 'none'}.", USAGE)
    return extension


@contextmanager
def write_errors(path: str) -> Iterator[None]:
    """Turn an error of the operating system into one that names the file and has the exit code of writing."""
    try:
        yield
    except (BrokenPipeError, CalibrantError):
        raise
    except OSError as error:
        shown = "standard output" if path == STDOUT else path
        reason = (error.strerror or str(error)).rstrip(".")
        raise CommandError(f"{shown}: cannot be written: {reason}.", CANNOT_WRITE) from error


_EXTENSIONS = (".html", ".htm")

Html = Annotated[
    str | None, typer.Option("--html", metavar="FILE", help="Write a report to open in a browser: one HTML file.")
]


NoRows = Annotated[
    bool,
    typer.Option("--no-rows", help="Embed nothing of single rows: at least ten share every number of a curve."),
]


class _NothingWrittenError(Exception):
    """Ends a trial of writing, so that nothing is written."""


def check_html(path: str | None) -> None:
    """Raise if a report cannot be made or its file not be written; call it before long work.

    An older file stays as it is. The extension must be that of HTML, so that a mistyped option overwrites no table.
    """
    if path is None:
        return
    if path == STDOUT:
        raise usage_error("must be a file; got -.", "--html")
    if Path(path).suffix.lower() not in _EXTENSIONS and not Path(path).is_dir():
        raise usage_error(f"must be a file with the extension .html; got {path!r}.", "--html")
    from calibrant._optional import optional_import

    for package in ("altair", "vl_convert"):
        optional_import(package, extra="report", purpose="make a report")
    try:
        with open_output(path):
            raise _NothingWrittenError
    except _NothingWrittenError:
        pass


def save_report(report: Report, path: str) -> int:
    """Write a report, whole or not at all, and return its size in bytes."""
    page = report.to_html().encode()
    with open_output(path) as file:
        file.write(page)
    return len(page)
