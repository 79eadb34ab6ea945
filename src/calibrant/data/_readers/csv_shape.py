"""The shape of a delimited text file, told from its first lines: separator, header, decimal mark, names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from calibrant.data._readers.csv_header import NUMBER, name_columns
from calibrant.data._readers.csv_rows import split_rows
from calibrant.data._readers.csv_start import (
    DECIMAL_COMMA,
    SEPARATORS,
    Preamble,
    find_preamble,
    guess_separator,
    line_end,
)
from calibrant.data._readers.file_text import check_width
from calibrant.data._readers.source import encoding_error
from calibrant.exceptions import ReadError

__all__ = ["CsvShape", "csv_shape"]

_SAMPLE_ROWS = 200
_SAMPLE_BYTES = 2**20
_LONGEST_SECOND_LINE = 2**24
_LEADING_ZERO = re.compile(r"\s*0[0-9]+\s*")


@dataclass(frozen=True)
class CsvShape:
    """What the first lines tell.

    Parameters
    ----------
    separator : str
        The mark between the columns.
    names : tuple of str
        The columns' names.
    skip : int
        Lines before the first row of data.
    decimal : str
        The decimal mark.
    notes : tuple of str
        What was decided.
    header : tuple of str
        The header as it stands in the file; empty where there is none.
    apart : frozenset of str
        Columns that seem to be no features: row names and numbers, and what a separator at the end of lines makes.
    padded : mapping of str to str
        Columns with whole numbers that begin with a zero, each with one of these.
    """

    separator: str
    names: tuple[str, ...]
    skip: int
    decimal: str
    notes: tuple[str, ...]
    header: tuple[str, ...]
    apart: frozenset[str]
    padded: dict[str, str]


def csv_shape(path: Path, raw: bytes, *, sep: str | None, header: bool | None, names: Sequence[str] | None) -> CsvShape:
    r"""Tell the shape of a delimited file from its first lines.

    Examples
    --------
    >>> shape = csv_shape(Path("a.csv"), b"age;sex\n31,5;f\n", sep=None, header=None, names=None)
    >>> shape.separator, shape.names, shape.skip, shape.decimal
    (';', ('age', 'sex'), 1, ',')
    """
    before = find_preamble(raw)
    told = sep or before.separator
    first_line = raw[before.at : line_end(raw, before.at)]
    check_width(path, max(first_line.count(mark.encode()) for mark in (SEPARATORS if told is None else [told])) + 1)
    start = _first_lines(path, raw, before.at)
    separator = told or guess_separator(path, start)
    check_width(path, first_line.count(separator.encode()) + 1)
    rows = list(islice((row for row in split_rows(start, separator) if not row.blank), _SAMPLE_ROWS))
    if not rows:
        raise ReadError.at(path, "is empty", hint="Pass a file with a header and rows.")
    cells = [row.cells for row in rows]
    found, has_header, notes = name_columns(path, cells, header, names)
    if has_header and len(rows) == 1 and before.at + len(start.encode()) >= len(raw.rstrip()):
        raise ReadError.at(path, "has a header but no rows", hint="Pass a file with at least one row.")
    body = cells[1:] if has_header else cells
    return CsvShape(
        separator,
        found,
        before.lines + (rows[0].last_line if has_header else 0),
        _decimal(separator, body),
        (*_comment_note(before), *notes),
        tuple(cells[0]) if has_header else (),
        frozenset(_set_apart(found, cells[0] if has_header else None, body)),
        _padded(found, body),
    )


def _first_lines(path: Path, raw: bytes, at: int) -> str:
    """Decode the start of the file: some lines, and the first two whole unless the second is very long."""
    first = line_end(raw, at)
    second = line_end(raw, min(len(raw), first + 2))
    first = second if second - first <= _LONGEST_SECOND_LINE else first
    end = max(first, min(len(raw), at + _SAMPLE_BYTES))
    if end < len(raw) and end > first:
        end = max(first, raw.rfind(b"\n", at, end))
    try:
        return raw[at:end].decode()
    except UnicodeDecodeError as error:
        raise encoding_error(path, raw, error, at) from error


def _comment_note(before: Preamble) -> tuple[str, ...]:
    if not before.comment:
        return ()
    return (f"Lines that start with # before the table are passed over: {before.comment[:60]!r}.",)


def _decimal(separator: str, body: list[list[str]]) -> str:
    """Give the decimal mark: a comma where cells read 3,5 and none reads 3.5."""
    if separator == ",":
        return "."
    cells = [cell for row in body for cell in row]
    comma = any(map(DECIMAL_COMMA.fullmatch, cells))
    return "," if comma and not any("." in cell and NUMBER.fullmatch(cell) for cell in cells) else "."


def _set_apart(names: tuple[str, ...], header: list[str] | None, body: list[list[str]]) -> list[str]:
    """Name the columns that the first rows say are no features; all rows must bear it out."""
    width = len(names)
    if header is not None and len(header) == width - 1:
        return [names[0]]
    nameless = [header is None or not cell.strip() for cell in header or names]
    apart = [names[0]] if header is not None and width > 2 and nameless[0] and _counts_rows(body) else []
    for j in range(width - 1, 1, -1):
        if not nameless[j] or any(len(row) > j and row[j].strip() for row in body):
            break
        apart.append(names[j])
    return apart


def _counts_rows(body: list[list[str]]) -> bool:
    numbers = [row[0].strip() for row in body]
    return numbers[:1] in (["0"], ["1"]) and numbers == [str(int(numbers[0]) + i) for i in range(len(numbers))]


def _padded(names: tuple[str, ...], body: list[list[str]]) -> dict[str, str]:
    padded = {}
    for name, column in zip(names, zip(*body, strict=False), strict=False):
        example = next(filter(_LEADING_ZERO.fullmatch, column), None)
        if example is not None:
            padded[name] = example.strip()
    return padded
