"""Reading tables: a file of any format that `calibrant.data.read_table` takes, or ``-`` for standard input."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibrant.cli._app.printing import print_note
from calibrant.exceptions import CalibrantError, ReadError

if TYPE_CHECKING:
    import pandas as pd

    from calibrant.data import Table

__all__ = ["STDIN", "input_file", "read_foreign_frame", "read_frame", "read_table"]

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
