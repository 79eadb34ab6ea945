"""Costs in a small file: actions in the first row, then a class and the cost of each action."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from calibrant.data._internal import read_text_rows
from calibrant.exceptions import MissingFileError, ReadError, nearest

_TERM = re.compile(
    r"\s*(?P<sign>[+\-−]?)\s*(?P<number>\d[\d.,'’\u00a0\u202f]*(?:[eE][+-]?\d+)?|[.,]\d+)\s*(?=[+\-−]|$)"
)
_MOST_SHOWN = 60  # characters of a cell in messages


@dataclass(frozen=True)
class CostFile:
    """The classes, the actions, the costs (classes x actions), and the columns that are added to some of them."""

    labels: list[str]
    actions: list[str]
    costs: list[list[float]]
    columns: tuple[tuple[str, str, int, str], ...] = ()  # of each the class, the action, the sign and the name


def read_cost_file(path: Path, columns: Sequence[str] = ()) -> CostFile:
    """Read a file of costs, in any notation that `read_table` reads.

    Parameters
    ----------
    path : path
        The file. A cell is a number, a sum such as ``20-200``, or has a column too, such as ``0.68-amount``.
    columns : sequence of str
        The columns that cells may name; none: cells are numbers.

    Returns
    -------
    CostFile
        The costs.
    """
    try:
        rows = read_text_rows(path)
    except MissingFileError as error:
        raise MissingFileError(f"{path}: no such file; pass the path of a file of costs.") from error
    if len(rows) < 2 or len(rows[0][1]) < 2:
        hint = "Name the actions in the first row and a class at the start of each other row."
        raise ReadError.at(path, "has no costs", hint=hint)
    actions = rows[0][1][1:]
    for line, cells in rows[1:]:
        if len(cells) != len(actions) + 1:
            problem = f"has {len(cells)} fields where {len(actions) + 1} are expected"
            raise ReadError.at(path, problem, line=line, hint="Write a class and a cost for each action.")
    decimal = _decimal_mark([cell for _, cells in rows[1:] for cell in cells[1:]])
    table: list[list[float]] = []
    named: list[tuple[str, str, int, str]] = []
    for line, (label, *cells) in rows[1:]:
        parsed = [_read_cell(path, line, cell, decimal, columns) for cell in cells]
        table.append([number for number, _, _ in parsed])
        named += [(label, action, sign, name) for action, (_, sign, name) in zip(actions, parsed, strict=True) if sign]
    return CostFile([cells[0] for _, cells in rows[1:]], actions, table, tuple(named))


def _decimal_mark(cells: Sequence[str]) -> str:
    """Return the decimal mark: a comma if a cell has one as in 0,68 or 1.000,50, and none has a point as in 0.68."""
    has_comma = any(re.search(r"\d,(?!\d{3}(?!\d))\d|\.\d{3},\d", cell) for cell in cells)
    has_point = any(re.search(r"\d\.(?!\d{3}(?!\d))\d|,\d{3}\.\d", cell) for cell in cells)
    return "," if has_comma and not has_point else "."


def _read_cell(path: Path, line: int, cell: str, decimal: str, columns: Sequence[str]) -> tuple[float, int, str]:
    """Return the number of a cell, and the sign and the name of its column; the sign is 0 where it has none."""
    if cell in columns:
        return 0.0, 1, cell
    total, at = 0.0, 0
    while term := _TERM.match(cell, at):
        if at and not term["sign"]:
            break
        number = _number(term["number"], decimal)
        if number is None:
            break
        total, at = total + (-number if term["sign"] in ("-", "−") else number), term.end()
    rest = cell[at:].strip()
    if at and not rest:
        return total, 0, ""
    sign, column = (rest[0], rest[1:].strip()) if rest[:1] in ("+", "-", "−") else ("", rest)
    if column in columns and (sign or not at):
        return total, -1 if sign in ("-", "−") else 1, column
    hint = "Write a number, or a sum of numbers such as 20-200."
    if columns:
        guess = nearest(column[:_MOST_SHOWN], columns)
        hint = f"Write a number, a column of the table, or both, such as 0.68-amount.{guess}"
    shown = repr(cell if len(cell) <= _MOST_SHOWN else f"{cell[:_MOST_SHOWN]}…")
    raise ReadError.at(path, f"has {shown} where a cost is expected", line=line, hint=hint)


def _number(text: str, decimal: str) -> float | None:
    plain = re.sub(r"['’\u00a0\u202f]" + ("|[.]" if decimal == "," else "|[,]"), "", text).replace(decimal, ".")
    try:
        return float(plain)
    except ValueError:
        return None
