"""A scratch folder through which large objects reach local workers: written once, memory-mapped by each worker."""

from __future__ import annotations

import mmap
import os
import pickle
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from calibrant._optional import optional_import
from calibrant.exceptions import StudyError

_ALIGNMENT = 64  # of arrays in the file: a cache line, as NumPy's own allocations for vector instructions


class ScratchFolder:
    """A temporary folder that is removed by `remove`, and by loky's resource tracker if this process is killed."""

    def __init__(self) -> None:
        self._tracker = optional_import(
            "loky.backend.resource_tracker", extra="studies", purpose="run trials in local processes"
        )
        self._tracker.ensure_running()  # before there is a folder, which a kill in between would leave behind
        self.path = Path(tempfile.mkdtemp(prefix="calibrant-study-"))
        self._tracker.register(str(self.path), "folder")

    def remove(self) -> None:
        """Delete the folder and what is in it; nothing happens the second time."""
        if self.path.exists():
            shutil.rmtree(self.path, ignore_errors=True)
            self._tracker.unregister(str(self.path), "folder")


def dump_mapped(value: Any, path: Path, what: str) -> None:
    """Write an object for `load_mapped`: its pickle, and the contents of its arrays in a second file.

    Functions and classes of ``__main__``, lambdas and closures are written by value. Errors say what it is.
    """
    cloudpickle = optional_import("cloudpickle", extra="studies", purpose="run trials in other processes")
    buffers: list[pickle.PickleBuffer] = []
    try:
        payload = cloudpickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    except Exception as error:  # whatever the objects raise
        raise StudyError(
            f"{what} cannot be sent to worker processes: {error}. Run the study in this process, without workers."
        ) from error
    try:
        with _arrays_path(path).open("wb") as file:
            positions = [_append(file, buffer) for buffer in buffers]
        path.write_bytes(pickle.dumps((payload, positions)))
    except OSError as error:
        raise StudyError(
            f"{what} cannot be written for the workers in {path.parent}: {error}. Free some space there, or set "
            f"TMPDIR to a folder that has it."
        ) from error


def load_mapped(path: Path) -> Any:
    """Read an object that `dump_mapped` wrote.

    Arrays are mapped copy-on-write: workers share the memory of what none of them changes, and methods may write.
    """
    payload, positions = pickle.loads(path.read_bytes())  # noqa: S301 - written by the parent process
    return pickle.loads(payload, buffers=_mapped_buffers(_arrays_path(path), positions))  # noqa: S301


def _arrays_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.arrays")


def _append(file: Any, buffer: pickle.PickleBuffer) -> tuple[int, int]:
    file.write(bytes(-file.tell() % _ALIGNMENT))
    start = file.tell()
    with buffer.raw() as content:
        file.write(content)
    return start, file.tell() - start


def _mapped_buffers(path: Path, positions: list[tuple[int, int]]) -> Iterator[memoryview]:
    if not any(size for _, size in positions):  # an empty file cannot be mapped
        return iter([memoryview(bytearray()) for _ in positions])
    with path.open("rb") as file:
        content = memoryview(mmap.mmap(file.fileno(), os.fstat(file.fileno()).st_size, access=mmap.ACCESS_COPY))
    return iter([content[start : start + size] for start, size in positions])
