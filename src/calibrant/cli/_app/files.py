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
from calibrant.cli._app.errors import CANNOT_WRITE, CommandError
from calibrant.cli._app.options import usage_error
from calibrant.cli._app.printing import print_note
from calibrant.exceptions import CalibrantError

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


def read_all_columns(path: str, **options: Any) -> Table:
    """Read a table of which no column is the class. The line of what was understood is printed as a note."""
    table = read_table(path, target=False, **options)
    if table.reading is not None and table.reading.text:
        print_note(f"Note: {_SHOWN if path == STDIN else path} is read as {table.reading.text}.")
    return table


STDOUT = "-"


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
        elif _is_device(Path(path)):
            with Path(path).open("wb") as file:
                yield file
        else:
            with whole_file(Path(path)) as whole:
                yield cast("BinaryIO", whole)


class _NothingWrittenError(Exception):
    """Ends a trial of writing, so that nothing is written."""


def write_frame(frame: pd.DataFrame, path: str) -> None:
    """Write a frame in the format of the file's extension; CSV to standard output."""
    import pyarrow as pa

    from calibrant.files._internal import open_writer

    rows = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    with write_errors(path), open_writer(sys.stdout.buffer if path == STDOUT else Path(path)) as writer:
        writer.write(rows)
        if path == STDOUT:
            sys.stdout.buffer.flush()


def check_output(path: str) -> None:
    """Raise if a file of rows cannot be written, in its format or at all; call it before long work."""
    from calibrant.files._internal import open_writer

    if path == STDOUT or _is_device(Path(path)):
        return
    try:
        with write_errors(path), open_writer(Path(path)):
            raise _NothingWrittenError
    except _NothingWrittenError:
        check_writable(path)


_TRIAL = bytes(2**16)  # a full disk does not take them


def check_writable(path: str) -> None:
    """Raise if a file cannot be written: its name, folder, permission or space; an older file stays as it is."""
    try:
        with open_output(path) as file:
            file.write(_TRIAL)
            file.flush()
            raise _NothingWrittenError
    except _NothingWrittenError:
        pass


def _is_device(path: Path) -> bool:
    """Return whether a path is that of a device or a named pipe."""
    return path.exists() and not path.is_file() and not path.is_dir()


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
    if not _is_device(Path(path)):
        check_writable(path)


def save_report(report: Report, path: str) -> int:
    """Write a report, whole or not at all, and return its size in bytes."""
    page = report.to_html().encode()
    with open_output(path) as file:
        file.write(page)
    return len(page)
