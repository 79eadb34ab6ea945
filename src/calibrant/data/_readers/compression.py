"""Compressed files: gzip, zstd and zip archives of one file; workbooks, which are archives too, stay as they are."""

from __future__ import annotations

import gzip
import io
import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from calibrant._optional import optional_import
from calibrant.exceptions import ReadError

_GZIP, _ZSTD, _ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
COMPRESSED = (".gz", ".zst", ".zip")
# Tables compress to a fifth, rarely to a fiftieth; a file that expands beyond both limits is a decompression bomb.
_MIN_BOMB_SIZE = 100_000_000
_MAX_RATIO = 200
_CHUNK = 2**22
# The first entries of zip archives that are workbooks: of Excel's, and of LibreOffice's
_SHEETS = (b"[Content_Types].xml", b"_rels/.rels", b"docProps/", b"xl/", b"mimetypeapplication/vnd.oasis")
_OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def uncompressed_name(path: os.PathLike[str]) -> str:
    """Return the name of a file in lower case, without the extension of a compression.

    Examples
    --------
    >>> uncompressed_name(Path("data/Adult.CSV.gz"))
    'adult.csv'
    """
    name = Path(path).name.lower()
    return name.removesuffix(next(filter(name.endswith, COMPRESSED), ""))


def decompress(path: Path, raw: bytes) -> bytes:
    """Return the bytes that a file holds; raise for one that expands to a multiple which no table has."""
    buffer = io.BytesIO(raw)
    if not is_compressed(raw[:4096]):
        return raw
    stream = decompressed(path, raw[:4096], buffer)
    chunks: list[bytes] = []
    size = 0
    with reading_compressed(path):
        while chunk := stream.read(_CHUNK):
            chunks.append(chunk)
            size += len(chunk)
            if size > max(_MIN_BOMB_SIZE, _MAX_RATIO * buffer.tell()):
                problem = f"expands to more than {size // 10**6:,} MB, over {_MAX_RATIO} times the bytes read"
                raise ReadError.at(path, problem, hint="If this is a table, decompress it first.")
    return b"".join(chunks)


def is_compressed(head: bytes) -> bool:
    """Return whether the first bytes are those of gzip, zstd or a zip archive; a workbook is an archive too.

    Examples
    --------
    >>> is_compressed(gzip.compress(b"a,b")), is_compressed(b"a,b")
    (True, False)
    """
    return head.startswith((_GZIP, _ZSTD, _ZIP)) and not is_workbook(head)


def decompressed(path: Path, head: bytes, file: BinaryIO | io.RawIOBase) -> Any:
    """Return a stream of the bytes that a compressed file holds; ``head`` has its first bytes.

    The file is at its start. One of a zip archive that cannot be sought is read whole first.
    """
    if head.startswith(_GZIP):
        return gzip.GzipFile(fileobj=file)
    if head.startswith(_ZSTD):
        pa = optional_import("pyarrow", extra="data", purpose="read files that are compressed with zstd")
        return pa.input_stream(file, compression="zstd")
    with reading_compressed(path):
        archive = zipfile.ZipFile(file if file.seekable() else io.BytesIO(file.read()))
        names = [each for each in archive.namelist() if not each.endswith("/") and not _HIDDEN.search(each)]
        if len(names) != 1:
            held = f"a zip archive of {len(names)} files"
            held += f", such as {names[0]!r:.60}" if names else ""
            raise ReadError.at(path, f"is {held}", hint="Take out the one with the table.")
        return archive.open(names[0])


_HIDDEN = re.compile(r"(^|/)(\.|__MACOSX/)")


@contextmanager
def reading_compressed(path: Path) -> Iterator[None]:
    """Raise a `ReadError` where a compressed file is damaged or encrypted."""
    try:
        yield
    except (EOFError, zlib.error, zipfile.BadZipFile, gzip.BadGzipFile, NotImplementedError) as error:
        raise ReadError.at(path, f"is a damaged compressed file ({error})", hint="Download it again.") from error
    except RuntimeError as error:  # of zipfile: a password is required
        raise ReadError.at(path, "is an encrypted zip archive", hint="Extract the table with its password.") from error
    except OSError as error:
        if error.errno is not None:
            raise
        # of Arrow's decompression, which has no number
        raise ReadError.at(path, "is a damaged compressed file (zstd)", hint="Download it again.") from error


def is_workbook(raw: bytes) -> bool:
    r"""Return whether the first bytes are those of a workbook of Excel or LibreOffice.

    Examples
    --------
    >>> is_workbook(b"PK\x03\x04....xl/workbook.xml"), is_workbook(b"PK\x03\x04....table.csv")
    (True, False)
    """
    return raw.startswith(_OLD_EXCEL) or (raw.startswith(_ZIP) and any(name in raw[:4096] for name in _SHEETS))
