"""A table of a paper as text: published figures, ours and their differences, with the paper's decimals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from calibrant.papers._reproduction.markdown import markdown_table

if TYPE_CHECKING:
    from calibrant.papers._reproduction.table import Cell, PaperTable

__all__ = ["number_text", "table_text"]

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
    """Return how many figures agree, and the causes of the differences, each with its figures."""
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
    """Return where some figures stand, by row."""
    rows: dict[tuple[str, str], list[str]] = {}
    for each in cells:
        rows.setdefault((each.block, each.row), []).append(each.column)
    places = (f"{f'{block}, ' if block else ''}{row} ({', '.join(columns)})" for (block, row), columns in rows.items())
    return "; ".join(places)
