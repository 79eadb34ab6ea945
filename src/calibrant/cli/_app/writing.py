"""Writing files: whole or not at all, with an exit code of its own for what cannot be written."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from calibrant._whole_file import whole_file
from calibrant.cli._app.exit_codes import CANNOT_WRITE, USAGE, CommandError
from calibrant.exceptions import CalibrantError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["STDOUT", "check_format", "open_output", "write_errors", "write_frame"]

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
