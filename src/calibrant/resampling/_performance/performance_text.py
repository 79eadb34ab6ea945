"""`Performance` as text and as sections."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from calibrant._repr import number_text
from calibrant._sections import DataTable, Paragraph, Section, TableColumn

if TYPE_CHECKING:
    from calibrant.resampling._performance.performance import Performance

__all__ = ["performance_sections", "performance_text"]


def performance_text(found: Performance) -> str:
    """Return a title, a line for each method (or for each metric of a single method), and the notes."""
    head, lines = _table(found)
    table = [head, *lines]
    widths = [max(len(line[column]) for line in table) for column in range(len(head))]
    text = ["  " + "  ".join(_aligned(line, widths)).rstrip() for line in table]
    return "\n".join([_title(found), *text, *_notes(found)])


def performance_sections(found: Performance) -> tuple[Section, ...]:
    """Return the same as sections."""
    head, lines = _table(found)
    columns = TableColumn(head[0], "left"), *(TableColumn(name or "interval", "right") for name in head[1:])
    table = DataTable("Means over the splits", columns, tuple(map(tuple, lines)))
    return (Section("performance", _title(found), (table, *(Paragraph(note, "note") for note in _notes(found)))),)


def _title(found: Performance) -> str:
    splits = f"{found.n_splits:,} splits" if found.n_splits > 1 else "1 split"
    sizes = f"{_size(found.n_train)} training rows, {_size(found.n_test)} test rows"
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
    undefined = dict.fromkeys(
        f"{metric}: {found.score(metric, method).note}."
        for method in found.methods
        for metric in found.metrics
        if found.score(metric, method).note
    )
    return [*notes, *undefined, *([found.caution] if found.caution else [])]


def _choices(found: Performance) -> str:
    counts = ", ".join(f"{name} {n}" for name, n in Counter(found.choices).most_common())
    return f"Chosen, number of splits: {counts}."
