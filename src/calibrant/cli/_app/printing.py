"""Printing: results to standard output, remarks to standard error; nothing is cut off."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["plain", "print_json", "print_note", "print_table", "print_text", "result_console"]


def print_text(text: str = "") -> None:
    """Print text as it is; on a terminal, lines are wrapped between words."""
    result_console().print(text, markup=False, highlight=False, soft_wrap=not sys.stdout.isatty())


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, left: Sequence[str] = (), title: str | None = None
) -> None:
    """Print a table whose columns are as wide as their values; on a narrow terminal, values are wrapped.

    Parameters
    ----------
    columns : sequence of str
        The names of the columns.
    rows : iterable of sequences
        The cells of each row, printed by ``str``; None is an empty cell.
    left : sequence of str
        The columns that are aligned to the left: text. Others are aligned to the right.
    title : str, optional
        A line above.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, title=title, title_justify="left")
    for name in columns:
        table.add_column(Text(name), justify="left" if name in left else "right", overflow="fold")
    for row in rows:
        table.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    result_console().print(table)


def print_note(text: str) -> None:
    """Print a remark to standard error."""
    _console(stderr=True).print(text, markup=False, highlight=False, style="dim", soft_wrap=not sys.stderr.isatty())


def print_json(document: Any) -> None:
    """Print a JSON document; numbers that are not finite become null."""
    sys.stdout.write(json.dumps(plain(document), indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def plain(value: Any) -> Any:
    """Return a value in JSON's types: numpy's numbers and arrays, dates, paths and mappings included.

    Examples
    --------
    >>> plain({1: float("nan"), "b": (True, None)})
    {'1': None, 'b': [True, None]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):  # numpy's scalars and arrays
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def result_console() -> Console:
    """Return the console of results: of the terminal's width, or of any width where the output is no terminal."""
    return _console(stderr=False)


def _console(*, stderr: bool) -> Console:
    from calibrant.cli._app.terminal import Terminal

    return Terminal(stderr=stderr)
