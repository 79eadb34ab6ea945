"""Tables as plain lines: aligned columns, in blocks below each other where the terminal is too narrow."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["table_lines"]

_GAP = 2
_NARROWEST = 12  # characters: text is wrapped to no less


def table_lines(
    columns: Sequence[str], rows: Sequence[Sequence[str]], *, left: Sequence[str] = (), width: int | None = None
) -> list[str]:
    r"""Return the lines of a table, the first of which is the header.

    Parameters
    ----------
    columns : sequence of str
        The header.
    rows : sequence of sequences of str
        The cells.
    left : sequence of str
        The columns aligned to the left, whose text may be wrapped.
    width : int, optional
        The columns of the terminal; None: as many as it takes.

    Returns
    -------
    list of str
        If the table is wider than the terminal, its widest texts are wrapped between words; if that does not suffice,
        it is printed in blocks below each other, each of which repeats the first column. Nothing is cut off.

    Examples
    --------
    >>> print(*table_lines(["name", "rows"], [["a", "5"], ["long one", "12"]], left=["name"]), sep="\n")
    name      rows
    ──────────────
    a            5
    long one    12
    >>> print(*table_lines(["name", "rows", "cost"], [["long one", "12", "3.5"]], left=["name"], width=16), sep="\n")
    name      rows
    ──────────────
    long one    12
    <BLANKLINE>
    name      cost
    ──────────────
    long one   3.5
    """
    if not columns:
        return []
    table = _Layout(columns, rows, left)
    if width is None:
        return list(table.lines(table.widths))
    fitting = table.narrowed(width)
    return list(table.lines(fitting)) if fitting is not None else list(_blocks(columns, rows, left, width))


@dataclass(frozen=True)
class _Layout:
    """The cells of a table and the widths of its columns: as wide as the values, and the least that breaks no word."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: Sequence[str]

    @property
    def cells(self) -> list[list[str]]:
        return [list(self.columns), *(list(row) for row in self.rows)]

    @property
    def widths(self) -> list[int]:
        return [max(map(_width, column)) for column in zip(*self.cells, strict=True)]

    @property
    def least(self) -> list[int]:
        """The width of the longest word of a column of text; numbers are not wrapped."""
        words = [
            max((_width(word) for cell in column for word in cell.split()), default=0)
            for column in zip(*self.cells, strict=True)
        ]
        sized = zip(self.columns, words, self.widths, strict=True)
        return [min(max(word, _NARROWEST), size) if name in self.left else size for name, word, size in sized]

    def narrowed(self, width: int) -> list[int] | None:
        """Return widths that fit, the widest columns being narrowed first; None if they cannot fit."""
        widths, least = self.widths, self.least
        while (excess := _total(widths) - width) > 0:
            wide = [number for number, size in enumerate(widths) if size > least[number]]
            if not wide:
                return None
            widest = max(wide, key=lambda number: widths[number])
            next_widest = max((widths[number] for number in wide if number != widest), default=0)
            widths[widest] = max(widths[widest] - excess, min(next_widest, widths[widest] - 1), least[widest])
        return widths

    def lines(self, widths: list[int]) -> Iterator[str]:
        """Yield the lines: header, rule, rows."""
        for number, row in enumerate(self.cells):
            yield from self._row_lines(row, widths)
            if number == 0:
                yield "─" * _total(widths)

    def _row_lines(self, row: Sequence[str], widths: list[int]) -> Iterator[str]:
        wrapped = [_wrapped(cell, size) for cell, size in zip(row, widths, strict=True)]
        for number in range(max(map(len, wrapped))):
            parts = [lines[number] if number < len(lines) else "" for lines in wrapped]
            padded = [
                text + " " * (size - _width(text)) if name in self.left else " " * (size - _width(text)) + text
                for text, size, name in zip(parts, widths, self.columns, strict=True)
            ]
            yield (" " * _GAP).join(padded).rstrip()


def _total(widths: list[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _blocks(columns: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[str], width: int) -> Iterator[str]:
    """Yield a table in blocks below each other, each with the first column and as many others as fit."""
    begin = 1
    while begin < len(columns) or begin == 1:
        end = begin + 1
        while end < len(columns) and _part(columns, rows, left, begin, end + 1).narrowed(width) is not None:
            end += 1
        part = _part(columns, rows, left, begin, end)
        if begin > 1:
            yield ""
        yield from part.lines(part.narrowed(width) or part.least)
        begin = end


def _part(columns: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[str], begin: int, end: int) -> _Layout:
    return _Layout([columns[0], *columns[begin:end]], [[row[0], *row[begin:end]] for row in rows], left)


def _wrapped(text: str, width: int) -> list[str]:
    return [text] if _width(text) <= width else textwrap.wrap(text, width, break_on_hyphens=False)


def _width(text: str) -> int:
    """Return the columns that a text takes on a terminal; characters of East Asia take two."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(unicodedata.combining(letter) > 0 for letter in text)
