"""Writing a model file: all of it or nothing."""

from __future__ import annotations

import hashlib
import os
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from calibrant.files._container import zip_layout as layout
from calibrant.files._container.array_specs import ArraySpec
from calibrant.files._container.json_text import to_json

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HEADER", "MAX_RATIO", "array_name", "write_container"]

HEADER = "model.json"
MAX_RATIO = 200  # deflate shrinks zeros a thousandfold; what shrinks more than this is stored, and refused when read
_SMALL = 4096  # an entry has some hundred bytes of headers, so that the ratio holds for these anyway
_LEVEL = 9


def array_name(number: int) -> str:
    """Return the name of the entry of an array."""
    return f"arrays/{number}.bin"


def write_container(
    path: str | os.PathLike[str], header: dict[str, Any], arrays: Sequence[NDArray[Any]], *, compress: bool
) -> str:
    """Write a header and arrays atomically; return the SHA-256 digest of the file."""
    specs = [ArraySpec.of(array, compress=compress) for array in arrays]
    text = to_json({**header, "arrays": [spec.to_json() for spec in specs]})
    with _replacing(Path(path)) as file:
        archive = _Archive(file)
        archive.add(HEADER, memoryview(text), compress=compress)
        for number, (spec, array) in enumerate(zip(specs, arrays, strict=True)):
            archive.add(array_name(number), spec.content(array).data, compress=compress)
        archive.finish()
    return archive.sha256.hexdigest()


class _Archive:
    """A zip file that is being written."""

    def __init__(self, file: IO[bytes]) -> None:
        self.sha256 = hashlib.sha256()
        self._file = file
        self._offset = 0
        self._entries: list[layout.Entry] = []
        self._offsets: list[int] = []

    def add(self, name: str, content: memoryview, *, compress: bool) -> None:
        crc32, stored, method = zlib.crc32(content), content, layout.STORED
        if compress:
            deflated = memoryview(_deflated(content))
            if len(deflated) < content.nbytes and (
                content.nbytes <= _SMALL or len(deflated) * MAX_RATIO >= content.nbytes
            ):
                stored, method = deflated, layout.DEFLATED
        entry = layout.Entry(name, method, crc32, stored.nbytes, content.nbytes)
        self._entries.append(entry)
        self._offsets.append(self._offset)
        self._write(layout.local_header(entry, self._offset))
        self._write(stored)

    def finish(self) -> None:
        at = self._offset
        self._write(layout.directory(self._entries, self._offsets))
        self._write(layout.tail(len(self._entries), at, self._offset - at))

    def _write(self, content: bytes | memoryview) -> None:
        self._file.write(content)
        self.sha256.update(content)
        self._offset += len(content)


def _deflated(content: memoryview) -> bytes:
    stream = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return stream.compress(content) + stream.flush()


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file in the same folder that replaces the path if the block succeeds and vanishes if it raises."""
    path = path.resolve()
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".tmp", dir=path.parent)
    except OSError as error:
        raise _not_written(error, path) from error
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(_mode(path))
        temporary.replace(path)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):
            raise _not_written(error, path) from error
        raise


def _mode(path: Path) -> int:
    """Return the permissions of the file that is replaced, or those of a new one."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _not_written(error: OSError, path: Path) -> OSError:
    """Return the same kind of error with a message that says what state the file is in."""
    what = f"{error.strerror or error}. The model is not saved, and a file that was there is unchanged"
    return OSError(error.errno, what, str(path)) if error.errno else OSError(f"{path}: {what}")
