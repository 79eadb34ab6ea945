"""The zip file of a model, byte by byte: APPNOTE.TXT 6.3, always with the 64-bit fields.

A list of entries has one layout only. So a reader compares the headers it finds with those it would write, and every
byte of a file is accounted for: there is no room for hidden, overlapping or unlisted content.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import stat
import struct
import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NoReturn

from numpy.typing import NDArray

from calibrant._saved.arrays import ArraySpec
from calibrant._whole_file import whole_file
from calibrant.exceptions import ModelFileError

STORED, DEFLATED = 0, 8
ALIGNMENT = 64  # bytes; a cache line, and more than any type of NumPy needs

_MADE_BY, _NEEDED = 0x032D, 45  # Unix, version 4.5: the 64-bit fields
_DATE = 0x21  # 1 January 1980: the header says when the model was made, and equal models are equal files
_RW_FILE = 0o100644 << 16
_IN_EXTRA, _MANY = 0xFFFFFFFF, 0xFFFF  # "see the 64-bit fields"
_ZIP64, _ALIGN = 0x0001, 0xD935  # ids of extra fields; the second is that of Android's zipalign
_STORED_CRC = 0x6343  # an id of our own: the zip's checksum is of the expanded content, and deflate ignores some bits

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END_64 = struct.Struct("<4sQ2H2I4Q")
_LOCATOR = struct.Struct("<4sIQI")
_END = struct.Struct("<4s4H2IH")
_CENTRAL_EXTRA = 36
MAX_RECORD = _CENTRAL.size + _CENTRAL_EXTRA + 100  # bytes; names are shorter than 100
TAIL_SIZE = _END_64.size + _LOCATOR.size + _END.size


@dataclass(frozen=True)
class Entry:
    """An entry of the zip: its name, method, checksums and sizes; ``stored`` is what stands in the file."""

    name: str
    method: int
    crc32: int
    stored_crc32: int
    stored_size: int
    size: int


def local_header(entry: Entry, offset: int) -> bytes:
    """Return the header before an entry's content at an offset; content that is not compressed is aligned."""
    extra = struct.pack("<HHQQHHI", _ZIP64, 16, entry.size, entry.stored_size, _STORED_CRC, 4, entry.stored_crc32)
    if entry.method == STORED:
        unpadded = offset + _LOCAL.size + len(entry.name) + len(extra) + 6
        padding = -unpadded % ALIGNMENT
        extra += struct.pack("<HHH", _ALIGN, 2 + padding, ALIGNMENT) + bytes(padding)
    name = entry.name.encode("ascii")
    sizes = (entry.crc32, _IN_EXTRA, _IN_EXTRA, len(name), len(extra))
    return _LOCAL.pack(b"PK\3\4", _NEEDED, 0, entry.method, 0, _DATE, *sizes) + name + extra


def central_record(entry: Entry, offset: int) -> bytes:
    """Return the record of an entry in the directory."""
    name = entry.name.encode("ascii")
    extra = struct.pack("<HHQQQ", _ZIP64, 24, entry.size, entry.stored_size, offset)
    extra += struct.pack("<HHI", _STORED_CRC, 4, entry.stored_crc32)
    sizes = (entry.crc32, _IN_EXTRA, _IN_EXTRA, len(name), len(extra))
    record = (b"PK\1\2", _MADE_BY, _NEEDED, 0, entry.method, 0, _DATE, *sizes, 0, 0, 0, _RW_FILE, _IN_EXTRA)
    return _CENTRAL.pack(*record) + name + extra


def tail(n_entries: int, directory_offset: int, directory_size: int) -> bytes:
    """Return the records after the directory, which hold its position and size."""
    where = (n_entries, n_entries, directory_size, directory_offset)
    end = _END_64.pack(b"PK\6\6", _END_64.size - 12, _MADE_BY, _NEEDED, 0, 0, *where)
    end += _LOCATOR.pack(b"PK\6\7", 0, directory_offset + directory_size, 1)
    return end + _END.pack(b"PK\5\6", 0, 0, _MANY, _MANY, _IN_EXTRA, _IN_EXTRA, 0)


def unpack_tail(content: bytes) -> tuple[int, int, int]:
    """Return number of entries, offset and size of the directory as a tail says; they are not checked."""
    *_, n_entries, size, offset = _END_64.unpack_from(content)
    return n_entries, offset, size


def unpack_record(content: bytes) -> tuple[Entry, int] | None:
    """Return the entry of a record in the directory and its offset, or None if it is none; they are not checked."""
    if len(content) < _CENTRAL.size:
        return None
    fields = _CENTRAL.unpack_from(content)
    method, crc32, n_name = fields[4], fields[7], fields[10]
    if fields[0] != b"PK\1\2" or len(content) < _CENTRAL.size + n_name + _CENTRAL_EXTRA:
        return None
    name = content[_CENTRAL.size : _CENTRAL.size + n_name].decode("ascii", "replace")
    size, stored_size, offset, stored_crc32 = struct.unpack_from("<4xQQQ4xI", content, _CENTRAL.size + n_name)
    return Entry(name, method, crc32, stored_crc32, stored_size, size), offset


MAX_HEADER = 2**26  # bytes
_MAX_VALUES = 3_000_000  # a value takes up to 100 bytes of memory


def to_json(document: dict[str, Any]) -> bytes:
    """Return a document as compact UTF-8 text.

    Examples
    --------
    >>> to_json({"a": [1, 0.1]})
    b'{"a":[1,0.1]}'
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    content = text.encode("utf-8", "surrogatepass")
    _check_size(content)
    return content


def parse_json(content: bytes) -> dict[str, Any]:
    """Return the document of UTF-8 text.

    Examples
    --------
    >>> parse_json(b'{"a":NaN}')
    Traceback (most recent call last):
    calibrant.exceptions.ModelFileError: its header is not JSON: NaN is none of its numbers.
    """
    _check_size(content)
    try:
        document = json.loads(
            content.decode("utf-8", "surrogatepass"), parse_constant=_refuse, object_pairs_hook=_object
        )
    except (ValueError, RecursionError) as error:
        if isinstance(error, ModelFileError):
            raise
        what = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ModelFileError(f"its header is not JSON: {what:.200}.") from error
    if not isinstance(document, dict):
        raise ModelFileError("its header is not a JSON object.")
    return document


def _check_size(content: bytes) -> None:
    """Raise if a header is so large, or has so many values, that reading it would take gigabytes."""
    n_values = content.count(b",") + content.count(b"[") + content.count(b"{")
    if len(content) > MAX_HEADER or n_values > _MAX_VALUES:
        raise ModelFileError(
            f"its header has {len(content):,} bytes and about {n_values:,} values; at most {MAX_HEADER:,} and "
            f"{_MAX_VALUES:,} are read."
        )


def _refuse(name: str) -> NoReturn:
    raise ModelFileError(f"its header is not JSON: {name} is none of its numbers.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ModelFileError("its header has a key twice.")
    return document


HEADER = "model.json"
MAX_RATIO = 20  # deflate shrinks zeros a thousandfold; a reader takes at most so many times the memory of the file
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
        self._offset = self._expanded = 0
        self._entries: list[Entry] = []
        self._offsets: list[int] = []

    def add(self, name: str, content: memoryview, *, compress: bool) -> None:
        crc32, stored, method = zlib.crc32(content), content, STORED
        self._expanded += content.nbytes
        if compress:
            deflated = memoryview(_deflated(content))
            # At every entry the file so far stays within the ratio, which then holds for the whole of it.
            if len(deflated) < content.nbytes and self._expanded <= MAX_RATIO * (self._offset + len(deflated)):
                stored, method = deflated, DEFLATED
        stored_crc32 = crc32 if method == STORED else zlib.crc32(stored)
        entry = Entry(name, method, crc32, stored_crc32, stored.nbytes, content.nbytes)
        self._entries.append(entry)
        self._offsets.append(self._offset)
        self._write(local_header(entry, self._offset))
        self._write(stored)

    def finish(self) -> None:
        at = self._offset
        self._write(b"".join(map(central_record, self._entries, self._offsets)))
        self._write(tail(len(self._entries), at, self._offset - at))

    def _write(self, content: bytes | memoryview) -> None:
        self._file.write(content)
        self.sha256.update(content)
        self._offset += len(content)


def _deflated(content: memoryview) -> bytes:
    stream = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return stream.compress(content) + stream.flush()


_MAX_ENTRIES = 1_000_000
_MUCH = 2**22  # bytes; threads start in the time that a checksum of a megabyte takes
_DAMAGED = "The file is damaged or was rewritten: copy it again, or save the model again."
_PICKLES = tuple(b"\x80" + bytes([protocol]) for protocol in range(2, 6))  # those of protocols 0 and 1 have no mark


@dataclass(frozen=True)
class Container:
    """An open model file: its header, and its entries with the offset of their content."""

    content: mmap.mmap
    header: dict[str, Any]
    entries: Sequence[tuple[Entry, int]]

    def sha256(self) -> str:
        """Return the digest of the whole file."""
        return hashlib.sha256(self.content).hexdigest()

    def arrays(self) -> list[NDArray[Any]]:
        """Return the arrays, read-only; those that are not compressed are views of the mapped file."""
        lazy = self.lazy_arrays()
        if len(self.content) < _MUCH:
            return list(lazy)
        with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:  # zlib releases the GIL
            return list(pool.map(lazy.__getitem__, range(len(lazy))))

    def lazy_arrays(self) -> Sequence[NDArray[Any]]:
        """Return the arrays as a sequence that reads each where it is used; types and sizes are checked now."""
        documents = self.header["arrays"]
        if type(documents) is not list or len(documents) != len(self.entries) - 1:
            raise ModelFileError(f"its header does not list its {len(self.entries) - 1} arrays. {_DAMAGED}")
        pairs = zip(documents, self.entries[1:], strict=True)
        return _LazyArrays(self, [_read_spec(document, entry) for document, (entry, _) in pairs])

    def array(self, spec: ArraySpec, number: int) -> NDArray[Any]:
        """Return one array after its checksum was compared."""
        entry, offset = self.entries[number + 1]
        if entry.method == STORED:
            _check_crc(entry.name, memoryview(self.content)[offset : offset + entry.size], entry.crc32)
            return spec.view(self.content, offset)
        return spec.view(expand(self.content, entry, offset), 0)


def _read_spec(document: Any, entry: Entry) -> ArraySpec:
    try:
        spec = ArraySpec.read(document)
    except ModelFileError as error:
        raise ModelFileError(f"{entry.name} {error}. {_DAMAGED}") from None
    if spec.nbytes != entry.size:
        raise ModelFileError(f"{entry.name} has {entry.size:,} bytes for an array of {spec.nbytes:,}. {_DAMAGED}")
    return spec


class _LazyArrays(Sequence[Any]):
    """The arrays of a container, each read where it is used."""

    def __init__(self, container: Container, specs: list[ArraySpec]) -> None:
        self._container, self._specs = container, specs

    def __len__(self) -> int:
        return len(self._specs)

    def __getitem__(self, number: Any) -> Any:
        return self._container.array(self._specs[number], number)


def open_container(path: str | os.PathLike[str], sha256: str | None = None) -> Container:
    """Map a model file and read its header; ``sha256`` is the digest it must have."""
    content = _map(path)
    if sha256 is not None:
        _check_pin(content, sha256)
    entries = _read_entries(content)
    _check_sizes(entries, len(content))
    header = parse_json(expand(content, *entries[0]))
    return Container(content, header, entries)


def expand(content: mmap.mmap, entry: Entry, offset: int) -> bytes:
    """Return the content of an entry; no more than its size is ever expanded."""
    stored = memoryview(content)[offset : offset + entry.stored_size]
    _check_crc(entry.name, stored, entry.stored_crc32)
    if entry.method == STORED:
        expanded = bytes(stored)
    else:
        stream = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            expanded = stream.decompress(stored, entry.size + 1)
        except zlib.error as error:
            raise ModelFileError(f"{entry.name} cannot be expanded. {_DAMAGED}") from error
        if len(expanded) != entry.size or not stream.eof or stream.unused_data or stream.unconsumed_tail:
            raise ModelFileError(f"{entry.name} does not expand to {entry.size:,} bytes. {_DAMAGED}")
        _check_crc(entry.name, expanded, entry.crc32)
    return expanded


def _check_crc(name: str, content: bytes | memoryview, crc32: int) -> None:
    if zlib.crc32(content) != crc32:
        raise ModelFileError(f"the checksum of {name} is wrong. {_DAMAGED}")


def _map(path: str | os.PathLike[str]) -> mmap.mmap:
    """Map a regular file; opening anything else, such as a pipe, could wait forever."""
    if not stat.S_ISREG(Path(path).stat().st_mode):
        raise ModelFileError("is not a file")
    with Path(path).open("rb") as file:
        if file.read(2) in _PICKLES:
            raise ModelFileError(
                "is a pickle, or a joblib file, and could run any code when it is loaded. Load it in Python if you "
                "trust it, and save the model by calibrant.save."
            )
        if os.fstat(file.fileno()).st_size < TAIL_SIZE:
            raise ModelFileError(f"is not a model file, or is cut off. {_DAMAGED}")
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _check_pin(content: mmap.mmap, sha256: str) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != sha256.lower():
        raise ModelFileError(
            f"its SHA-256 digest is {found}, not the expected {sha256.lower()}: it is another file. "
            "Fetch the one you mean."
        )


def _read_entries(content: mmap.mmap) -> list[tuple[Entry, int]]:
    """Return the entries with the offsets of their content; raise unless every byte is as `save` lays it out."""
    if content[:4] != b"PK\3\4":
        raise ModelFileError("is not a model file. Pass a file that calibrant.save wrote.")
    end = len(content) - TAIL_SIZE
    n_entries, directory_offset, directory_size = unpack_tail(content[end : end + TAIL_SIZE])
    is_cut = directory_offset + directory_size != end or not 0 < n_entries <= _MAX_ENTRIES
    if is_cut or content[end:] != tail(n_entries, directory_offset, directory_size):
        raise ModelFileError(f"does not end as a model file does. {_DAMAGED}")
    entries: list[tuple[Entry, int]] = []
    record_at, offset = directory_offset, 0
    for number in range(n_entries):
        entry = _read_record(content[record_at : min(end, record_at + MAX_RECORD)], number, offset)
        record_at += len(central_record(entry, offset))
        header = local_header(entry, offset)
        start = offset + len(header)
        if start + entry.stored_size > directory_offset or content[offset:start] != header:
            raise ModelFileError(f"{entry.name} does not lie where the directory puts it. {_DAMAGED}")
        entries.append((entry, start))
        offset = start + entry.stored_size
    if offset != directory_offset or record_at != end:
        raise ModelFileError(f"has content that its directory does not list. {_DAMAGED}")
    return entries


def _read_record(content: bytes, number: int, offset: int) -> Entry:
    """Return the next entry of the directory; raise unless it is the expected one at the expected offset."""
    unpacked = unpack_record(content)
    if unpacked is None:
        raise ModelFileError(f"its directory is cut off. {_DAMAGED}")
    entry, at = unpacked
    expected = HEADER if number == 0 else array_name(number - 1)
    if entry.name != expected:
        raise ModelFileError(f"has the entry {entry.name!r:.60} where {expected!r} is expected. {_DAMAGED}")
    if entry.method not in (STORED, DEFLATED):
        raise ModelFileError(f"{entry.name} is compressed by a method that calibrant does not use. {_DAMAGED}")
    stored, expanded = (entry.stored_size, entry.stored_crc32), (entry.size, entry.crc32)
    if entry.method == STORED and stored != expanded:
        raise ModelFileError(f"{entry.name} has two sizes or checksums. {_DAMAGED}")
    if at != offset or not content.startswith(central_record(entry, at)):
        raise ModelFileError(f"{entry.name} is not as calibrant writes it: moved, encrypted or a link. {_DAMAGED}")
    return entry


def _check_sizes(entries: Sequence[tuple[Entry, int]], file_size: int) -> None:
    """Raise if a small file would expand to a large one, as no saved model does."""
    if entries[0][0].size > MAX_HEADER:
        raise ModelFileError(
            f"its header has {entries[0][0].size:,} bytes; at most {MAX_HEADER:,} are read. {_DAMAGED}"
        )
    expanded = sum(entry.size for entry, _ in entries)
    if expanded > MAX_RATIO * file_size:
        raise ModelFileError(
            f"has {file_size:,} bytes that would expand to {expanded:,}, more than {MAX_RATIO} times as many, as no "
            "saved model does. Do not trust where it came from."
        )
