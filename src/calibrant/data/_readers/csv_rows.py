"""CSV text split into rows of cells, with their line numbers.

Written here because the csv module limits the length of a cell for the whole process.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, cast

__all__ = ["Row", "split_rows"]


class Row(NamedTuple):
    """The cells of a row, the line it begins on and the line it ends on."""

    cells: list[str]
    line: int
    last_line: int

    @property
    def blank(self) -> bool:
        """Whether the line is empty or holds only blanks."""
        return len(self.cells) == 1 and not self.cells[0].strip()


def split_rows(text: str, separator: str) -> Iterator[Row]:
    r"""Yield the rows of a text; quotes enclose separators and line ends, and one that is not closed is a character.

    Examples
    --------
    >>> [row.cells for row in split_rows('a,b\n"x\ny","5"" pipe"\n', ",")]
    [['a', 'b'], ['x\ny', '5" pipe']]
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    cell = re.compile(rf'(?:"([^"]*+(?:""[^"]*+)*)")?([^\n{re.escape(separator)}]*+)')
    at, line = 0, 1
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        last = line
        if text.find('"', at, end) < 0:
            cells = text[at:end].split(separator)
        else:
            cells, end = _quoted(text, at, cell)
            last += text.count("\n", at, end)
        yield Row(cells, line, last)
        at, line = end + 1, last + 1


def _quoted(text: str, at: int, cell: re.Pattern[str]) -> tuple[list[str], int]:
    """Split a row that has quotes; return its cells and the position of its end."""
    cells: list[str] = []
    while True:
        match = cast(re.Match[str], cell.match(text, at))  # always matches, because all parts may be empty
        inside, rest = match.groups()
        cells.append(rest if inside is None else inside.replace('""', '"') + rest)
        at = match.end()
        if at == len(text) or text[at] == "\n":
            return cells, at
        at += 1
