"""The bytes of a CSV file or stream in blocks of whole rows."""

from __future__ import annotations

import codecs
import io
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from calibrant.data._readers.compression import decompressed, is_compressed, reading_compressed
from calibrant.data._readers.source import cannot_open, check_is_file, encoding_error, find_encoding, is_utf8
from calibrant.exceptions import MissingFileError, ReadError

_TAIL = 8


@dataclass(frozen=True)
class ByteSource:
    """The start of a file, its last bytes where it can be sought, and a function that returns the next block."""

    path: Path
    head: bytes
    tail: bytes
    read: Callable[[], bytes]
    size: int | None


@contextmanager
def open_bytes(source: Path | BinaryIO, block: int) -> Iterator[ByteSource]:
    """Open a file or a stream, decompressed as `decompressed` does; ``block`` is the number of bytes read at a time."""
    if not isinstance(source, Path):
        name = getattr(source, "name", None)
        path = Path(name if isinstance(name, str) and not name.startswith("<") else "standard input")
        yield _opened(path, source, block, None)
        return
    try:
        check_is_file(source)
        file = source.open("rb")
    except MissingFileError:
        raise
    except OSError as error:
        raise cannot_open(source, error) from error
    with file:
        yield _opened(source, file, block, os.fstat(file.fileno()).st_size)


def _opened(path: Path, file: BinaryIO, block: int, size: int | None) -> ByteSource:
    head = _read_full(path, file, block)
    tail = b"" if size is None else _tail(file, len(head))
    if is_compressed(head):
        stream = decompressed(path, head, _Rejoined(head, file) if size is None else _rewound(file))
        return ByteSource(path, _read_full(path, stream, block), b"", lambda: _read_full(path, stream, block), None)
    return ByteSource(path, head, tail, lambda: _read_full(path, file, block), size)


def _read_full(path: Path, stream: Any, block: int) -> bytes:
    """Return the next ``block`` bytes, fewer only at the end; a pipe returns less at a time."""
    parts, wanted = [], block
    try:
        with reading_compressed(path):
            while wanted and (part := stream.read(wanted)):
                parts.append(part)
                wanted -= len(part)
    except OSError as error:
        raise cannot_open(path, error) from error
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _tail(file: BinaryIO, at: int) -> bytes:
    file.seek(-min(_TAIL, file.seek(0, io.SEEK_END)), io.SEEK_END)
    tail = file.read()
    file.seek(at)
    return tail


def _rewound(file: BinaryIO) -> BinaryIO:
    file.seek(0)
    return file


class _Rejoined(io.RawIOBase):
    """A stream with the bytes that were read from it in front again."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        part = self._head[: len(buffer)] or self._rest.read(len(buffer))
        self._head = self._head[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


class Utf8Blocks:
    r"""The blocks of a source as UTF-8 without a byte order mark; ``encoding`` is the one that they have so far.

    A file without an encoding is UTF-8 until a block is not; then it is cp1252, because all before was ASCII.

    Examples
    --------
    >>> parts = iter([b"Z\xfcrich\n", b""])
    >>> blocks = Utf8Blocks(ByteSource(Path("a.csv"), b"town\n", b"", lambda: next(parts), None))
    >>> blocks.first, blocks.read().decode(), blocks.encoding
    (b'town\n', 'Zürich\n', 'cp1252')
    """

    def __init__(self, source: ByteSource, encoding: str | None = None) -> None:
        self._source, self._is_open = source, encoding is None
        lines = source.head[: source.head.rfind(b"\n") + 1] or source.head  # a block may end within a character
        self.encoding = find_encoding(source.path, lines, encoding)
        self._decoder: codecs.IncrementalDecoder | None = None
        self._checked, self._has_letters, self._n_lines = b"", False, 0
        self.first = self._convert(source.head).removeprefix(codecs.BOM_UTF8)

    def read(self) -> bytes:
        """Return the next block, empty at the end."""
        return self._convert(self._source.read())

    def _convert(self, raw: bytes) -> bytes:
        if codecs.lookup(self.encoding).name in ("utf-8", "utf-8-sig", "ascii"):
            if self._is_utf8(raw):
                return raw
            if not self._is_open:
                raise self._not_utf8(raw)
            self.encoding = "cp1252"
        self._decoder = self._decoder or codecs.getincrementaldecoder(self.encoding)()
        try:
            return self._decoder.decode(raw, final=not raw).encode()
        except UnicodeError as error:
            problem = f"is not text in {self.encoding} ({error})"[:300]
            raise ReadError.at(self._source.path, problem, hint="Pass the encoding of the file.") from error

    def _is_utf8(self, raw: bytes) -> bool:
        """Return whether a block is UTF-8; raise if it is not and one before it has letters in UTF-8."""
        if not self._checked and raw.isascii():
            self._n_lines += 0 if self._is_open else raw.count(b"\n")
            return True
        whole = self._checked + raw
        cut = _incomplete(whole) if raw else 0
        if is_utf8(whole[: len(whole) - cut]):
            self._checked, self._has_letters = whole[len(whole) - cut :], True
            self._n_lines += 0 if self._is_open else raw.count(b"\n")
            return True
        if self._has_letters and self._is_open:
            hint = 'Save the file in one encoding, or pass encoding="cp1252" to read it nevertheless.'
            raise ReadError.at(
                self._source.path, "has letters in UTF-8 and bytes that are not: it mixes encodings", hint=hint
            )
        return False

    def _not_utf8(self, raw: bytes) -> ReadError:
        whole = self._checked + raw
        try:
            whole.decode()
        except UnicodeDecodeError as error:
            return encoding_error(self._source.path, whole, error, lines_before=self._n_lines)
        return ReadError.at(self._source.path, "ends within a character of UTF-8", hint="Copy or download it again.")


def _incomplete(raw: bytes) -> int:
    """Return the number of bytes at the end that begin a character of UTF-8 and do not end it."""
    for n in range(1, min(4, len(raw) + 1)):
        if raw[-n] >= 0xC0:
            length = 2 + (raw[-n] >= 0xE0) + (raw[-n] >= 0xF0)
            return n if length > n else 0
        if raw[-n] < 0x80:
            break
    return 0


# A row longer than this is a quote that is not closed, which then is a character as in `split_rows`.
_LONGEST_ROW = 2**26


class RowBlocks:
    r"""Blocks that end with a line: those of ``first`` and of what ``read`` returns until it returns nothing.

    Examples
    --------
    >>> parts = iter([b'2\n3,"c\n', b'd"\n4', b""])
    >>> blocks = RowBlocks(b"1,a\n", lambda: next(parts), ",")
    >>> [blocks.end_at_row() if b'"' in block else block for block in blocks]
    [b'1,a\n', b'2\n', b'3,"c\nd"\n', b'4']
    """

    def __init__(self, first: bytes, read: Callable[[], bytes], separator: str) -> None:
        self._pending, self._read, self._is_complete = first, read, False
        self._block = b""
        self._closed = re.compile(rb'"[^"]*+(?:""[^"]*+)*"')
        self._rest = re.compile(rb"[^\n" + re.escape(separator.encode()) + rb"]*+")

    def __iter__(self) -> Iterator[bytes]:
        while not self._is_complete or self._pending:
            # Files of old Macs end lines by a carriage return alone.
            end = self._pending.rfind(b"\n") + 1 or self._pending.rfind(b"\r") + 1
            if not end and not self._is_complete:
                self._read_more()
                continue
            end = end or len(self._pending)
            self._block, self._pending = self._pending[:end], self._pending[end:]
            yield self._block
            self._read_more()

    def end_at_row(self) -> bytes:
        """Return the block again, which ends at a row although quoted values hold line ends; the rest comes next."""
        whole = self._block + self._pending
        end = self._last_row_end(whole)
        while not end and not self._is_complete and len(whole) <= _LONGEST_ROW:
            self._pending = b""
            self._read_more()
            whole += self._pending
            end = self._last_row_end(whole)
        end = end or (len(whole) if self._is_complete else len(self._block))
        self._block, self._pending = whole[:end], whole[end:]
        return self._block

    def _read_more(self) -> None:
        if not self._is_complete:
            more = self._read()
            self._is_complete = not more
            self._pending += more

    def _last_row_end(self, block: bytes) -> int:
        """Return the position after the last complete row, 0 if there is none; rows with quotes are read by cell."""
        at = 0
        while (quote := block.find(b'"', at)) >= 0:
            row = max(at, block.rfind(b"\n", at, quote) + 1)
            end = self._row_end(block, row)
            if end < 0:
                return row
            at = end + 1
        return max(at, block.rfind(b"\n", at) + 1)

    def _row_end(self, block: bytes, at: int) -> int:
        """Return the position of the line end of the row that begins at ``at``; -1 if the block ends first."""
        while at < len(block):
            if block[at : at + 1] == b'"':
                quoted = self._closed.match(block, at)
                if quoted is None:
                    return -1
                at = quoted.end()
            match = self._rest.match(block, at)
            at = match.end() if match else at
            if block[at : at + 1] == b"\n":
                return at
            at += 1
        return -1
