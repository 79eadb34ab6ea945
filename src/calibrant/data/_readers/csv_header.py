"""The header of a CSV file: whether there is one, and the names of the columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from calibrant.exceptions import ReadError

__all__ = ["MISSING", "NUMBER", "has_header", "is_r_table", "name_columns"]

# Missing values, quoted or not: empty, the ? of UCI files, and the words of R, SAS, SQL and pandas.
MISSING = ("", "?", "NA", "N/A", "n/a", "<NA>", "#N/A", "NaN", "nan", "-NaN", "-nan", "NULL", "Null", "null", "None")
NUMBER = re.compile(
    r"\s*[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|[0-9]+,[0-9]+|inf(?:inity)?)\s*", re.IGNORECASE
)

_YEAR = re.compile(r"\s*(?:1[6-9]|20|21)[0-9]{2}\s*")
_ROW_NAMES = "row_names"
_LOOKS_LIKE_DATA = "The first line looks like data, so the columns are named x0, x1, …; header=True reads it as names."
_R_NOTE = "The header has one name fewer than the rows have fields, as R writes it: the first column is not a feature."


def is_r_table(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether every row has one field more than the header, a row name, as R's write.table writes it.

    Examples
    --------
    >>> is_r_table([["mpg", "cyl"], ["Mazda", "21", "6"], ["Fiat", "32", "4"]])
    True
    """
    first, *body = rows
    if not body or any(len(row) != len(first) + 1 for row in body):
        return False
    return len({row[0] for row in body}) == len(body) and any(row[-1].strip() for row in body)


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row is a header, by comparing it column by column with the rows below.

    A word above numbers makes it a header. Otherwise numbers in the first row make it data, unless they are years far
    from the numbers below; and so do words that occur again below in half of the columns.

    Examples
    --------
    >>> has_header([["age", "5"], ["31", "7"]]), has_header([["5.1", "setosa"], ["4.9", "setosa"]])
    (True, False)
    """
    first = [cell.strip() for cell in rows[0]]
    below = [_known_values(rows[1:], j) for j in range(len(first))]
    columns = list(zip(first, below, strict=True))
    if any(_is_name_of_numbers(cell, known) for cell, known in columns):
        return True
    if any(cell == "?" for cell in first):
        return False
    n_repeated = sum(cell in known for cell, known in columns if cell)
    numbers = [(cell, known) for cell, known in columns if NUMBER.fullmatch(cell)]
    if numbers:
        return len(numbers) < len(columns) and not n_repeated and all(_is_distant_year(*pair) for pair in numbers)
    return 2 * n_repeated < len(first)


def _known_values(body: Sequence[Sequence[str]], j: int) -> set[str]:
    cells = {row[j].strip() for row in body if j < len(row)}
    return cells.difference(MISSING)


def _is_name_of_numbers(cell: str, known: set[str]) -> bool:
    if cell in MISSING or not known or NUMBER.fullmatch(cell) or cell in known:
        return False
    return all(map(NUMBER.fullmatch, known))


def _is_distant_year(cell: str, known: set[str]) -> bool:
    """Return whether a number is a year far from the numbers below, by a tenth of the year and by their range."""
    if not known or not _YEAR.fullmatch(cell) or not all(map(NUMBER.fullmatch, known)):
        return False
    year, values = float(cell), [float(value.replace(",", ".")) for value in known]
    low, high = min(values), max(values)
    margin = max(year / 10, min(high - low, year))
    return year < low - margin or year > high + margin


def name_columns(
    path: Path, rows: Sequence[Sequence[str]], header: bool | None, names: Sequence[str] | None
) -> tuple[tuple[str, ...], bool, tuple[str, ...]]:
    """Return the names of the columns, whether the first row is the header, and notes.

    Examples
    --------
    >>> name_columns(Path("a.csv"), [["age", ""], ["31", "no"]], None, None)[:2]
    (('age', 'column_1'), True)
    """
    first = rows[0]
    if names is not None:
        return _check_names(path, len(first), names), bool(header), ()
    if header is not False and is_r_table(rows):
        found = tuple(name.strip() or f"column_{j}" for j, name in enumerate(first, start=1))
        row_names = _ROW_NAMES if _ROW_NAMES not in found else "column_0"
        return _check_unique(path, (row_names, *found)), True, (_R_NOTE,)
    if not (has_header(rows) if header is None else header):
        notes = (_LOOKS_LIKE_DATA,) if header is None else ()
        return tuple(f"x{j}" for j in range(len(first))), False, notes
    found = tuple(name.strip() or f"column_{j}" for j, name in enumerate(first))
    return _check_unique(path, found), True, ()


def _check_names(path: Path, width: int, names: Sequence[str]) -> tuple[str, ...]:
    if len(names) != width:
        hint = "Pass one name for each column."
        raise ReadError.at(path, f"has {width} columns for {len(names)} names", hint=hint)
    return _check_unique(path, tuple(names))


def _check_unique(path: Path, names: tuple[str, ...]) -> tuple[str, ...]:
    seen: dict[str, int] = {}
    for position, name in enumerate(names):
        if name in seen:
            problem = f"has the column {name[:60]!r} twice (columns {seen[name] + 1} and {position + 1})"
            raise ReadError.at(path, problem, hint="Rename or remove one.")
        seen[name] = position
    return names
