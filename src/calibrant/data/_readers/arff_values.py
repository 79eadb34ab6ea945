"""Values of ARFF files: quotes, escapes, commas, tabs, comments, dates.

Follows the tokenizer of Weka's reader, in time linear in the length of the line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from calibrant.data._readers.frame_builder import Cell, CellError
from calibrant.data._readers.source import PathLike, quoted
from calibrant.exceptions import ReadError

BLANKS = " \t\f\v"

# Matches are adjacent and possessive, so no character is read twice and no line takes quadratic time.
_QUOTED = r"""'(?P<single>[^'\\]*+(?:\\.[^'\\]*+)*)'|"(?P<double>[^"\\]*+(?:\\.[^"\\]*+)*)\""""
_STOP = re.compile(r"[ \t\f\v]*+(?=[{}%]|\Z)")
_OVER = re.compile(r"[ \t\f\v]*+(?:%|\Z)")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}

# Weka ends a value at any blank. Files with `New York, 3` exist too, so blanks end values only if commas and
# tabs do not give the declared number of values.
BY_COMMAS = re.compile(
    rf"""[ \t\f\v]*+(?:{_QUOTED}|(?P<bare>[^,\t'"{{}}%]*+))"""
    r"(?P<separator>[ \t\f\v]*+,|[ \f\v]*+\t[ \t\f\v]*+|)"
)
BY_BLANKS = re.compile(
    rf"""[ \t\f\v]*+(?:{_QUOTED}|(?P<bare>[^, \t\f\v'"{{}}%]*+))(?P<separator>[ \t\f\v]*+,|[ \t\f\v]*+)"""
)


class LineError(Exception):
    """A line that cannot be parsed: the problem, a hint, and the column if it is known."""

    def __init__(self, problem: str, hint: str, *, column: str | None = None, position: int | None = None) -> None:
        super().__init__(problem)
        self.problem, self.hint, self.column, self.position = problem, hint, column, position

    def at(self, path: PathLike, line: int) -> ReadError:
        """Return the error for the user."""
        return ReadError.at(path, self.problem, line=line, column=self.column, hint=self.hint)


def split_values(text: str, at: int = 0, grammar: re.Pattern[str] = BY_COMMAS) -> tuple[list[Cell], int]:
    r"""Read values up to a brace, a comment or the end; return them and the position where they stop.

    An unquoted ``?`` is a missing value. A separator before the stop is ignored.

    Examples
    --------
    >>> split_values(r"1, 'it\'s', ?, '?' % four")
    (['1', "it's", None, '?'], 19)
    """
    cells: list[Cell] = []
    while True:
        match = _value_at(text, at, grammar)
        separator = match["separator"]
        if match["bare"] == "":
            if separator:
                hint = "Write ? for a missing value, '' for an empty string."
                raise LineError(f"value {len(cells) + 1} is empty", hint, position=len(cells))
            break
        cells.append(_cell(match))
        at = match.end()
        if not separator:
            break
    return cells, _stop(text, at)


def read_value(text: str, at: int, grammar: re.Pattern[str] = BY_COMMAS) -> tuple[Cell, int]:
    """Read one value; return it and the position after it.

    Examples
    --------
    >>> read_value("'b c' numeric", 0)
    ('b c', 5)
    """
    match = _value_at(text, at, grammar)
    return _cell(match), match.start("separator")


def _value_at(text: str, at: int, grammar: re.Pattern[str]) -> re.Match[str]:
    return cast("re.Match[str]", grammar.match(text, at))  # always matches, because all parts may be empty


def _cell(match: re.Match[str]) -> Cell:
    single, double, bare, _ = match.groups()
    if bare is None:
        return unquote(double if single is None else single)
    bare = bare.rstrip(BLANKS)
    return None if bare == "?" else bare


def _stop(text: str, at: int) -> int:
    stop = _STOP.match(text, at)
    return stop.end() if stop else _raise_stray(text[at:].lstrip(BLANKS))


def _raise_stray(rest: str) -> NoReturn:
    if rest[0] in "'\"":
        hint = "Close it, or quote the whole value and write \\' inside."
        raise LineError(f"a quote is not closed or is inside a value: {quoted(rest)}", hint)
    raise LineError(f"{quoted(rest)} follows a closing quote", "Put a comma between values.")


def is_rest_empty(text: str, at: int) -> bool:
    """Return whether only blanks and a comment are left.

    Examples
    --------
    >>> is_rest_empty("1, 2 % two", 4), is_rest_empty("1, 2 % two", 2)
    (True, False)
    """
    return _OVER.match(text, at) is not None


def unquote(text: str) -> str:
    r"""Return a quoted value without its escapes.

    Examples
    --------
    >>> unquote(r"a\tb\\c\u0041")
    'a\tb\\cA'
    """
    return _join_surrogates(_ESCAPE.sub(_unescape, text)) if "\\" in text else text


def _unescape(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else _ESCAPED.get(match[2], match[2])


def _join_surrogates(text: str) -> str:
    # Java writes a character beyond 16 bits as two escapes, a surrogate pair.
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise LineError("an escape \\uXXXX is half of a character", "Write both halves.") from None


ISO_8601 = "yyyy-MM-dd'T'HH:mm:ss"

_PIECE = re.compile(r"''|'((?:[^']|'')+)'|([A-Za-z])\2*+|[^A-Za-z']++")
_DIRECTIVES = {
    **dict.fromkeys(("y", "yyy", "yyyy"), "%Y"),
    "yy": "%y",
    **dict.fromkeys(("M", "MM"), "%m"),
    "MMM": "%b",
    "MMMM": "%B",
    **dict.fromkeys(("d", "dd"), "%d"),
    **dict.fromkeys(("D", "DDD"), "%j"),
    **dict.fromkeys(("H", "HH"), "%H"),
    **dict.fromkeys(("h", "hh"), "%I"),
    **dict.fromkeys(("m", "mm"), "%M"),
    **dict.fromkeys(("s", "ss"), "%S"),
    **dict.fromkeys(("S", "SS", "SSS", "SSSSSS"), "%f"),
    "a": "%p",
    **dict.fromkeys(("E", "EE", "EEE"), "%a"),
    "EEEE": "%A",
    **dict.fromkeys(("Z", "X", "XXX"), "%z"),
}


class PatternError(Exception):
    """A date pattern that is not supported."""


def strptime_format(pattern: str) -> str:
    """Return the format of `datetime.strptime` for a pattern of SimpleDateFormat.

    The letters y M d D H h m s S a E Z X are supported; ``S`` is the fraction of the second.

    Examples
    --------
    >>> strptime_format("yyyy-MM-dd'T'HH:mm:ss")
    '%Y-%m-%dT%H:%M:%S'
    """
    pieces, at = [], 0
    while at < len(pattern):
        piece = _PIECE.match(pattern, at)
        if piece is None:
            raise PatternError(f"the date pattern {quoted(pattern)} has a quote that is not closed")
        pieces.append(_translate(piece, pattern))
        at = piece.end()
    _check_directives([piece for piece in pieces if piece in _DIRECTIVES.values()], pattern)
    return "".join(pieces)


def _translate(piece: re.Match[str], pattern: str) -> str:
    if not piece[2]:
        literal = piece[1] if piece[1] is not None else piece[0]
        return literal.replace("''", "'").replace("%", "%%")
    if piece[0] not in _DIRECTIVES:
        raise PatternError(f"{quoted(piece[0])} in the date pattern {quoted(pattern)} is not supported")
    return _DIRECTIVES[piece[0]]


def _check_directives(directives: list[str], pattern: str) -> None:
    if not directives:
        raise PatternError(f"the date pattern {quoted(pattern)} has no date or time field")
    if len(set(directives)) < len(directives):
        raise PatternError(f"the date pattern {quoted(pattern)} has the same field twice")


class DateColumn:
    """Dates as datetime64; those with a time zone are converted to UTC.

    A pattern without a year means 1970, as in Java. A value that a sparse row omits is the start of 1970, Java's zero.

    Examples
    --------
    >>> DateColumn("day", "dd.MM.yy").convert(["31.12.99", None])
    array(['1999-12-31T00:00:00.000000',                        'NaT'],
          dtype='datetime64[us]')
    """

    omitted = np.datetime64(0, "us")

    def __init__(self, name: str, pattern: str = ISO_8601) -> None:
        self.name, self._pattern = name, pattern
        self._format = strptime_format(pattern)
        self._has_year = "%Y" in self._format or "%y" in self._format

    def convert(self, cells: Sequence[Cell]) -> NDArray[np.datetime64]:
        """Convert cells to datetime64, each distinct text once."""
        dates: dict[Cell, datetime | None] = {None: None}
        for cell in dict.fromkeys(cells):
            if cell is not None:
                dates[cell] = self._parse(cell, cells)
        return np.array([dates[cell] for cell in cells], dtype="datetime64[us]")

    def finish(self, values: NDArray[Any]) -> Any:
        """Return the dates unchanged."""
        return values

    def _parse(self, cell: str, cells: Sequence[Cell]) -> datetime:
        try:
            date = self._strptime(cell)
            return date if date.tzinfo is None else date.astimezone(UTC).replace(tzinfo=None)
        except (ValueError, OverflowError):
            problem = f"{quoted(cell)} is not a date of the pattern {self._pattern!r}"
            raise CellError(cells.index(cell), problem, "Write ? for a missing value.") from None

    def _strptime(self, cell: str) -> datetime:
        if self._has_year:
            return datetime.strptime(cell, self._format)
        return datetime.strptime(f"1970 {cell}", f"%Y {self._format}")
