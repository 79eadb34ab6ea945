"""The sections of a report on predictions, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

from calibrant._sections import Callout, Figure, Paragraph, Section
from calibrant.decisions import DecisionReport
from calibrant.report._analyser.cost_benefit_analyser import CostBenefitAnalyser
from calibrant.report._how_made import how_made_section
from calibrant.report._predictions.answer import answer_section
from calibrant.report._predictions.cautions import warnings_section
from calibrant.report._predictions.comparison import choose_model, comparison_section
from calibrant.report._predictions.cost_curves import cost_curves_section
from calibrant.report._predictions.ranking import lift_and_gains_section, precision_recall_section, roc_section
from calibrant.report._predictions.reliability import histograms_section, reliability_section
from calibrant.report._predictions.report_data import ReportData
from calibrant.report._predictions.score_card import class_table_section, score_card_section
from calibrant.report._predictions.segments import segments_section
from calibrant.report._predictions.tree import tree_section


def analyser_section(data: ReportData) -> Section:
    """Return the analyser of two classes, or of one class against the others."""
    lead = Paragraph(
        "Enter what each outcome earns (or costs, with a minus sign) and choose how many rows to select: the profit, "
        "what as many rows at random would earn, and the best choice follow."
    )
    title = "How many to select, and what it earns"
    return data.section("analyser", title, [lead, CostBenefitAnalyser(data)], "Cost-benefit analysis")


SectionMaker = Callable[["ReportData"], "Section | None"]

_OPENING: tuple[SectionMaker, ...] = (answer_section, score_card_section, class_table_section)
# Of one class against the others: on the main page where there are two classes, else on a page for each class
_FIGURES: tuple[SectionMaker, ...] = (
    reliability_section,
    histograms_section,
    roc_section,
    precision_recall_section,
    lift_and_gains_section,
    analyser_section,
    cost_curves_section,
)
_CLOSING: tuple[SectionMaker, ...] = (
    comparison_section,
    segments_section,
    tree_section,
    warnings_section,
    how_made_section,
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


def summary_of(data: ReportData, sections: Sequence[Section]) -> dict[str, Any]:
    """Return the verdict and the money of each model, the best model, and the warnings."""
    choice = choose_model(data)
    bounds = ("gap_bound", "loss_bound", "money_bound")
    verdicts = {name: data.verdict(name) for name in data.names}
    return {
        "verdicts": {
            name: {key: getattr(found, key) for key in ("kind", "words", *bounds, "rows_needed")}
            for name, found in verdicts.items()
        },
        "money": None if data.costs is None else {name: _money(data.money(name)) for name in data.names},
        "best": data.names[0] if choice is None else choice.best,
        "warnings": [
            block.text
            for section in sections
            for block in section.blocks
            if section.name == "warnings" and isinstance(block, Callout) and block.kind != "good"
        ],
    }


def _money(found: DecisionReport | None) -> dict[str, Any] | None:
    if found is None:
        return None
    names = ("everybody", "ranking", "miscalibration", "unknown", "perfect")
    sums = {"now": found.now.total, **{name: getattr(found, name) for name in names}}
    return {name: asdict(money) for name, money in sums.items()}
