"""The report of a compared table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant.report._comparison_report.answer import answer_section
from calibrant.report._comparison_report.held_out_sections import held_out_sections
from calibrant.report._comparison_report.how_made import how_made_section
from calibrant.report._comparison_report.ranking import ranking_section
from calibrant.report._comparison_report.top_models import top_models

if TYPE_CHECKING:
    from calibrant.report._report import Report
    from calibrant.studies import TableComparison

__all__ = ["comparison_report"]


def comparison_report(
    found: TableComparison, *, title: str | None = None, command: str | None = None, rows: bool = True
) -> Report:
    """Return the report of a compared table; `Report.from_comparison` describes it."""
    from calibrant.report._report import Report  # it imports this module

    models = top_models(found)
    names = tuple(models)
    sections = (
        answer_section(found),
        ranking_section(found, names),
        *held_out_sections(found, models, rows=rows),
        how_made_section(found, command),
    )
    return Report(
        title or f"{found.table.name}: which method predicts “{found.compared.target}” best?", sections, names
    )
