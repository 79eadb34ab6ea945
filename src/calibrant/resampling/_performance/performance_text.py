"""Performance for people: as text and as HTML."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from calibrant.metrics._internal import number_text

if TYPE_CHECKING:
    from calibrant.resampling._performance.performance import Performance

__all__ = ["performance_html", "performance_text"]

_STYLE = "style='text-align:right;padding:0 .8em'"


def performance_text(found: Performance) -> str:
    """Write a title, a line for each method (or, of one method, for each metric), and what to bear in mind."""
    head, lines = _table(found)
    table = [head, *lines]
    widths = [max(len(line[column]) for line in table) for column in range(len(head))]
    text = ["  " + "  ".join(_aligned(line, widths)).rstrip() for line in table]
    return "\n".join([_title(found), *text, *_notes(found)])


def performance_html(found: Performance) -> str:
    """Write the same as a table of HTML, without anything to fetch."""
    head, lines = _table(found)
    top = "".join(f"<th {_STYLE}>{escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td {_STYLE}>{escape(cell)}</td>" for cell in line) + "</tr>" for line in lines)
    notes = "<br>".join(map(escape, _notes(found)))
    table = f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div><p><b>{escape(_title(found))}</b></p>{table}<p><small>{notes}</small></p></div>"


def _title(found: Performance) -> str:
    splits = f"{found.n_splits:,} splits" if found.n_splits > 1 else "1 split"
    sizes = f"{_size(found.n_train)} rows to learn from, {_size(found.n_test)} to test on"
    return f"Performance by {found.plan}: {found.n_rows:,} rows, {splits}, {sizes}"


def _size(sizes: object) -> str:
    low, high = int(min(sizes)), int(max(sizes))  # type: ignore[call-overload]
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _table(found: Performance) -> tuple[list[str], list[list[str]]]:
    if len(found.methods) == 1:
        name = found.methods[0]
        return [name, "mean", "interval"], [[metric, *_cells(found, name, metric)] for metric in found.metrics]
    head = ["", *(each for metric in found.metrics for each in (metric, ""))]
    lines = [
        [name, *(cell for metric in found.metrics for cell in _cells(found, name, metric))] for name in found.methods
    ]
    return head, lines


def _cells(found: Performance, method: str, metric: str) -> tuple[str, str]:
    low, high = found.intervals[method, metric]
    interval = "" if math.isnan(low) else f"[{number_text(low)}, {number_text(high)}]"
    return number_text(found.mean(metric, method)), interval


def _aligned(line: list[str], widths: list[int]) -> list[str]:
    first, *rest = line
    cells = [text.rjust(width) for text, width in zip(rest, widths[1:], strict=True)]
    return [first.ljust(widths[0]), *cells]


def _notes(found: Performance) -> list[str]:
    notes = [found.interval_text] if found.interval_text else []
    notes += [_choices(found)] if found.choices else []
    unknown = dict.fromkeys(
        f"{metric}: {found.score(metric, method).note}."
        for method in found.methods
        for metric in found.metrics
        if found.score(metric, method).note
    )
    return [*notes, *unknown, *([found.caution] if found.caution else [])]


def _choices(found: Performance) -> str:
    often = {name: found.choices.count(name) for name in dict.fromkeys(found.choices)}
    told = ", ".join(f"{name} {n}" for name, n in sorted(often.items(), key=lambda each: -each[1]))
    return f"Chosen, number of splits: {told}."
