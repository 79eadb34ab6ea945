"""What a file is by its first bytes, where these say that it is no table of text."""

from __future__ import annotations

import os

from calibrant.exceptions import ReadError

__all__ = ["refuse_foreign", "told_format"]

_UNPACK = "Unpack it first."
_RENAME = "Give it the ending {ending} to have it read."
_FOREIGN: dict[bytes, tuple[str, str]] = {
    b"PK\x03\x04": ("a zip archive", _UNPACK),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ("an old Excel workbook", "Save its sheet as CSV, or as Parquet from pandas."),
    b"BZh": ("packed with bzip2", _UNPACK),
    b"\xfd7zXZ\0": ("packed with xz", _UNPACK),
    b"\x28\xb5\x2f\xfd": ("packed with zstd", _UNPACK),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", _UNPACK),
    b"SQLite format 3\0": ("an SQLite database", "Read the table with pandas.read_sql and save it as Parquet."),
    b"%PDF-": ("a PDF document", "Find the table in another format."),
    b"\x89HDF\r\n\x1a\n": ("an HDF5 file", "Read it with pandas.read_hdf and save it as Parquet."),
    b"\x93NUMPY": ("a NumPy array", "Load it with numpy.load and pass the array itself."),
    b"<!DOCTYPE html": ("a web page", "Download the file itself; the link may want a login."),
    b"<html": ("a web page", "Download the file itself; the link may want a login."),
}
_BZIP2_BLOCK = b"1AY&SY"
_OWN = {b"PAR1": ".parquet", b"ARROW1\0\0": ".feather", b"FEA1": ".feather"}
_ENDS = (b"PAR1", b"ARROW1", b"FEA1")


def told_format(raw: bytes) -> str | None:
    """Give the ending that a columnar file of ours should have; None where the bytes are none.

    Examples
    --------
    >>> told_format(b"PAR1....PAR1"), told_format(b"a,b")
    ('.parquet', None)
    """
    return next((ending for magic, ending in _OWN.items() if raw.startswith(magic)), None)


def refuse_foreign(path: os.PathLike[str], raw: bytes) -> None:
    """Refuse what is no text by saying what it is and what to do.

    Examples
    --------
    >>> refuse_foreign("a.csv", b"%PDF-1.7")
    Traceback (most recent call last):
    calibrant.exceptions.ReadError: a.csv: is a PDF document, by its first bytes. Find the table in another format.
    """
    what = _foreign(raw)
    ending = told_format(raw)
    if what is None and ending is not None and raw.endswith(_ENDS):
        name = {".parquet": "Parquet", ".feather": "Feather"}[ending]
        what = f"a {name} file", _RENAME.format(ending=ending)
    if what is not None:
        raise ReadError.at(path, f"is {what[0]}, by its first bytes", hint=what[1])


def _foreign(raw: bytes) -> tuple[str, str] | None:
    found = next((what for magic, what in _FOREIGN.items() if raw.startswith(magic)), None)
    if raw.startswith(b"BZh") and raw[4:10] != _BZIP2_BLOCK:
        return None
    if raw.startswith(b"PK\x03\x04") and (b"[Content_Types].xml" in raw[:4096] or b"xl/" in raw[:4096]):
        return "an Excel workbook", "Save its sheet as CSV, or as Parquet from pandas."
    return found
