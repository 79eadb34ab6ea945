"""The bytes and the text of a file, decompressed and decoded."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from calibrant.exceptions import MissingFileError, ReadError

__all__ = ["BYTE_ORDER_MARKS", "cannot_open", "check_is_file", "decode", "encoding_error", "read_bytes"]

BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}

_GZIP = b"\x1f\x8b"
# Tables compress to a fifth, rarely to a fiftieth; a file that expands beyond both limits is a decompression bomb.
_MIN_BOMB_SIZE = 100_000_000
_MAX_RATIO = 200
_CHUNK = 2**22
# Of random bytes a tenth are control characters; of text in any encoding of single or double bytes next to none.
_CONTROL = np.isin(np.arange(256), [*range(1, 9), *range(14, 26), *range(27, 32), 127])
_CONTROL_SHARE = 0.04
_SAMPLE = 2**16


def read_bytes(path: Path) -> bytes:
    """Return the contents of a file, decompressed if it is gzip.

    Examples
    --------
    >>> read_bytes(Path("nowhere.csv"))
    Traceback (most recent call last):
    calibrant.exceptions.MissingFileError: nowhere.csv: no such file. Check the path; the current folder is ...
    """
    try:
        check_is_file(path)
        raw = path.read_bytes()
        return _decompress(path, raw) if raw.startswith(_GZIP) else raw
    except MemoryError as error:
        hint = "Read it on a machine with more memory, or split it."
        raise ReadError.at(path, "is larger than the memory", hint=hint) from error
    except MissingFileError:
        raise
    except OSError as error:
        raise cannot_open(path, error) from error


def check_is_file(path: Path) -> None:
    if path.is_dir():
        raise ReadError.at(path, "is a folder, not a file", hint="Pass the path of one file.")
    if not path.exists():
        raise MissingFileError(f"{path}: no such file. Check the path; the current folder is {Path.cwd()}.")
    if not path.is_file():
        raise ReadError.at(path, "is not a file", hint="Pass the path of one file.")


def cannot_open(path: Path, error: OSError) -> ReadError:
    shown = path if len(str(path)) <= 200 else f"{str(path)[:200]}…"
    return ReadError.at(shown, f"cannot be opened ({error.strerror})", hint="Check the path and its permissions.")


def _decompress(path: Path, raw: bytes) -> bytes:
    chunks: list[bytes] = []
    size = 0
    try:
        for chunk, n_read in _chunks(raw):
            chunks.append(chunk)
            size += len(chunk)
            if size > max(_MIN_BOMB_SIZE, _MAX_RATIO * n_read):
                problem = f"expands to more than {size // 10**6:,} MB, over {_MAX_RATIO} times the bytes read"
                raise ReadError.at(path, problem, hint="If this is a table, decompress it first.")
    except (EOFError, OSError, zlib.error) as error:
        raise ReadError.at(path, f"is a damaged gzip file ({error})", hint="Copy or download it again.") from error
    return b"".join(chunks)


def _chunks(raw: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield the decompressed bytes, and the number of compressed bytes read for them and those before."""
    buffer = io.BytesIO(raw)
    with gzip.GzipFile(fileobj=buffer) as compressed:
        while chunk := compressed.read(_CHUNK):
            yield chunk, buffer.tell()


def decode(path: os.PathLike[str], raw: bytes, encoding: str | None = None, lines_before: int = 0) -> str:
    r"""Return the text of a file: by default UTF-8, or UTF-16 if it begins with a byte order mark.

    ``lines_before`` are the lines of the file that precede ``raw``, for error messages.

    Examples
    --------
    >>> decode(Path("a.csv"), b"caf\xe9", "latin-1")
    'café'
    >>> decode(Path("a.csv"), b"caf\xe9\n")
    Traceback (most recent call last):
    calibrant.exceptions.ReadError: a.csv, line 1: byte 0xe9 is not UTF-8. Pass encoding="latin-1" or the encoding of
    the file.
    """
    marked = next((name for mark, name in BYTE_ORDER_MARKS.items() if raw.startswith(mark)), None)
    try:
        text = raw.decode(encoding or marked or "utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise encoding_error(path, raw, error, lines_before=lines_before) from error
    except (LookupError, ValueError) as error:
        hint = 'Try "utf-8", "latin-1" or "cp1252".'
        raise ReadError.at(path, f"there is no encoding {encoding!r:.60}", hint=hint) from error
    if "\0" in text:
        _check_is_text(path, raw)
        line = lines_before + text.count("\n", 0, text.index("\0")) + 1
        hint = 'It is a binary file, or text in another encoding, such as encoding="utf-16".'
        raise ReadError.at(path, "holds zero bytes, so it is not plain text", line=line, hint=hint)
    return text


def encoding_error(
    path: os.PathLike[str], raw: bytes, error: UnicodeDecodeError, at: int = 0, lines_before: int = 0
) -> ReadError:
    """Return an error that names the line of a byte that cannot be decoded; the decoded part begins at ``at``."""
    _check_is_text(path, raw)
    position = at + error.start
    line = lines_before + raw.count(b"\n", 0, position) + 1
    name = "UTF-8" if error.encoding.startswith("utf-8") else error.encoding
    hint = 'Pass encoding="latin-1" or the encoding of the file.'
    return ReadError.at(path, f"byte 0x{raw[position]:02x} is not {name}", line=line, hint=hint)


def _check_is_text(path: os.PathLike[str], raw: bytes) -> None:
    """Raise if the first bytes have as many control characters as random ones; UTF-16 has them in every other byte."""
    is_control = _CONTROL[np.frombuffer(raw[:_SAMPLE], dtype=np.uint8)]
    if min(is_control[::2].mean(), is_control[1::2].mean() if len(raw) > 1 else 0.0) > _CONTROL_SHARE:
        hint = "Check that it is the right file; it may be compressed, encrypted or damaged."
        raise ReadError.at(path, "holds random or binary bytes, not text", hint=hint)
