"""A table of a paper: each published figure beside ours, with the difference and a verdict."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    import pandas as pd


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Return a table in Markdown; the first `left` columns are aligned to the left, the others to the right.

    Examples
    --------
    >>> print(markdown_table(["set", "n"], [["iris", "100"]]))
    | set  |   n |
    | :--- | --: |
    | iris | 100 |
    """
    cells = [[cell.replace("|", "\\|") for cell in row] for row in (head, *rows)]
    widths = [max(3, *map(len, column)) for column in zip(*cells, strict=True)]
    rules = [":" + "-" * (width - 1) if i < left else "-" * (width - 1) + ":" for i, width in enumerate(widths)]
    lines = [_line(row, widths, left) for row in cells]
    return "\n".join([lines[0], _line(rules, widths, left), *lines[1:]])


def _line(cells: Sequence[str], widths: Sequence[int], left: int) -> str:
    padded = (
        cell.ljust(width) if i < left else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return f"| {' | '.join(padded)} |"


_STAR = "\\*"
_LARGE = 200.0  # dollars and counts, whose decimals say nothing


def table_text(table: PaperTable) -> str:
    """Return a table in Markdown: its title, its blocks, how many figures agree, why others differ, and its note."""
    parts = [table.title, *(_block_text(table, block) for block in table.blocks), *_verdicts(table), table.note]
    return "\n\n".join(part for part in parts if part)


def number_text(value: float, decimals: int) -> str:
    """Return a number with so many decimals; nothing for NaN.

    Examples
    --------
    >>> number_text(-0.00001, 3), number_text(float("inf"), 3), number_text(14741.2, 0)
    ('0.000', '∞', '14,741')
    """
    if math.isnan(value):
        return ""
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    text = f"{value:,.{decimals}f}"
    return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text


def _block_text(table: PaperTable, block: str) -> str:
    cells = [each for each in table.cells if each.block == block]
    by_place = {(each.row, each.column): each for each in cells}
    columns = [*dict.fromkeys(each.column for each in cells)]
    published = {each.column for each in cells if each.published is not None}
    head = [""]
    for column in columns:
        head += [f"{column}: paper", "ours", "difference"] if column in published else [column]
    rows = []
    for row in dict.fromkeys(each.row for each in cells):
        line = [row]
        for column in columns:
            line += _cell_texts(by_place.get((row, column)), column in published, table.decimals)
        rows.append(line)
    text = markdown_table(head, rows)
    return f"**{block}**\n\n{text}" if block else text


def _cell_texts(cell: Cell | None, is_published: bool, decimals: int) -> list[str]:
    if cell is None:
        return ["", "", ""] if is_published else [""]
    digits = _digits(cell, decimals)
    ours = number_text(cell.ours, digits)
    if not math.isnan(cell.low):
        ours += f" [{number_text(cell.low, digits)}, {number_text(cell.high, digits)}]"
    if not is_published:
        return [ours]
    star = f" {_STAR}" if cell.verdict == "differs" else ""
    paper = "" if cell.published is None else cell.published.text
    return [paper, ours, number_text(cell.difference, digits) + star]


def _digits(cell: Cell, decimals: int) -> int:
    """Return the decimals of the published figure; else those of the table, but none for large numbers."""
    if cell.published is not None and math.isfinite(cell.published.value):
        return cell.published.decimals
    largest = max((abs(each) for each in (cell.ours, cell.low, cell.high) if math.isfinite(each)), default=0.0)
    return 0 if largest >= _LARGE else decimals


def _verdicts(table: PaperTable) -> list[str]:
    """Return the number of figures that agree, and the causes of the differences, each with its figures."""
    if not table.n_judged:
        return []
    agree = f"{table.n_agreeing} of {table.n_judged} figures agree"
    if table.n_agreeing == table.n_judged:
        return [f"{agree} with the paper's."]
    causes: dict[str, list[Cell]] = {}
    for each in table.cells:
        if each.verdict == "differs":
            causes.setdefault(each.why or "The cause is open.", []).append(each)
    lines = [f"- {_places(cells)}: {why}" for why, cells in causes.items()]
    return [f"{agree} with the paper's; the others ({_STAR}) differ by more than sampling error:", "\n".join(lines)]


def _places(cells: list[Cell]) -> str:
    """Return the places of some figures, by row."""
    rows: dict[tuple[str, str], list[str]] = {}
    for each in cells:
        rows.setdefault((each.block, each.row), []).append(each.column)
    places = (f"{f'{block}, ' if block else ''}{row} ({', '.join(columns)})" for (block, row), columns in rows.items())
    return "; ".join(places)


_INFINITE = "∞"


@dataclass(frozen=True)
class Published:
    """A figure as a paper prints it.

    Parameters
    ----------
    text : str
        The printed text: digits, perhaps with a sign, ``$`` or commas, or ``∞``.

    Examples
    --------
    >>> from calibrant.papers import Published
    >>> Published("$14,741").value, Published("0.09481").decimals, Published("0.05").rounding, Published("∞").value
    (14741.0, 5, 0.005, inf)
    """

    text: str

    def __post_init__(self) -> None:
        try:
            float(self._digits)
        except ValueError:
            raise ParameterError(
                f"text must be a number as a paper prints it, or {_INFINITE}; got {self.text!r}."
            ) from None

    @property
    def value(self) -> float:
        """The number."""
        return float(self._digits)

    @property
    def decimals(self) -> int:
        """Number of digits after the point."""
        return len(self._digits.partition(".")[2])

    @property
    def rounding(self) -> float:
        """Half a unit of the last digit; 0 if the figure is infinite."""
        return 0.0 if math.isinf(self.value) else 0.5 * 10.0**-self.decimals

    @property
    def _digits(self) -> str:
        return self.text.replace("$", "").replace(",", "").replace("−", "-").replace(_INFINITE, "inf").strip()


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
