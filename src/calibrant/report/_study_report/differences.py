"""Which methods of a study are shown to differ: pair by pair, and by wins and losses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from calibrant._repr import number_text
from calibrant._sections import DataTable, Paragraph, TableColumn
from calibrant.exceptions import CalibrantError
from calibrant.report._metric_phrase import metric_term

if TYPE_CHECKING:
    from calibrant._sections import Block
    from calibrant.report._study_report.study_queries import StudyQueries
    from calibrant.studies import PairDifference, StudyComparison, StudyResults

__all__ = ["difference_blocks"]

_MOST_PAIRS = 60  # in the page; `StudyResults.compare` has all


def difference_blocks(queries: StudyQueries, metric: str) -> list[Block]:
    """Return a table of the pairs that were compared, the test in words, and wins, ties and losses."""
    if len(queries.results.methods) < 2:
        return []
    found = queries.compare(metric)
    if isinstance(found, str):
        return [Paragraph(found, "note")]
    return [*_pairs(found), *_wins(queries.results, metric)]


def _pairs(found: StudyComparison) -> list[Block]:
    shown = sorted(found.pairs, key=lambda pair: not pair.holds)[:_MOST_PAIRS]
    columns = (
        TableColumn("Methods", "left"),
        TableColumn("Finding", "left"),
        TableColumn("Difference", term="first less second"),
        TableColumn("Interval"),
        TableColumn("Corrected p-value"),
    )
    more = len(found.pairs) - len(shown)
    note = f"{more:,} more pairs are left out; Study.compare has all." if more else ""
    n_found = len(found.differences)
    caption = f"{n_found} of {len(found.pairs)} pairs of methods are shown to differ by {metric_term(found.metric)}"
    table = DataTable(caption, columns, tuple(map(_row, shown)), note=note)
    parts = [f"{found.how}, at {100 * found.confidence:g} %: {found.reason}.", *found.notes]
    return [table, Paragraph(" ".join(parts), "note")]


def _row(pair: PairDifference) -> tuple[str, ...]:
    p_value = pair.pvalue if math.isnan(pair.adjusted_pvalue) else pair.adjusted_pvalue
    return (
        f"{pair.a} and {pair.b}",
        f"{pair.better} is better" if pair.holds else "not shown to differ",
        number_text(pair.difference),
        f"{number_text(pair.low)} to {number_text(pair.high)}" if math.isfinite(pair.high - pair.low) else "none",
        "" if math.isnan(p_value) else f"{p_value:.3g}",
    )


def _wins(results: StudyResults, metric: str) -> list[Block]:
    """Return wins, ties and losses over several data sets; nothing where their splits cannot be tested."""
    if len(results.datasets) < 2:
        return []
    try:
        found = results.win_tie_loss(metric, partial=True)
    except CalibrantError as error:
        return [Paragraph(f"Wins and losses: {error}", "note")]
    columns = (
        TableColumn("Method", "left"),
        TableColumn("Against", "left"),
        *(TableColumn(name) for name in ("Wins", "Ties", "Losses")),
    )
    records = found.records[:_MOST_PAIRS]
    rows = tuple((each.method, each.competitor, *map(str, (each.wins, each.ties, each.losses))) for each in records)
    caption = f"Wins, ties and losses over the data sets, each tested at {100 * (1 - found.alpha):g} %"
    return [DataTable(caption, columns, rows)]
