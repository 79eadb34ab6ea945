"""Printing: results to standard output, remarks to standard error; nothing is cut off."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

_BOLD, _DIM, _RED = "1", "2", "31"
_GAP = 2
_NARROWEST = 12  # columns: text is wrapped to no less
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # all but tabs and newlines


def print_text(text: str = "") -> None:
    """Print text to standard output; on a terminal, lines are wrapped between words."""
    sys.stdout.write(_fitted(_without_controls(text), sys.stdout) + "\n")


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, left: Sequence[str] = (), title: str | None = None
) -> None:
    """Print a table whose columns are as wide as their values.

    Where the terminal is too narrow, the widest text is wrapped between words; if that does not suffice, the table is
    printed in blocks below each other, each of which repeats the first column. Nothing is cut off.

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

    Examples
    --------
    >>> print_table(["name", "rows"], [["a", 5], ["long one", 12]], left=["name"])
    name      rows
    ──────────────
    a            5
    long one    12
    """
    head = [_without_controls(name) for name in columns]
    cells = [head, *(["" if cell is None else _without_controls(str(cell)) for cell in row] for row in rows)]
    texts = [at for at, name in enumerate(columns) if name in left]
    width = _terminal_width(sys.stdout)
    if title:
        sys.stdout.write(_styled(title, _BOLD, sys.stdout) + "\n")
    begin, end = 1, 0
    while end < len(head):
        end = len(head)
        while (lines := _table_lines(cells, [0, *range(begin, end)], texts, width)) is None:
            end -= 1
        sys.stdout.write("\n" * (begin > 1) + _styled(lines[0], _BOLD, sys.stdout) + "\n")
        sys.stdout.writelines(f"{line}\n" for line in lines[1:])
        begin = end


def _table_lines(cells: list[list[str]], chosen: list[int], texts: list[int], width: int | None) -> list[str] | None:
    """Return the lines of some columns of a table, laid out by rich; None if they do not fit side by side.

    To fit, the widest column of text is wrapped: rich alone would break words and numbers of the others.
    """
    from rich.box import SIMPLE_HEAD
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table

    chosen = chosen[: len(cells[0])]
    sizes = {at: max(cell_len(row[at]) for row in cells) for at in chosen}
    widest = max((at for at in chosen if at in texts), key=lambda at: sizes[at], default=-1)
    total = sum(sizes.values()) + _GAP * (len(sizes) - 1)
    words = [cell_len(word) for row in cells for word in row[widest].split()]
    spare = sizes[widest] - max([_NARROWEST, *words]) if widest >= 0 else 0
    if width is not None and total - max(spare, 0) > width and len(chosen) > 2:
        return None
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, _GAP - 1, 0, 0))
    for at, size in sizes.items():
        fixed: dict[str, Any] = {} if at == widest else {"no_wrap": True, "min_width": size}
        table.add_column(cells[0][at], justify="left" if at in texts else "right", overflow="fold", **fixed)
    for row in cells[1:]:
        table.add_row(*(row[at] for at in chosen))
    console = Console(width=width or total, markup=False, emoji=False, highlight=False, color_system=None)
    with console.capture() as captured:
        console.print(table)
    return [line.rstrip() for line in captured.get().splitlines()]


def print_note(text: str) -> None:
    """Print a remark to standard error, after what was printed before it."""
    sys.stdout.flush()
    sys.stderr.write(_styled(_fitted(_without_controls(text), sys.stderr), _DIM, sys.stderr) + "\n")
    sys.stderr.flush()


def print_error(text: str) -> None:
    """Print a message to standard error, after the word "Error" in red."""
    fitted = _fitted(f"Error: {_without_controls(text)}", sys.stderr)
    sys.stderr.write(_styled("Error:", _RED, sys.stderr) + fitted.removeprefix("Error:") + "\n")
    sys.stderr.flush()


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


def _without_controls(text: str) -> str:
    """Return text with what steers a terminal escaped: names and classes may come from a stranger's file."""
    return _CONTROLS.sub(lambda found: repr(found[0])[1:-1], text)


def _terminal_width(stream: TextIO) -> int | None:
    """Return the width of a terminal, or COLUMNS; None: the stream is none, so that lines may have any length."""
    is_known = stream.isatty() or os.environ.get("COLUMNS", "").isdigit()
    return shutil.get_terminal_size().columns if is_known else None


def _fitted(text: str, stream: TextIO) -> str:
    width = _terminal_width(stream)
    if width is None:
        return text
    lines = [_wrapped(line, width) for line in text.split("\n")]
    return "\n".join(line for wrapped in lines for line in wrapped or [""])


def _wrapped(line: str, width: int) -> list[str]:
    """Return the lines of a line that is too long; what continues an indented one is indented further."""
    indent = len(line) - len(line.lstrip())
    more = " " * (indent + 4 if indent else 0)
    return textwrap.wrap(line, width, break_on_hyphens=False, replace_whitespace=False, subsequent_indent=more)


def _styled(text: str, style: str, stream: TextIO) -> str:
    """Return text in bold, dim or color, on terminals that want it (no-color.org)."""
    is_wanted = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return f"\x1b[{style}m{text}\x1b[0m" if is_wanted and text else text
