"""Cells as the text of a table: CSV, Markdown or LaTeX, with names escaped."""

from __future__ import annotations

import csv
import io
import math
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["WRITERS", "TextTable", "best_marks", "latex_escaped", "markdown_escaped", "number_cell"]

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
    best: tuple[tuple[bool, ...], ...]
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
    for (name, *cells), marks in zip(table.rows, table.best, strict=True):
        shown = [escaped(cell) if cell else missing for cell in cells]
        lines.append(
            [escaped(name), *(bold(cell) if is_best else cell for cell, is_best in zip(shown, marks, strict=True))]
        )
    return lines


def number_cell(value: float, digits: int | None) -> str:
    """Return a number with some decimals, or all of its digits; an empty cell where it is missing."""
    if math.isnan(value):
        return ""
    return repr(float(value)) if digits is None else f"{value:.{digits}f}"


def best_marks(losses: Sequence[float], cells: Sequence[str]) -> tuple[bool, ...]:
    """Return which cells show the best number; those that print as it does are among them."""
    known = [loss for loss in losses if not math.isnan(loss)]
    if not known:
        return (False,) * len(cells)
    best = cells[losses.index(min(known))]
    return tuple(cell == best and not math.isnan(loss) for cell, loss in zip(cells, losses, strict=True))


WRITERS: dict[str, Callable[[TextTable], str]] = {"csv": _csv, "markdown": _markdown, "latex": _latex}
