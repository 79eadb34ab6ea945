"""A table of a paper: each published figure beside ours, with the difference and a verdict."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from calibrant.exceptions import ParameterError
from calibrant.papers._reproduction.published import Published

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Cell", "PaperTable", "Verdict"]

Verdict = Literal["agrees", "differs", ""]

_STANDARD_ERRORS = 2.0
_COLUMNS = (
    "block",
    "row",
    "column",
    "published",
    "ours",
    "difference",
    "error",
    "low",
    "high",
    "verdict",
    "why",
)


@dataclass(frozen=True)
class Cell:
    """A figure of ours beside the published one.

    Parameters
    ----------
    row, column : str
        Where it stands in the table.
    ours : float
        Our figure.
    published : Published, optional
        The paper's.
    block : str
        The part of the table, of those that have several: a metric or a data set.
    error : float
        The standard deviation of the difference between two such figures that differ by chance alone; NaN where the
        difference is not judged.
    low, high : float
        The interval of our figure, or NaN.
    why : str
        The cause of the difference, where it is known.

    Examples
    --------
    >>> from calibrant.papers import Cell, Published
    >>> cell = Cell("Smoothing", "test", 0.0961, Published("0.0956"), error=0.0004)
    >>> cell.verdict, round(cell.difference, 4)
    ('agrees', 0.0005)
    """

    row: str
    column: str
    ours: float
    published: Published | None = None
    block: str = ""
    error: float = math.nan
    low: float = math.nan
    high: float = math.nan
    why: str = ""

    @property
    def difference(self) -> float:
        """Ours less the published figure; NaN where there is none, 0 where both are infinite."""
        if self.published is None:
            return math.nan
        return 0.0 if self.ours == self.published.value else self.ours - self.published.value

    @property
    def verdict(self) -> Verdict:
        """Whether the difference is within two standard errors and the rounding of the published figure."""
        if self.published is None or (math.isnan(self.error) and self.difference != 0):
            return ""
        if self.difference == 0:
            return "agrees"
        bound = _STANDARD_ERRORS * self.error + self.published.rounding
        return "agrees" if abs(self.difference) <= bound else "differs"


@dataclass(frozen=True)
class PaperTable:
    """A table or figure of a paper as numbers, or a table of our own that its findings need.

    Parameters
    ----------
    name : str
        The name of its file, such as ``"table_4"``.
    title : str
        A line above.
    cells : tuple of Cell
        The figures, block by block and row by row.
    note : str
        What a reader must know, below.
    decimals : int
        Digits after the point where no figure was published; where one was, ours has as many.

    Examples
    --------
    >>> from calibrant.papers import Cell, PaperTable, Published
    >>> cells = (Cell("Smoothing", "test", 0.0961, Published("0.0956"), error=0.0004), Cell("Platt", "test", 0.0950))
    >>> print(PaperTable("table_1", "MSE on the test rows", cells).text)
    MSE on the test rows
    <BLANKLINE>
    |           | test: paper |   ours | difference |
    | :-------- | ----------: | -----: | ---------: |
    | Smoothing |      0.0956 | 0.0961 |     0.0005 |
    | Platt     |             | 0.0950 |            |
    <BLANKLINE>
    1 of 1 figures agree with the paper's.
    """

    name: str
    title: str
    cells: tuple[Cell, ...]
    note: str = ""
    decimals: int = 4

    def __post_init__(self) -> None:
        places = Counter(map(_place, self.cells))
        if twice := [place for place, n in places.items() if n > 1]:
            raise ParameterError(f"cells must have one figure a place; {self.name} has several at {twice[0]}.")

    def cell(self, row: str, column: str, block: str = "") -> Cell:
        """Return the figure at a place.

        Parameters
        ----------
        row, column, block : str
            The place.

        Returns
        -------
        Cell
            The figure.

        Raises
        ------
        ParameterError
            If there is none.
        """
        try:
            return self._by_place[block, row, column]
        except KeyError:
            raise ParameterError(f"{self.name} has no figure at {(block, row, column)}.") from None

    @property
    def blocks(self) -> tuple[str, ...]:
        """The names of the blocks, in order."""
        return tuple(dict.fromkeys(each.block for each in self.cells))

    @property
    def rows(self) -> tuple[str, ...]:
        """The names of the rows, in order."""
        return tuple(dict.fromkeys(each.row for each in self.cells))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(dict.fromkeys(each.column for each in self.cells))

    @property
    def n_judged(self) -> int:
        """Number of figures with a verdict."""
        return sum(each.verdict != "" for each in self.cells)

    @property
    def n_agreeing(self) -> int:
        """Number of figures that agree with the published ones."""
        return sum(each.verdict == "agrees" for each in self.cells)

    @property
    def text(self) -> str:
        """The table in Markdown, with the decimals of the paper."""
        from calibrant.papers._reproduction.table_text import table_text

        return table_text(self)

    def to_frame(self) -> pd.DataFrame:
        """Return one line for each figure, with all its digits.

        Returns
        -------
        DataFrame
            Columns block, row, column, published (as printed), ours, difference, error, low, high, verdict and why.
        """
        import pandas as pd

        return pd.DataFrame([*self._lines()], columns=[*_COLUMNS])

    def to_csv(self) -> str:
        """Return the figures as CSV, with all their digits.

        Returns
        -------
        str
            A line for each figure, below a line of names.
        """
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_COLUMNS)
        writer.writerows(self._lines())
        return file.getvalue()

    @classmethod
    def from_csv(cls, path: str | PathLike[str]) -> PaperTable:
        """Read the figures that `to_csv` wrote; the title is the name of the file.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        PaperTable
            The same figures, to the bit.
        """
        path = Path(path)
        with path.open(encoding="utf-8", newline="") as file:
            cells = tuple(map(_read_cell, csv.DictReader(file)))
        return cls(path.stem, path.stem, cells)

    @cached_property
    def _by_place(self) -> dict[tuple[str, str, str], Cell]:
        return {_place(each): each for each in self.cells}

    def _lines(self) -> Iterator[list[str | float]]:
        for each in self.cells:
            published = "" if each.published is None else each.published.text
            interval = [each.low, each.high, each.verdict, each.why]
            yield [each.block, each.row, each.column, published, each.ours, each.difference, each.error, *interval]


def _place(cell: Cell) -> tuple[str, str, str]:
    return cell.block, cell.row, cell.column


def _read_cell(line: dict[str, str]) -> Cell:
    published = Published(line["published"]) if line["published"] else None
    error, low, high = (float(line[name]) for name in ("error", "low", "high"))
    return Cell(
        line["row"], line["column"], float(line["ours"]), published, line["block"], error, low, high, line["why"]
    )
