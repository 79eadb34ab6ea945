"""Tables in Markdown, aligned so that they can be read as plain text."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["markdown_table"]


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
