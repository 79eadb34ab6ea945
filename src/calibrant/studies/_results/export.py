"""The table and the trials of a study as text, or in a file that is written whole or not at all."""

from __future__ import annotations

import csv
import io
import math
import os
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._params import Bool, Choice, Int, Nothing, check_param, choose
from calibrant._whole_file import whole_file
from calibrant.exceptions import ParameterError
from calibrant.studies._results.compare import plans_in_words
from calibrant.studies._results.study_values import MetricFacts, StudyValues
from calibrant.studies._results.tables import study_table, trials_frame

if TYPE_CHECKING:
    import pandas as pd

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "×": r"$\times$",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "∞": r"$\infty$",
    "→": r"$\rightarrow$",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}
_MARKDOWN = {character: f"\\{character}" for character in "\\|*`<"}


@dataclass(frozen=True)
class TextTable:
    """The cells of a table; `best` marks the numbers to be set in bold."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]  # the name first
    best: Sequence[Sequence[bool]] = ()  # none are marked
    note: str = ""


def latex_escaped(text: str) -> str:
    r"""Return a name as LaTeX sets it; Greek letters and some signs in mathematical mode.

    Examples
    --------
    >>> latex_escaped("m_branch & 50 %")
    'm\\_branch \\& 50 \\%'
    >>> latex_escaped("α-trees {v2}")
    '$\\alpha$-trees \\{v2\\}'
    """
    return "".join(_LATEX.get(character) or _latex_letter(character) for character in _printable(text))


def _latex_letter(character: str) -> str:
    name = unicodedata.name(character, "")
    if not name.startswith("GREEK") or "LETTER" not in name or "WITH" in name:
        return character
    letter = name.rsplit(" ", 1)[-1].lower().replace("lamda", "lambda")
    if letter == "omicron":
        return "O" if "CAPITAL" in name else "o"
    return f"$\\{letter.capitalize() if 'CAPITAL' in name else letter}$"


def markdown_escaped(text: str) -> str:
    r"""Return a name as a cell of a Markdown table.

    Examples
    --------
    >>> markdown_escaped("a|b *c*")
    'a\\|b \\*c\\*'
    """
    return "".join(_MARKDOWN.get(character, character) for character in _printable(text))


def _printable(text: str) -> str:
    """Return a text on one line, without control characters."""
    return "".join(" " if unicodedata.category(character) == "Cc" else character for character in text)


def _csv(table: TextTable) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([table.head, *table.rows])
    return buffer.getvalue()


def _markdown(table: TextTable) -> str:
    lines = [[markdown_escaped(cell) for cell in table.head], ["---", *["---:"] * (len(table.head) - 1)]]
    lines += _body(table, markdown_escaped, lambda cell: f"**{cell}**", "–")
    text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return f"{text}\n{markdown_escaped(table.note)}\n" if table.note else text


def _latex(table: TextTable) -> str:
    body = _body(table, latex_escaped, lambda cell: f"\\textbf{{{cell}}}", "--")
    head = [latex_escaped(cell) for cell in table.head]
    lines = [f"% {_printable(table.note)}"] if table.note else []
    lines += [f"\\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}", "\\toprule", f"{' & '.join(head)} \\\\", "\\midrule"]
    lines += [f"{' & '.join(line)} \\\\" for line in body]
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", ""])


def _body(table: TextTable, escaped: Callable[[str], str], bold: Callable[[str], str], missing: str) -> list[list[str]]:
    """Return the rows with names escaped, the best numbers in bold, and a dash for what is missing."""
    lines = []
    for i, (name, *cells) in enumerate(table.rows):
        marks = table.best[i] if table.best else ()
        shown = [escaped(cell) if cell else missing for cell in cells]
        lines.append([escaped(name), *(bold(cell) if best else cell for cell, best in zip_longest(shown, marks))])
    return lines


def number_cell(value: float, digits: int | None) -> str:
    """Return a number with some decimals, or all of its digits; an empty cell where it is missing."""
    if math.isnan(value):
        return ""
    return repr(float(value)) if digits is None else f"{value:.{digits}f}"


def best_marks(losses: Sequence[float], cells: Sequence[str]) -> tuple[bool, ...]:
    """Mark the cells that show the best number, or print as it does."""
    known = [loss for loss in losses if not math.isnan(loss)]
    if not known:
        return (False,) * len(cells)
    best = cells[losses.index(min(known))]
    return tuple(cell == best and not math.isnan(loss) for cell, loss in zip(cells, losses, strict=True))


WRITERS: dict[str, Callable[[TextTable], str]] = {"csv": _csv, "markdown": _markdown, "latex": _latex}


_SUFFIXES = {".csv": "csv", ".md": "markdown", ".markdown": "markdown", ".tex": "latex"}


class ExportQuery(StudyValues):
    """The table of a metric, or all trials, as text."""

    def export(
        self,
        path: str | os.PathLike[str] | None = None,
        metric: str | None = None,
        *,
        format: str | None = None,  # noqa: A002
        what: str = "table",
        digits: int | None = None,
        bold: bool = False,
        interval: bool | str = False,
        confidence: float = 0.95,
        part: str = "test",
        partial: bool = False,
    ) -> str:
        r"""Return the table of a metric, or all trials, as text, and write it to a file.

        Parameters
        ----------
        path : str or path, optional
            The file; it is written whole or not at all.
        metric : str, optional
            The metric of a table, where there are several.
        format : {"csv", "markdown", "latex"}, optional
            By default that of the suffix of the path (``.csv``, ``.md``, ``.tex``), or CSV.
        what : {"table", "trials"}
            A table of means, or the frame of `to_frame`.
        digits : int, optional
            Number of decimals; by default 4, and in CSV as many as it takes to read the same numbers again.
        bold : bool
            Whether the best method on each data set stands in bold, with those that print the same number.
        interval, confidence, part, partial
            As in `table`.

        Returns
        -------
        str
            The text. Names are escaped; a LaTeX table needs the package booktabs.

        Examples
        --------
        >>> from calibrant.studies import StudyResults
        >>> values = {"iris": [[0.1, 0.2], [0.3, 0.2]], "wine": [[0.2, 0.1], [0.2, 0.3]]}
        >>> results = StudyResults.from_values(values, methods=["tree", "naive_bayes"], metric="mse")
        >>> print(results.export(format="markdown", digits=2, bold=True))
        | dataset | tree | naive_bayes |
        | --- | ---: | ---: |
        | iris | **0.15** | 0.25 |
        | wine | **0.15** | 0.25 |
        <BLANKLINE>
        mse, mean over 2-fold cross-validation (lower is better)
        <BLANKLINE>
        """
        for name, value, rule in (
            *(("what", what, Choice("table", "trials")), ("digits", digits, Int(0, 17) | Nothing())),
            *(("bold", bold, Bool()), ("interval", interval, Bool() | Choice("rows", "splits"))),
        ):
            check_param(name, value, rule)
        kind = _format(path, format)
        write = choose("format", kind, WRITERS)
        if what == "trials":
            frame = trials_frame(self)
            is_csv = kind == "csv"
            text = frame.to_csv(index=False, lineterminator="\n") if is_csv else write(_trials_table(frame, digits))
        else:
            if metric is None and len(self.metrics) > 1:
                raise ParameterError(f"export: metric must be one of {', '.join(self.metrics)} for a table; got None.")
            name = self.metrics[0] if metric is None else metric
            shown = (4 if kind != "csv" else None) if digits is None else digits
            frame = study_table(self, name, part, interval, confidence, partial)
            text = write(_means_table(self, self.facts(name), frame, shown, kind, bold=bold, interval=interval))
        if path is not None:
            if not Path(path).parent.is_dir():
                raise ParameterError(f"path: there is no folder {str(Path(path).parent)!r}; create it first.")
            with whole_file(Path(path)) as file:  # so that there is the old one or the whole new one
                file.write(text.encode())
        return text


def _format(path: str | os.PathLike[str] | None, chosen: str | None) -> str:
    """Return the format, by default that of the file's suffix."""
    if chosen is not None:
        return chosen
    if path is None:
        return "csv"
    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES:
        known = ", ".join(_SUFFIXES)
        raise ParameterError(f"path must end in {known} where format is not passed; got {Path(path).name!r}.")
    return _SUFFIXES[suffix]


def _means_table(
    study: StudyValues,
    facts: MetricFacts,
    frame: pd.DataFrame,
    digits: int | None,
    kind: str,
    *,
    bold: bool,
    interval: bool | str,
) -> TextTable:
    """Return the cells of a table of means, with their intervals in the same cells or, in CSV, beside them."""
    step = 3 if interval else 1
    numbers = frame.to_numpy(dtype=np.float64)
    cells = [[number_cell(value, digits) for value in row] for row in numbers.tolist()]
    means = [row[::step] for row in cells]
    is_marked = bold and kind != "csv" and bool(facts.better)
    losses = facts.losses(numbers[:, ::step]).tolist() if is_marked else []
    marks = [best_marks(*each) for each in zip(losses, means, strict=is_marked)]
    head = list(study.methods)
    if interval and kind == "csv":
        head = [name for method in head for name in (method, f"{method} low", f"{method} high")]
        means = cells
    elif interval:
        triples = [zip(*[iter(row)] * 3, strict=True) for row in cells]
        means = [[f"{mean} [{low}, {high}]" if mean and low else mean for mean, low, high in row] for row in triples]
    rows = tuple((name, *row) for name, row in zip(study.datasets, means, strict=True))
    part = "" if frame.attrs["part"] == "test" else " on training rows"
    ends, direction = ", with intervals" if interval else "", f" ({facts.words})" if facts.better else ""
    caption = f"{facts.name}{part}, mean over {plans_in_words(study, study.datasets)}{ends}{direction}"
    notes = [caption, *frame.attrs["notes"]]
    return TextTable(("dataset", *head), rows, marks, "; ".join(notes))


def _trials_table(frame: pd.DataFrame, digits: int | None) -> TextTable:
    def cell(value: Any) -> str:
        if value is None or isinstance(value, str):
            return value or ""
        return number_cell(value, digits) if isinstance(value, float) else str(value)

    return TextTable(tuple(frame.columns), tuple(tuple(map(cell, row)) for row in frame.itertuples(index=False)))
