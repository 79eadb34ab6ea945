"""Dates in a pattern of Java's SimpleDateFormat, as ARFF declares them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.data._readers.column_converters import Cell, CellError
from calibrant.data._readers.file_text import quoted

__all__ = ["ISO_8601", "DateColumn", "PatternError", "strptime_format"]

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
