"""Writing files: whole or not at all, with an exit code of its own for what cannot be written."""

from __future__ import annotations

import glob
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, cast

from calibrant.cli._app.exit_codes import CANNOT_WRITE, USAGE, CommandError
from calibrant.exceptions import CalibrantError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["STDOUT", "check_format", "open_output", "write_frame"]

STDOUT = "-"
_FORMATS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": ",", ".parquet": "", ".pq": "", ".feather": ""}
_PART = ".part"


@contextmanager
def open_output(path: str) -> Iterator[BinaryIO]:
    """Open a file to write, ``-`` for standard output; the file appears when all of it has been written.

    Rows go to a temporary file in the same folder, which replaces the file at the end of the ``with`` block. Whatever
    is raised in the block removes it and leaves an older file as it was. Open it before long work, so that a folder
    that cannot be written is reported first.
    """
    with _write_errors(path):
        if path == STDOUT:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        elif Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir():
            with Path(path).open("wb") as file:  # a device or a named pipe
                yield file
        else:
            yield from _open_whole(Path(path).resolve())


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


def _open_whole(path: Path) -> Iterator[BinaryIO]:
    if path.is_dir():
        raise IsADirectoryError(0, "it is a folder", str(path))
    if not path.parent.exists():
        raise CommandError(f"{path}: there is no folder {path.parent}. Make it first.", CANNOT_WRITE)
    _remove_abandoned(path)
    part = tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", suffix=_PART, delete=False)  # noqa: SIM115
    try:
        with cast(IO[bytes], part) as file:
            _lock(file)
            yield cast(BinaryIO, file)
            file.flush()
            os.fsync(file.fileno())
        Path(part.name).chmod(_permissions(path))
        Path(part.name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(part.name).unlink()
        raise


def _remove_abandoned(path: Path) -> None:
    """Remove what a run that was killed has left: a part that no process has locked."""
    for part in path.parent.glob(f".{glob.escape(path.name)}.*{_PART}"):
        with suppress(OSError), part.open("rb+") as file:
            if _lock(file):
                part.unlink()


def _lock(file: IO[bytes]) -> bool:
    """Lock a file until it is closed; return whether that succeeded."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):  # Windows has no such locks, and some network drives neither
        return False
    return True


def _permissions(path: Path) -> int:
    """Return those of the file that is replaced, or those of a new one."""
    with suppress(OSError):
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


@contextmanager
def _write_errors(path: str) -> Iterator[None]:
    try:
        yield
    except (BrokenPipeError, CalibrantError):
        raise
    except OSError as error:
        shown = "standard output" if path == STDOUT else path
        reason = error.strerror or str(error)
        message = f"{shown}: cannot be written ({reason}). Check the folder, its permissions and the space on the disk."
        raise CommandError(message, CANNOT_WRITE) from error
