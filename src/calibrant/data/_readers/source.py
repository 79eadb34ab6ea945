"""The bytes and the text of a file: unpacked, decoded, and refused where they are neither."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path

from calibrant.exceptions import MissingFileError, ReadError

__all__ = ["decode", "read_bytes"]

_GZIP = b"\x1f\x8b"
_BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
# One line longer than this before anything else is no table: unpacking stops there instead of filling the memory.
_LONGEST_LINE = 2**28
_CHUNK = 2**24


def read_bytes(path: Path) -> bytes:
    """Give the contents of a file, unpacked where it is gzip.

    Examples
    --------
    >>> read_bytes(Path("nowhere.csv"))
    Traceback (most recent call last):
    calibrant.exceptions.MissingFileError: nowhere.csv: no such file. Check the path; the current folder is ...
    """
    if not path.exists():
        raise MissingFileError(f"{path}: no such file. Check the path; the current folder is {Path.cwd()}.")
    if not path.is_file():
        raise ReadError.at(path, "is not a file", hint="Pass the path of one file.")
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ReadError.at(path, f"cannot be opened ({error.strerror})", hint="Check its permissions.") from error
    return _unpack(path) if raw.startswith(_GZIP) else raw


def _unpack(path: Path) -> bytes:
    pieces: list[bytes] = []
    size = 0
    try:
        with gzip.open(path) as packed:
            while piece := packed.read(_CHUNK):
                pieces.append(piece)
                size += len(piece)
                if size > _LONGEST_LINE and b"\n" not in pieces[0]:
                    raise ReadError.at(path, "unpacks to one endless line", hint="It is no table.")
    except (EOFError, OSError, zlib.error) as error:
        raise ReadError.at(path, f"is a damaged gzip file ({error})", hint="Copy or download it again.") from error
    return b"".join(pieces)


def decode(path: os.PathLike[str], raw: bytes, encoding: str | None = None) -> str:
    r"""Give the text of a file: UTF-8, or UTF-16 with its mark, unless told.

    Examples
    --------
    >>> decode(Path("a.csv"), b"caf\xe9", "latin-1")
    'café'
    >>> decode(Path("a.csv"), b"caf\xe9\n")
    Traceback (most recent call last):
    calibrant.exceptions.ReadError: a.csv, line 1: byte 0xe9 is not UTF-8. Pass encoding="latin-1" or the encoding that
    the file was written in.
    """
    marked = next((name for mark, name in _BYTE_ORDER_MARKS.items() if raw.startswith(mark)), None)
    try:
        text = raw.decode(encoding or marked or "utf-8")
    except LookupError as error:
        hint = 'Try "utf-8", "latin-1" or "cp1252".'
        raise ReadError.at(path, f"no encoding is called {encoding!r}", hint=hint) from error
    except UnicodeDecodeError as error:
        raise _encoding_error(path, raw, error) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        hint = 'It is a binary file, or text in another encoding, such as encoding="utf-16".'
        raise ReadError.at(path, "holds zero bytes, so it is not plain text", line=line, hint=hint)
    return text


def _encoding_error(path: os.PathLike[str], raw: bytes, error: UnicodeDecodeError) -> ReadError:
    line = raw.count(b"\n", 0, error.start) + 1
    name = "UTF-8" if error.encoding.startswith("utf-8") else error.encoding
    hint = 'Pass encoding="latin-1" or the encoding that the file was written in.'
    return ReadError.at(path, f"byte 0x{raw[error.start]:02x} is not {name}", line=line, hint=hint)
