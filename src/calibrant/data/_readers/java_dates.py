"""Dates written by a pattern of Java's SimpleDateFormat, the way ARFF declares them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.data._readers.cells import Cell, CellError
from calibrant.data._readers.file_text import shown

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
    """A date pattern that cannot be understood."""


def strptime_format(pattern: str) -> str:
    """Translate a pattern of SimpleDateFormat into one of `datetime.strptime`.

    The letters y M d D H h m s S a E Z X are known; ``S`` is the fraction of the second.

    Examples
    --------
    >>> strptime_format("yyyy-MM-dd'T'HH:mm:ss")
    '%Y-%m-%dT%H:%M:%S'
    """
    pieces, at = [], 0
    while at < len(pattern):
        piece = _PIECE.match(pattern, at)
        if piece is None:
            raise PatternError(f"the date pattern {shown(pattern)} has a quote that is not closed")
        pieces.append(_translate(piece, pattern))
        at = piece.end()
    _refuse_useless([piece for piece in pieces if piece in _DIRECTIVES.values()], pattern)
    return "".join(pieces)


def _translate(piece: re.Match[str], pattern: str) -> str:
    if not piece[2]:
        literal = piece[1] if piece[1] is not None else piece[0]
        return literal.replace("''", "'").replace("%", "%%")
    if piece[0] not in _DIRECTIVES:
        raise PatternError(f"{shown(piece[0])} in the date pattern {shown(pattern)} is not understood")
    return _DIRECTIVES[piece[0]]


def _refuse_useless(directives: list[str], pattern: str) -> None:
    if not directives:
        raise PatternError(f"the date pattern {shown(pattern)} has no letter for a part of a date")
    if len(set(directives)) < len(directives):
        raise PatternError(f"the date pattern {shown(pattern)} has a part of the date twice")


class DateColumn:
    """Dates as datetime64; those with a time zone are turned into UTC.

    A pattern without a year means 1970, as in Java. A sparse row leaves out the start of 1970, Java's zero.

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
        """Give the dates as they are."""
        return values

    def _parse(self, cell: str, cells: Sequence[Cell]) -> datetime:
        try:
            date = self._strptime(cell)
            return date if date.tzinfo is None else date.astimezone(UTC).replace(tzinfo=None)
        except (ValueError, OverflowError):
            problem = f"{shown(cell)} is not a date of the pattern {self._pattern!r}"
            raise CellError(cells.index(cell), problem, "Write ? for a hole.") from None

    def _strptime(self, cell: str) -> datetime:
        if self._has_year:
            return datetime.strptime(cell, self._format)
        return datetime.strptime(f"1970 {cell}", f"%Y {self._format}")
