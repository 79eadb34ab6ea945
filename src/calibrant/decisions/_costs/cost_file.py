"""Reading a cost matrix from a CSV file: actual classes in rows, actions in columns."""

from __future__ import annotations

import csv
from pathlib import Path

from calibrant.exceptions import MissingFileError, ReadError

__all__ = ["read_cost_file"]


def read_cost_file(path: Path) -> tuple[list[str], list[str], list[list[float]]]:
    """Read the classes, the actions and the costs (classes x actions); `CostMatrix.from_csv` has an example."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = [(number, [cell.strip() for cell in row]) for number, row in enumerate(csv.reader(file), 1)]
    except FileNotFoundError as error:
        raise MissingFileError(f"{path}: no such file; pass the path of a CSV file of costs.") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise ReadError.at(path, f"is not a CSV file ({error})", hint="Save it as comma-separated values.") from error
    rows = [(number, row) for number, row in lines if any(row)]
    if len(rows) < 2 or len(rows[0][1]) < 2:
        raise ReadError.at(
            path, "has no costs", hint="Name the actions in the first row and a class at the start of each other row."
        )
    actions = rows[0][1][1:]
    cells = [(number, _check_width(path, number, row, actions)) for number, row in rows[1:]]
    table = [[_cost(path, number, cell) for cell in row] for number, row in cells]
    return [row[0] for _, row in rows[1:]], actions, table


def _check_width(path: Path, number: int, row: list[str], actions: list[str]) -> list[str]:
    if len(row) != len(actions) + 1:
        raise ReadError.at(
            path,
            f"has {len(row)} fields where {len(actions) + 1} are expected",
            line=number,
            hint="Write a class and a cost for each action.",
        )
    return row[1:]


def _cost(path: Path, number: int, cell: str) -> float:
    try:
        return float(cell)
    except ValueError as error:
        raise ReadError.at(
            path, f"has {cell!r} where a cost is expected", line=number, hint="Write a number."
        ) from error
