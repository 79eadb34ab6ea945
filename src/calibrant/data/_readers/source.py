"""The bytes of a file: their format and their text."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from calibrant._memory import format_bytes, machine_memory
from calibrant._optional import optional_import
from calibrant._repr import listed
from calibrant.data._readers.compression import COMPRESSED, decompress, is_workbook, uncompressed_name
from calibrant.exceptions import MissingFileError, ReadError, nearest

BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}

# Bytes of memory for each byte of a CSV file that is read: 113 MB took 0.7 GB (benchmarks/data.py)
_TEXT_EXPANSION = 6
# Of random bytes a tenth are control characters; of text in any encoding of single or double bytes next to none.
_CONTROL = np.isin(np.arange(256), [*range(1, 9), *range(14, 26), *range(27, 32), 127])
_CONTROL_SHARE = 0.04
_SAMPLE = 2**16
_UTF16_SHARE = 0.3  # of zero bytes at even or at odd positions, in text that is mostly Latin


def read_bytes(path: Path) -> bytes:
    """Return the contents of a file, decompressed if it is gzip, zstd or a zip archive of one file.

    Examples
    --------
    >>> read_bytes(Path("nowhere.csv"))
    Traceback (most recent call last):
    calibrant.exceptions.MissingFileError: nowhere.csv: no such file. Check the path; the current folder is ...
    """
    try:
        check_is_file(path)
        _check_memory(path)
        raw = path.read_bytes()
        return decompress(path, raw)
    except MemoryError as error:
        hint = "Read it on a machine with more memory, or split it."
        raise ReadError.at(path, "is larger than the memory", hint=hint) from error
    except MissingFileError:
        raise
    except OSError as error:
        raise cannot_open(path, error) from error


def _check_memory(path: Path) -> None:
    """Raise before the work if a file of text needs more memory than the machine has to be read whole."""
    n_bytes = path.stat().st_size
    needed = _TEXT_EXPANSION * n_bytes
    if path.suffix.lower() in TEXT and needed > (limit := machine_memory()):
        problem = f"holds {format_bytes(n_bytes)} of text, which takes about {format_bytes(needed)} to be read whole"
        hint = (
            f"This machine has {format_bytes(limit)}. Predicting, evaluate_table and the fits of trees from the path "
            "read it part by part; else take a sample of its rows."
        )
        raise ReadError.at(path, problem, hint=hint)


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


def decode(path: os.PathLike[str], raw: bytes, encoding: str | None = None, lines_before: int = 0) -> str:
    r"""Return the text of a file in the encoding that `find_encoding` finds.

    ``lines_before`` are the lines of the file that precede ``raw``, for error messages.

    Examples
    --------
    >>> decode(Path("a.csv"), b"caf\xe9")
    'café'
    >>> decode(Path("a.csv"), b"caf\xe9\n", "utf-8")
    Traceback (most recent call last):
    calibrant.exceptions.ReadError: a.csv, line 1: byte 0xe9 is not UTF-8. Pass the encoding of the file.
    """
    try:
        text = raw.decode(find_encoding(path, raw, encoding)).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise encoding_error(path, raw, error, lines_before=lines_before) from error
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
    names = {"utf-8": "UTF-8", "charmap": "UTF-8, nor cp1252"}
    name = names.get(error.encoding, error.encoding)
    hint = "Pass the encoding of the file."
    return ReadError.at(path, f"byte 0x{raw[position]:02x} is not {name}", line=line, hint=hint)


def _check_is_text(path: os.PathLike[str], raw: bytes) -> None:
    """Raise if the first bytes have as many control characters as random ones; UTF-16 has them in every other byte."""
    is_control = _CONTROL[np.frombuffer(raw[:_SAMPLE], dtype=np.uint8)]
    if min(is_control[::2].mean(), is_control[1::2].mean() if len(raw) > 1 else 0.0) > _CONTROL_SHARE:
        hint = "Check that it is the right file; it may be compressed, encrypted or damaged."
        raise ReadError.at(path, "holds random or binary bytes, not text", hint=hint)


# Letters of European languages, quotes and the euro sign in UTF-8: texts in cp1252 next to never hold these bytes.
_UTF8_LETTERS = re.compile(rb"\xc2[\xa0-\xbf]|[\xc3-\xd1][\x80-\xbf]|\xe2\x80[\x90-\xbf]|\xe2\x82\xac")
_UTF8_NAMES = ("utf-8", "ascii", "utf-8-sig")
_FALLBACK = "cp1252"


def find_encoding(path: os.PathLike[str], raw: bytes, encoding: str | None = None) -> str:
    r"""Return the encoding of a text: of its byte order mark, else UTF-8, else UTF-16 by zero bytes, else cp1252.

    Examples
    --------
    >>> find_encoding(Path("a.csv"), "Zürich".encode("cp1252")), find_encoding(Path("a.csv"), "Zürich".encode())
    ('cp1252', 'utf-8')
    >>> find_encoding(Path("a.csv"), "Zürich\n".encode("utf-16-le"))
    'utf-16-le'
    """
    if encoding is not None:
        return _known_encoding(path, encoding)
    marked = next((name for mark, name in BYTE_ORDER_MARKS.items() if raw.startswith(mark)), None)
    if marked is not None:
        return marked
    start = np.frombuffer(raw[:_SAMPLE], dtype=np.uint8) == 0
    if start.any():
        even, odd = float(start[::2].mean()), float(start[1::2].mean()) if len(start) > 1 else 0.0
        if max(even, odd) > _UTF16_SHARE:
            return "utf-16-le" if odd > even else "utf-16-be"
    if is_utf8(raw):
        return "utf-8"
    _check_is_text(path, raw)
    _check_one_encoding(path, raw)
    return _FALLBACK


def _known_encoding(path: os.PathLike[str], encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)  # rot13 and the like are no encodings of text
    except (LookupError, ValueError) as error:
        hint = 'Try "utf-8", "latin-1" or "cp1252".'
        raise ReadError.at(path, f"there is no encoding {encoding!r:.60}", hint=hint) from error
    return encoding if name not in _UTF8_NAMES else "utf-8"


def is_utf8(raw: bytes) -> bool:
    r"""Return whether bytes are text in UTF-8; Arrow checks 100 MB in 0.02 s.

    Examples
    --------
    >>> is_utf8("Zürich".encode()), is_utf8(b"Z\xfcrich")
    (True, False)
    """
    if raw.isascii():
        return True
    pa = optional_import("pyarrow", extra="data", purpose="read tables")
    offsets = pa.py_buffer(np.array([0, len(raw)], dtype=np.int64))
    try:
        pa.Array.from_buffers(pa.large_string(), 1, [None, offsets, pa.py_buffer(raw)]).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _check_one_encoding(path: os.PathLike[str], raw: bytes) -> None:
    """Raise if bytes that are not UTF-8 hold letters in UTF-8 too, as files do that were joined of two."""
    letter = _UTF8_LETTERS.search(raw)
    if letter is None:
        return
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        other, line = raw.count(b"\n", 0, letter.start()) + 1, raw.count(b"\n", 0, error.start) + 1
        problem = (
            f"byte 0x{raw[error.start]:02x} is not UTF-8, and line {other} has letters in UTF-8: it mixes encodings"
        )
        hint = 'Save the file in one encoding, or pass encoding="cp1252" to read it nevertheless.'
        raise ReadError.at(path, problem, line=line, hint=hint) from None


def as_utf8(path: Path, raw: bytes, encoding: str | None = None) -> tuple[bytes, str]:
    r"""Return the bytes as UTF-8, the only encoding that Arrow reads, and the encoding that they had.

    Examples
    --------
    >>> as_utf8(Path("a.csv"), b"caf\xe9")
    (b'caf\xc3\xa9', 'cp1252')
    """
    found = find_encoding(path, raw, encoding)
    if found in _UTF8_NAMES and b"\0" not in raw[:_SAMPLE]:
        return raw.removeprefix(b"\xef\xbb\xbf"), "utf-8"
    try:
        return decode(path, raw, found).encode(), found
    except UnicodeEncodeError as error:
        raise ReadError.at(path, f"holds halves of characters in {found!r:.60}", hint="Check the encoding.") from error


PARQUET = (".parquet", ".pq")
FEATHER = (".feather", ".arrow", ".ipc")

TEXT = (".csv", ".tsv", ".tab", ".txt")
WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
JSON = (".json", ".jsonl", ".ndjson")
STATISTICS = (".dta", ".sav", ".sas7bdat")
FORMATS = (*TEXT, ".arff", *PARQUET, *FEATHER, *WORKBOOKS, *JSON, *STATISTICS)
TABLE_EXTENSIONS = frozenset((*FORMATS, ".dat", ".data", ".names", ".test", *COMPRESSED))
_DECOMPRESS = "Decompress it first."
_RENAME = "Rename it to end in {extension}."
_WEB_PAGE = "Download the file itself, or open it in a spreadsheet program and save it as .xlsx."
_OTHER_FILE = "Check that it is the right file."
_UNSUPPORTED: dict[bytes, tuple[str, str]] = {
    b"BZh": ("compressed with bzip2", _DECOMPRESS),
    b"\xfd7zXZ\0": ("compressed with xz", _DECOMPRESS),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", _DECOMPRESS),
    b"SQLite format 3\0": ("an SQLite database", "Read the table with pandas.read_sql and save it as Parquet."),
    b"\x89PNG\r\n\x1a\n": ("a PNG image", _OTHER_FILE),
    b"\xff\xd8\xff": ("a JPEG image", _OTHER_FILE),
    b"GIF8": ("a GIF image", _OTHER_FILE),
    b"%PDF-": ("a PDF document", "Find the table in another format."),
    b"\x89HDF\r\n\x1a\n": ("an HDF5 file", "Read it with pandas.read_hdf and save it as Parquet."),
    b"\x93NUMPY": ("a NumPy array", "Load it with numpy.load and pass the array itself."),
    b"<!DOCTYPE html": ("a web page", _WEB_PAGE),
    b"<html": ("a web page", _WEB_PAGE),
}
_BZIP2_BLOCK = b"1AY&SY"
_COLUMNAR = {b"PAR1": ".parquet", b"ARROW1\0\0": ".feather", b"FEA1": ".feather"}
_BY_BYTES = {
    **_COLUMNAR,
    b"<stata_dta>": ".dta",
    b"$FL2": ".sav",
    b"$FL3": ".sav",
    b"\0" * 12 + b"\xc2\xea\x81\x60": ".sas7bdat",
}
_JSON_START = re.compile(rb"\s*(\[\s*)?\{\s*\"")
_LAST_BYTES = (b"PAR1", b"ARROW1", b"FEA1")


def detect_format(path: Path, raw: bytes) -> str:
    r"""Return the extension of the format of a file: that of its name if it is supported, else by the first bytes.

    A workbook is one by its bytes, whatever its name: programs call text ``.xls`` too.

    Examples
    --------
    >>> detect_format(Path("A.CSV.gz"), b""), detect_format(Path("a"), b"% comment\n@relation r\n")
    ('.csv', '.arff')
    >>> detect_format(Path("export.xls"), b"age\tgives\n31\tyes\n")
    '.csv'
    """
    extension = Path(uncompressed_name(path)).suffix
    if is_workbook(raw):
        return extension if extension in WORKBOOKS else ".xlsx"
    if extension in FORMATS and extension not in WORKBOOKS:
        return extension
    found = next((extension for magic, extension in _BY_BYTES.items() if raw.startswith(magic)), None)
    return found or (".arff" if _is_arff(raw) else ".json" if _JSON_START.match(raw[:4096]) else ".csv")


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
    return found


PathLike = str | os.PathLike[str]

# A wider table is a transposed or damaged file, which would only fill the memory.
MAX_COLUMNS = 100_000

# Searching for a similar name takes time quadratic in the lengths, so long names are skipped.
_MAX_COMPARED_LENGTH = 60
_MAX_COMPARED = 5_000
_TEXT_CHUNK = 2**20


def check_width(path: PathLike, n_columns: int) -> None:
    """Raise if a table has more columns than the maximum."""
    if n_columns > MAX_COLUMNS:
        hint = f"calibrant reads at most {MAX_COLUMNS:,}; is the table transposed?"
        raise ReadError.at(path, f"has {n_columns:,} columns", hint=hint)


def normalize_text(path: PathLike, text: str) -> str:
    r"""Return the text with ``\n`` at all line ends and without a byte order mark; raise if it is empty or not text.

    Examples
    --------
    >>> normalize_text("a.arff", "\ufeff@data\r\n1,2\r3,4")
    '@data\n1,2\n3,4'
    """
    if not text.isascii():
        _check_surrogates(path, text)
    text = text.removeprefix("\ufeff")
    if not text or text.isspace():
        raise ReadError.at(path, "is empty", hint="Check that the file is complete.")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def iter_lines(text: str) -> Iterator[tuple[int, str]]:
    r"""Yield the lines and their numbers from 1; the text is split chunk by chunk, so that an early error costs little.

    Examples
    --------
    >>> list(iter_lines("a\nb"))
    [(1, 'a'), (2, 'b')]
    """
    return enumerate(_lines(text), start=1)


def _lines(text: str) -> Iterator[str]:
    at = 0
    while (end := text.find("\n", at + _TEXT_CHUNK)) >= 0:
        yield from text[at:end].split("\n")
        at = end + 1
    yield from text[at:].split("\n")


def _check_surrogates(path: PathLike, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        hint = "Save the file as UTF-8."
        raise ReadError.at(path, "holds bytes that are not characters", line=line, hint=hint) from None


def quoted(value: str) -> str:
    """Return a value quoted for an error message, truncated if it is long.

    Examples
    --------
    >>> quoted("blue"), quoted("x" * 1_000)
    ("'blue'", "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'")
    """
    return repr(value if len(value) <= 40 else value[:40] + "…")


def suggestion(value: str, options: Iterable[str], *, title: str = "Declared") -> str:
    """Return a hint that names the most similar option, or else lists the options.

    Examples
    --------
    >>> suggestion("blu", ["blue", "red"]), suggestion("9", ["blue", "red"])
    ("Did you mean 'blue'?", "Declared: 'blue' and 'red'.")
    """
    options = list(islice(options, _MAX_COMPARED))
    short = [option for option in options if len(option) <= _MAX_COMPARED_LENGTH]
    near = nearest(value, short).strip() if len(value) <= _MAX_COMPARED_LENGTH else ""
    return near or f"{title}: {listed(map(quoted, options), 6)}."
