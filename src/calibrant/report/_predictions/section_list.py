"""The sections of a report on predictions, in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from calibrant._sections import Figure
from calibrant.report._predictions import (
    analyser,
    answer,
    class_table,
    comparison,
    cost_curves,
    how_made,
    lift_and_gains,
    precision_recall,
    reliability,
    roc,
    score_card,
    score_histograms,
    segments,
    tree,
    warnings_section,
)

if TYPE_CHECKING:
    from calibrant._sections import Section
    from calibrant.report._predictions.report_data import ReportData

__all__ = ["sections_of"]

SectionMaker = Callable[["ReportData"], "Section | None"]

_OPENING: tuple[SectionMaker, ...] = (answer.section, score_card.section, class_table.section)
# Of one class against the others: on the main page where there are two classes, else on a page for each class
_FIGURES: tuple[SectionMaker, ...] = (
    reliability.section,
    score_histograms.section,
    roc.section,
    precision_recall.section,
    lift_and_gains.section,
    analyser.section,
    cost_curves.section,
)
_CLOSING: tuple[SectionMaker, ...] = (
    comparison.section,
    segments.section,
    tree.section,
    warnings_section.section,
    how_made.section,
)


_MOST_ROWS, _FEWEST_ROWS, _ROWS_OF_PAGES = 50, 8, 200  # of the table of numbers of a curve: of one, at least, of all


def sections_of(data: ReportData) -> tuple[Section, ...]:
    """Return the sections of a report; those that do not apply are left out."""
    made = [make(data) for make in _OPENING]
    if data.is_binary:
        made += [make(data) for make in _FIGURES]
    made += [make(data) for make in _CLOSING]
    if not data.is_binary:
        made += [_short(make(page), page.n_pages) for page in data.class_pages() for make in _FIGURES]
    return tuple(section for section in made if section is not None)


def _short(section: Section | None, n_pages: int) -> Section | None:
    """Return a section whose tables of numbers are the shorter the more pages there are: the file stays small."""
    if section is None or n_pages * _MOST_ROWS <= _ROWS_OF_PAGES:
        return section
    most = max(_ROWS_OF_PAGES // n_pages, _FEWEST_ROWS)
    blocks = (replace(block, most_rows=most) if isinstance(block, Figure) else block for block in section.blocks)
    return replace(section, blocks=tuple(blocks))
