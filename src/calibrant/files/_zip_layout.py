"""The layout of the zip file, byte by byte: APPNOTE.TXT 6.3, always with the 64-bit fields.

A list of entries has one layout only. So a reader compares the headers it finds with those it would write, and every
byte of a file is accounted for: there is no room for hidden, overlapping or unlisted content.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["ALIGNMENT", "DEFLATED", "STORED", "TAIL_SIZE", "Entry", "central_record", "local_header", "tail"]

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
    """Return what follows the directory: its position and size."""
    where = (n_entries, n_entries, directory_size, directory_offset)
    end = _END_64.pack(b"PK\6\6", _END_64.size - 12, _MADE_BY, _NEEDED, 0, 0, *where)
    end += _LOCATOR.pack(b"PK\6\7", 0, directory_offset + directory_size, 1)
    return end + _END.pack(b"PK\5\6", 0, 0, _MANY, _MANY, _IN_EXTRA, _IN_EXTRA, 0)


def directory(entries: Sequence[Entry], offsets: Sequence[int]) -> bytes:
    """Return the directory of all entries."""
    return b"".join(map(central_record, entries, offsets))


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
