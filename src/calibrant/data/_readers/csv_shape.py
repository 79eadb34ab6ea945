"""The shape of a delimited text file, told from its first lines: separator, header, decimal mark, names."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from calibrant.exceptions import ReadError

__all__ = ["HOLES", "MOST_COLUMNS", "CsvShape", "check_width", "csv_shape"]

# What stands for a missing value, quoted or not: nothing, the field's ?, and the words of R, SAS, SQL and pandas.
HOLES = ("", "?", "NA", "N/A", "n/a", "<NA>", "#N/A", "NaN", "nan", "-NaN", "-nan", "NULL", "Null", "null", "None")
# A wider header is a transposed or damaged file; it would only fill the memory.
MOST_COLUMNS = 100_000

_SEPARATORS = (",", "\t", ";", "|")
_SAMPLE_ROWS = 500
_SAMPLE_BYTES = 2**20
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*|\s*[+-]?inf(inity)?\s*", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*")


@dataclass(frozen=True)
class CsvShape:
    """What the first lines tell: ``skip`` lines of header, the columns' names, and how to read the rest."""

    separator: str
    names: tuple[str, ...]
    skip: int
    decimal: str
    notes: tuple[str, ...]


def csv_shape(path: Path, raw: bytes, *, sep: str | None, header: bool | None, names: Sequence[str] | None) -> CsvShape:
    r"""Tell the shape of a delimited file from its first lines.

    Examples
    --------
    >>> shape = csv_shape(Path("a.csv"), b"age;sex\n31,5;f\n", sep=None, header=None, names=None)
    >>> shape.separator, shape.names, shape.skip, shape.decimal
    (';', ('age', 'sex'), 1, ',')
    """
    if not raw or raw.isspace():
        raise ReadError.at(path, "is empty", hint="Pass a file with a header and rows.")
    first_line = raw[: _line_end(raw, _leading_blank(raw))]
    check_width(path, max(first_line.count(mark.encode()) for mark in (_SEPARATORS if sep is None else [sep])) + 1)
    start = _first_lines(path, raw)
    separator = sep or _separator(path, start)
    rows, skip = _sample(path, start, separator)
    has_header = _has_header(rows) if header is None and names is None else bool(header)
    found, notes = _names(path, rows[0], has_header, names)
    return CsvShape(separator, found, skip if has_header else 0, _decimal(separator, rows), notes)


def check_width(path: Path, n_columns: int) -> None:
    """Refuse a table of more columns than any table has."""
    if n_columns > MOST_COLUMNS:
        hint = f"calibrant reads at most {MOST_COLUMNS:,}; is the table transposed?"
        raise ReadError.at(path, f"has {n_columns:,} columns", hint=hint)


def _line_end(raw: bytes, start: int) -> int:
    end = raw.find(b"\n", start)
    end = len(raw) if end < 0 else end
    early = raw.find(b"\r", start, end)
    return end if early < 0 else early


def _leading_blank(raw: bytes) -> int:
    return len(raw) - len(raw.lstrip(b"\r\n")) if raw[:1] in (b"\r", b"\n") else 0


def _first_lines(path: Path, raw: bytes) -> str:
    """Decode the start of the file: some lines, and the first one whole however long it is."""
    first = _line_end(raw, _leading_blank(raw))
    end = max(first, min(len(raw), _SAMPLE_BYTES))
    if end < len(raw) and end > first:
        end = max(first, raw.rfind(b"\n", 0, end))
    try:
        return raw[:end].decode()
    except UnicodeDecodeError as error:
        hint = 'Pass encoding="latin-1" or the encoding that the file was written in.'
        line = raw.count(b"\n", 0, error.start) + 1
        raise ReadError.at(path, f"byte 0x{raw[error.start]:02x} is not UTF-8", line=line, hint=hint) from error


def _separator(path: Path, start: str) -> str:
    if path.name.removesuffix(".gz").endswith((".tsv", ".tab")):
        return "\t"
    lines = [line for line in itertools.islice(io.StringIO(start), 20) if line.strip()] or [start]
    first = _outside_quotes(lines[0])
    counts = {mark: first.count(mark) for mark in _SEPARATORS}
    # a decimal comma stands beside the true separator, so the other marks go first
    for mark in ("\t", ";", "|"):
        if counts[mark] and all(_outside_quotes(line).count(mark) == counts[mark] for line in lines[1:]):
            return mark
    return ","


def _outside_quotes(line: str) -> str:
    return "".join(line.split('"')[::2])


def _sample(path: Path, start: str, separator: str) -> tuple[list[list[str]], int]:
    """Give the first rows and the number of lines that the first of them takes."""
    csv.field_size_limit(2**31 - 1)
    reader = csv.reader(io.StringIO(start, newline=""), delimiter=separator)
    rows: list[list[str]] = []
    skip = 0
    try:
        for row in itertools.islice(reader, _SAMPLE_ROWS):
            if row:
                rows.append(row)
                skip = skip or reader.line_num
    except csv.Error as error:
        raise ReadError.at(path, f"is no table ({error})", line=reader.line_num, hint="Check the quotes.") from error
    if not rows:
        raise ReadError.at(path, "is empty", hint="Pass a file with a header and rows.")
    return rows, skip


def _has_header(rows: list[list[str]]) -> bool:
    """Say whether the first row names the columns: no cell of it is a number, and few stand again below."""
    first, body = rows[0], rows[1:]
    if any(_NUMBER.fullmatch(cell) or cell.strip() == "?" for cell in first):
        return False
    below = [{row[j].strip() for row in body if j < len(row)} for j in range(len(first))]
    again = sum(cell.strip() in seen for cell, seen in zip(first, below, strict=True) if cell.strip())
    return 2 * again < len(first)


def _names(
    path: Path, first: list[str], has_header: bool, given: Sequence[str] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if given is not None:
        if len(given) != len(first):
            hint = "Give one name for each column."
            raise ReadError.at(path, f"has {len(first)} columns for {len(given)} names", hint=hint)
        return _without_repeats(path, tuple(given)), ()
    if not has_header:
        note = "The first line looks like data, so the columns are named x0, x1, …; header=True takes it as names."
        return tuple(f"x{j}" for j in range(len(first))), (note,)
    names = tuple(name.strip() or f"column_{j}" for j, name in enumerate(first))
    return _without_repeats(path, names), ()


def _without_repeats(path: Path, names: tuple[str, ...]) -> tuple[str, ...]:
    seen: dict[str, int] = {}
    for position, name in enumerate(names):
        if name in seen:
            problem = f"has the column {name[:60]!r} twice (columns {seen[name] + 1} and {position + 1})"
            raise ReadError.at(path, problem, hint="Rename or remove one.")
        seen[name] = position
    return names


def _decimal(separator: str, rows: list[list[str]]) -> str:
    """Give the decimal mark: a comma where cells read 3,5 and none reads 3.5."""
    if separator == ",":
        return "."
    cells = [cell for row in rows[1:] for cell in row]
    comma = any(map(_DECIMAL_COMMA.fullmatch, cells))
    return "," if comma and not any("." in cell and _NUMBER.fullmatch(cell) for cell in cells) else "."
