"""Writing a model file: all of it or nothing."""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from calibrant._saved.array_specs import ArraySpec
from calibrant._whole_file import whole_file
from calibrant.files._container import zip_layout as layout
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
    with whole_file(Path(path)) as file:
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
        stored_crc32 = crc32 if method == layout.STORED else zlib.crc32(stored)
        entry = layout.Entry(name, method, crc32, stored_crc32, stored.nbytes, content.nbytes)
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
