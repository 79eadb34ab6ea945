"""Score cards as text and as sections."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from calibrant._sections import Block, DataTable, Paragraph, Section, TableColumn

if TYPE_CHECKING:
    from calibrant.metrics._scorecard.score_card import Score, ScoreCard

__all__ = ["card_sections", "card_text", "number_text", "scope_text", "score_text"]

_MOST_SEGMENTS, _MOST_ROWS = 20, 200  # with a section each, and with a row each


def number_text(value: float | None) -> str:
    """Return a number with four decimals, or with four significant digits where it is small, as text.

    Examples
    --------
    >>> number_text(0.51234), number_text(0.000123456), number_text(123456.0), number_text(None)
    ('0.5123', '0.0001235', '123,456', '')
    """
    if value is None:
        return ""
    if not math.isfinite(value) or value == 0.0:
        return f"{value:g}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4f}" if abs(value) >= 0.001 else f"{value:.4g}"


def score_text(score: Score) -> str:
    """Return a score as one line of text."""
    parts = [score.metric, number_text(score.value), _interval_text(score)]
    parts += [f"debiased {number_text(score.debiased)}"] if score.debiased is not None else []
    parts += [f"p = {score.pvalue:.3g}"] if score.pvalue is not None else []
    return " ".join(part for part in parts if part)


def card_text(card: ScoreCard) -> str:
    """Return a card as text: a title, a line for each metric, and notes."""
    lines = [_title(card)]
    if card.cards:
        return "\n".join([*lines, *_segments_text(card)])
    cells = [_cells(score) for score in card.scores.values()]
    widths = [max((len(row[column]) for row in cells), default=0) for column in range(5)]
    lines += [_row_text(row, widths) for row in cells]
    return "\n".join([*lines, *_notes(card), *filter(None, [scope_text(card)])])


def card_sections(card: ScoreCard) -> tuple[Section, ...]:
    """Return a card as sections: a table of its scores and, with segments, one of theirs and a section for each."""
    if not card.cards:
        return (_card_section(card, "score-card"),)
    whole = replace(card, name="all rows", cards={}, equal_calibration=None)
    parts = list(card.cards.values())[:_MOST_SEGMENTS]
    return (
        Section("segments", _title(card), _segments_blocks(card)),
        _card_section(whole, "score-card"),
        *(_card_section(part, f"score-card-{number}") for number, part in enumerate(parts, 1)),
    )


def _card_section(card: ScoreCard, name: str) -> Section:
    names = TableColumn("interval", "left"), TableColumn("by", "left"), TableColumn("calibration", "left")
    head = TableColumn("metric", "left"), TableColumn("value"), *names
    rows = tuple(_cells(score) for score in card.scores.values())
    used = [column for column in range(5) if column < 2 or any(row[column] for row in rows)]
    columns = tuple(head[column] for column in used)
    table = DataTable("Metrics", columns, tuple(tuple(row[column] for column in used) for row in rows))
    notes = filter(None, [scope_text(card), *_notes(card)])
    return Section(name, _title(card), (table, *(Paragraph(note, "note") for note in notes)))


def _segments_blocks(card: ScoreCard) -> tuple[Block, ...]:
    head, *rows = _segment_cells(card)
    columns = TableColumn("segment", "left"), *(TableColumn(name) for name in head[1:])
    n_more = len(rows) - 1 - _MOST_ROWS
    note = f"… and {n_more:,} more segments" if n_more > 0 else ""
    table = DataTable("Segments", columns, tuple(map(tuple, rows[: _MOST_ROWS + 1])), note=note)
    return (table, Paragraph(str(card.equal_calibration))) if card.equal_calibration is not None else (table,)


def _title(card: ScoreCard) -> str:
    of = f" of {card.name}" if card.name is not None else ""
    sure = f", intervals at {100 * card.confidence:g} %" if card.confidence is not None else ""
    rows = "1 row" if card.n_rows == 1 else f"{card.n_rows:,} rows"
    return f"Scores{of}: {rows}, {len(card.classes)} classes{sure}"


def _notes(card: ScoreCard) -> list[str]:
    """Return each note once, after the metrics that it applies to."""
    of_note: dict[str, list[str]] = {}
    for score in card.scores.values():
        of_note.setdefault(score.note, []).append(score.metric)
    return [f"{', '.join(metrics)}: {note}" for note, metrics in of_note.items() if note]


def scope_text(card: ScoreCard) -> str:
    """Return what the intervals are of, and what they assume."""
    if card.confidence is None or all(score.high is None for score in card.scores.values()):
        return ""
    has_clusters = card.judged is not None and card.judged.group is not None
    drawn = "groups drawn" if has_clusters else "rows drawn independently"
    bounded = ", ".join(name for name, score in card.scores.items() if score.low is None and score.high is not None)
    bound = f" {bounded}: “at most” bounds the true mean error; chance adds to the value." if bounded else ""
    return f"Intervals of this fitted model, on {drawn} like these.{bound}"


def _cells(score: Score) -> tuple[str, str, str, str, str]:
    calibration = f"debiased {number_text(score.debiased)}" if score.debiased is not None else ""
    calibration += f"  p = {score.pvalue:.3g}" if score.pvalue is not None else ""
    return score.metric, number_text(score.value), _interval_text(score), score.method, calibration.strip()


def _row_text(row: tuple[str, ...], widths: list[int]) -> str:
    name, value, *rest = row
    aligned = [name.ljust(widths[0]), value.rjust(widths[1])]
    aligned += [text.ljust(width) for text, width in zip(rest, widths[2:], strict=True)]
    return "  ".join(["", *aligned]).rstrip()


def _interval_text(score: Score) -> str:
    if score.high is None:
        return ""
    if score.low is None:
        return f"at most {number_text(score.high)}"
    return f"[{number_text(score.low)}, {number_text(score.high)}]"


def _segment_cells(card: ScoreCard) -> list[list[str]]:
    """Return the names of the columns, and the cells of all rows and of each segment."""
    parts = [("(all)", card), *((str(name), part) for name, part in card.cards.items())]
    cells = ([name, f"{part.n_rows:,}", *map(number_text, map(float, part.values()))] for name, part in parts)
    return [["", "rows", *card], *cells]


def _segments_text(card: ScoreCard) -> list[str]:
    cells = _segment_cells(card)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(["", row[0].ljust(widths[0]), *(cell.rjust(n) for cell, n in zip(row[1:], widths[1:], strict=True))])
        for row in cells
    ]
    return [*lines, str(card.equal_calibration)] if card.equal_calibration is not None else lines
