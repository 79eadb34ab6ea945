"""A scratch folder of memory-mapped arrays, removed when it is no longer needed, also after an error or Ctrl-C."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from math import prod
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from calibrant._memory import format_bytes
from calibrant.exceptions import DataError

__all__ = ["CodesFolder"]

_HINT = "Set CALIBRANT_SCRATCH to a folder on a larger disk."


class CodesFolder:
    """A folder below CALIBRANT_SCRATCH, or below the folder of temporary files, that is removed at the end.

    Examples
    --------
    >>> with CodesFolder() as folder:
    ...     codes = folder.array("codes", (3, 2), np.uint8)
    >>> codes.shape, folder.path.exists()
    ((3, 2), False)
    """

    def __init__(self) -> None:
        parent = os.environ.get("CALIBRANT_SCRATCH") or tempfile.gettempdir()
        self.path = Path(parent, f"calibrant-{os.getpid()}-{secrets.token_hex(8)}")
        # Registered before there is a folder, which an interrupt in between would leave behind
        self._remove = weakref.finalize(self, _remove, self.path)
        try:
            self.path.mkdir(mode=0o700)
        except OSError as error:
            raise DataError(f"no scratch folder can be made in {parent} ({error.strerror}). {_HINT}") from error

    def check_space(self, n_bytes: int, what: str) -> None:
        """Raise if the disk has less space than is needed."""
        free = shutil.disk_usage(self.path).free
        if n_bytes > free:
            raise DataError(
                f"{what} take {format_bytes(n_bytes)} in the scratch folder, and {self.path.parent} has "
                f"{format_bytes(free)} free. {_HINT}"
            )

    def array(self, name: str, shape: Sequence[int], dtype: Any) -> np.memmap[Any, Any]:
        """Return a new array in a file of the folder; its space is reserved, because a full disk ends the process."""
        path = self.path / name
        n_bytes = max(1, prod(shape) * np.dtype(dtype).itemsize)
        try:
            with path.open("wb") as file:
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, n_bytes)
                file.truncate(n_bytes)
        except OSError as error:
            raise DataError(
                f"{format_bytes(n_bytes)} cannot be written to {self.path.parent} ({error.strerror}). {_HINT}"
            ) from error
        return np.memmap(path, dtype=dtype, mode="r+", shape=tuple(shape))

    def remove(self) -> None:
        """Delete the folder and what is in it; nothing happens the second time."""
        self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()


def _remove(path: Path) -> None:
    """Delete a folder, also if an interrupt comes while it is deleted."""
    try:
        shutil.rmtree(path, ignore_errors=True)
    finally:
        if path.exists():
            shutil.rmtree(path, ignore_errors=True)
