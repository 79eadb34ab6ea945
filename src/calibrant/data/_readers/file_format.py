"""The format of a file by its extension and its first bytes."""

from __future__ import annotations

import os
from pathlib import Path

from calibrant.exceptions import ReadError

__all__ = ["FEATHER", "PARQUET", "check_not_text", "check_text_format", "columnar_extension", "detect_format"]

PARQUET = (".parquet", ".pq")
FEATHER = (".feather", ".arrow", ".ipc")

_TEXT = (".csv", ".tsv", ".tab", ".txt", ".arff")
_DECOMPRESS = "Decompress it first."
_RENAME = "Rename it to end in {extension}."
_OTHER_FILE = "Check that it is the right file."
_UNSUPPORTED: dict[bytes, tuple[str, str]] = {
    b"PK\x03\x04": ("a zip archive", _DECOMPRESS),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ("an old Excel workbook", "Save its sheet as CSV, or as Parquet from pandas."),
    b"BZh": ("compressed with bzip2", _DECOMPRESS),
    b"\xfd7zXZ\0": ("compressed with xz", _DECOMPRESS),
    b"\x28\xb5\x2f\xfd": ("compressed with zstd", _DECOMPRESS),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", _DECOMPRESS),
    b"SQLite format 3\0": ("an SQLite database", "Read the table with pandas.read_sql and save it as Parquet."),
    b"\x89PNG\r\n\x1a\n": ("a PNG image", _OTHER_FILE),
    b"\xff\xd8\xff": ("a JPEG image", _OTHER_FILE),
    b"GIF8": ("a GIF image", _OTHER_FILE),
    b"%PDF-": ("a PDF document", "Find the table in another format."),
    b"\x89HDF\r\n\x1a\n": ("an HDF5 file", "Read it with pandas.read_hdf and save it as Parquet."),
    b"\x93NUMPY": ("a NumPy array", "Load it with numpy.load and pass the array itself."),
    b"<!DOCTYPE html": ("a web page", "Download the file itself; the link may require a login."),
    b"<html": ("a web page", "Download the file itself; the link may require a login."),
}
_BZIP2_BLOCK = b"1AY&SY"
_COLUMNAR = {b"PAR1": ".parquet", b"ARROW1\0\0": ".feather", b"FEA1": ".feather"}
_LAST_BYTES = (b"PAR1", b"ARROW1", b"FEA1")


def detect_format(path: Path, raw: bytes) -> str:
    r"""Return the extension of the format of a file: that of its name if it is supported, else by the first bytes.

    Examples
    --------
    >>> detect_format(Path("A.CSV.gz"), b""), detect_format(Path("a"), b"% comment\n@relation r\n")
    ('.csv', '.arff')
    """
    extension = Path(path.name.lower().removesuffix(".gz")).suffix
    if extension in (*_TEXT, *PARQUET, *FEATHER):
        return extension
    return columnar_extension(raw) or (".arff" if _is_arff(raw) else ".csv")


def _is_arff(raw: bytes) -> bool:
    start = raw[:4096].lstrip(b"\xef\xbb\xbf").lower()
    lines = [line.strip() for line in start.splitlines() if line.strip() and not line.lstrip().startswith(b"%")]
    return bool(lines) and lines[0].startswith(b"@relation")


def columnar_extension(raw: bytes) -> str | None:
    """Return the extension of a columnar format that is supported, by its first bytes; None for other bytes.

    Examples
    --------
    >>> columnar_extension(b"PAR1....PAR1"), columnar_extension(b"a,b")
    ('.parquet', None)
    """
    return next((extension for magic, extension in _COLUMNAR.items() if raw.startswith(magic)), None)


def check_text_format(path: os.PathLike[str], raw: bytes) -> None:
    """Raise if the first bytes are those of a format that is not text.

    Examples
    --------
    >>> check_text_format("a.csv", b"%PDF-1.7")
    Traceback (most recent call last):
    calibrant.exceptions.ReadError: a.csv: is a PDF document, by its first bytes. Find the table in another format.
    """
    what = _unsupported(raw)
    extension = columnar_extension(raw)
    if what is None and extension is not None and raw.endswith(_LAST_BYTES):
        name = {".parquet": "Parquet", ".feather": "Feather"}[extension]
        what = f"a {name} file", _RENAME.format(extension=extension)
    if what is not None:
        raise ReadError.at(path, f"is {what[0]}, by its first bytes", hint=what[1])


def check_not_text(path: os.PathLike[str], raw: bytes, what: str) -> None:
    r"""Raise if a file that should be of a columnar format is plain text: most often a CSV file with a wrong extension.

    Examples
    --------
    >>> check_not_text("a.parquet", b"x,y\n1,2\n", "Parquet")
    Traceback (most recent call last):
    calibrant.exceptions.ReadError: a.parquet: is text, not a Parquet file. Rename it to end in .csv, if it is CSV.
    """
    if raw and _is_lines(raw[:4096]):
        raise ReadError.at(path, f"is text, not a {what} file", hint="Rename it to end in .csv, if it is CSV.")


def _is_lines(start: bytes) -> bool:
    """Return whether bytes are lines of printable characters in UTF-8; the last one may be cut off."""
    text = start.decode("utf-8", "ignore")
    return len(text.encode()) >= len(start) - 3 and all(
        line.replace("\t", " ").isprintable() for line in text.splitlines()
    )


def _unsupported(raw: bytes) -> tuple[str, str] | None:
    found = next((what for magic, what in _UNSUPPORTED.items() if raw.startswith(magic)), None)
    if raw.startswith(b"BZh") and raw[4:10] != _BZIP2_BLOCK:
        return None
    if raw.startswith(b"PK\x03\x04") and (b"[Content_Types].xml" in raw[:4096] or b"xl/" in raw[:4096]):
        return "an Excel workbook", "Save its sheet as CSV, or as Parquet from pandas."
    return found
