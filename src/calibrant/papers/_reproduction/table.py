"""A table of a paper: each published figure beside ours, with the difference and a verdict."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
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
    cells.insert(1, [f":{'-' * (n - 1)}" if i < left else f"{'-' * (n - 1)}:" for i, n in enumerate(widths)])
    padded = (
        [cell.ljust(n) if i < left else cell.rjust(n) for i, (cell, n) in enumerate(zip(row, widths, strict=True))]
        for row in cells
    )
    return "\n".join(f"| {' | '.join(row)} |" for row in padded)


def csv_text(head: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    r"""Return a table as CSV.

    Examples
    --------
    >>> csv_text(["set", "n"], [["iris", 100]])
    'set,n\niris,100\n'
    """
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([head, *rows])
    return file.getvalue()


_STAR = "\\*"
_LARGE = 200.0  # dollars and counts, whose decimals say nothing


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


def _cell_texts(cell: Cell | None, decimals: int, starred: str) -> list[str]:
    """Return the published figure, ours with its interval, and the difference."""
    if cell is None:
        return ["", "", ""]
    printed = cell.published
    if printed is not None and math.isfinite(printed.value):
        decimals = printed.decimals
    elif any(_LARGE <= abs(each) < math.inf for each in (cell.ours, cell.low, cell.high)):
        decimals = 0
    figures = (cell.ours, cell.low, cell.high, cell.difference)
    ours, low, high, difference = (number_text(each, decimals) for each in figures)
    return [
        "" if printed is None else printed.text,
        f"{ours} [{low}, {high}]" if low else ours,
        starred.format(difference) if cell.verdict == "differs" else difference,
    ]


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


def read_printed(text: str) -> dict[str, tuple[Published, ...]]:
    """Return the figures of a printed table by row; those of a row stand behind its name.

    Examples
    --------
    >>> [figure.value for figure in read_printed("All one (C4.5) 1.9 ∞")["All one (C4.5)"]]
    [1.9, inf]
    """
    rows = (re.split(r"\s+(?=[$\d∞])", line.strip()) for line in text.strip().splitlines())
    return {name: tuple(map(Published, figures)) for name, *figures in rows}


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
    def _place(self) -> tuple[str, str, str]:
        return self.block, self.row, self.column

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
        places = Counter(each._place for each in self.cells)
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
        parts = [self.title]
        for block in self.blocks:
            parts += [f"**{block}**"] if block else []
            parts.append(markdown_table(*self._texts(block, f"{{}} {_STAR}")))
        agree = f"{self.n_agreeing} of {self.n_judged} figures agree with the paper's"
        if self.n_judged and self.n_agreeing == self.n_judged:
            parts.append(f"{agree}.")
        elif self.n_judged:
            causes: dict[str, list[Cell]] = {}
            for each in self.cells:
                if each.verdict == "differs":
                    causes.setdefault(each.why or "The cause is open.", []).append(each)
            parts.append(f"{agree}; the others ({_STAR}) differ by more than sampling error:")
            parts.append("\n".join(f"- {_places(cells)}: {why}" for why, cells in causes.items()))
        return "\n\n".join(part for part in [*parts, self.note] if part)

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
        return csv_text(_COLUMNS, self._lines())

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
            lines = [*csv.DictReader(file)]
        cells = []
        for line in lines:
            published = Published(line["published"]) if line["published"] else None
            ours, error, low, high = (float(line[name]) for name in ("ours", "error", "low", "high"))
            place = (line["row"], line["column"], ours, published, line["block"])
            cells.append(Cell(*place, error, low, high, line["why"]))
        return cls(path.stem, path.stem, tuple(cells))

    @cached_property
    def _by_place(self) -> dict[tuple[str, str, str], Cell]:
        return {each._place: each for each in self.cells}

    def _texts(self, block: str, starred: str) -> tuple[list[str], list[list[str]]]:
        """Return the head and the rows of a block; `starred` writes a difference beyond sampling error."""
        cells = {(each.row, each.column): each for each in self.cells if each.block == block}
        published = {each.column for each in cells.values() if each.published is not None}
        head, rows = [""], {row: [row] for row, _ in cells}
        for column in dict.fromkeys(column for _, column in cells):
            head += [f"{column}: paper", "ours", "difference"] if column in published else [column]
            for row, line in rows.items():
                texts = _cell_texts(cells.get((row, column)), self.decimals, starred)
                line += texts if column in published else texts[1:2]  # ours alone
        return head, [*rows.values()]

    def _lines(self) -> Iterator[list[str | float]]:
        for each in self.cells:
            published = "" if each.published is None else each.published.text
            yield [published if name == "published" else getattr(each, name) for name in _COLUMNS]
