"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

__all__ = ["whole_file"]


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that takes the place of the one at the path, if any, at the end of the ``with`` block.

    What is written goes to a file of another name in the same folder, which is removed if anything is raised; the one
    at the path then stays as it was. It has the permissions of the file that it replaces, or those of a new one.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder) / "a.txt") as file:
    ...         _ = file.write(b"all of it")
    ...     (Path(folder) / "a.txt").read_text()
    'all of it'
    """
    target = Path(os.path.realpath(path))  # a link stays, and what it refers to is replaced
    if target.is_dir():
        raise IsADirectoryError(21, "is a folder", str(path))
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(_permissions(target))
        Path(name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _permissions(path: Path) -> int:
    """Return those of the file that is replaced, or those of a new one."""
    with suppress(OSError):
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
