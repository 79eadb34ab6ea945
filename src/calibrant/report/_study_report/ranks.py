"""Mean ranks over data sets with their critical difference, in words and as a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant._sections import Axis, DataTable, Figure, Layer, Paragraph, TableColumn
from calibrant.exceptions import CalibrantError

if TYPE_CHECKING:
    from calibrant._sections import Block
    from calibrant.comparison import CriticalDifference
    from calibrant.report._study_report.study_queries import StudyQueries

__all__ = ["rank_blocks"]


def rank_blocks(queries: StudyQueries, metric: str, number: int) -> list[Block]:
    """Return the mean ranks; with three or more methods the critical difference too (Demšar 2006)."""
    try:
        ranks = queries.results.ranks(metric, partial=True)
    except CalibrantError as error:
        return [Paragraph(f"Ranks: {error}", "note")]
    ordered = sorted(ranks.mean_ranks.items(), key=lambda item: item[1])
    columns = (TableColumn("Method", "left"), TableColumn("Mean rank"))
    rows = tuple((name, f"{rank:.2f}") for name, rank in ordered)
    left_out = f"Left out, because a method has no value there: {', '.join(ranks.left_out)}." if ranks.left_out else ""
    table = DataTable(f"Mean ranks over {len(ranks.datasets)} data sets; 1 is best", columns, rows, note=left_out)
    critical = _critical_difference(queries, metric)
    if critical is None:
        return [table]
    return [table, _figure(critical, number), Paragraph(_words(critical))]


def _critical_difference(queries: StudyQueries, metric: str) -> CriticalDifference | None:
    """Return the mean ranks with Nemenyi's critical difference; None where that test does not hold."""
    try:
        return queries.results.compare(metric, "nemenyi", confidence=queries.confidence, partial=True).ranks
    except CalibrantError:
        return None


def _figure(found: CriticalDifference, number: int) -> Figure:
    """Return the mean ranks, with bars as long as the critical difference: methods whose bars do not meet differ."""
    ordered = sorted(found.mean_ranks.items(), key=lambda item: item[1])
    half = found.critical_difference / 2
    columns: dict[str, list[Any]] = {
        "x": [name for name, _ in ordered],
        "y": [rank for _, rank in ordered],
        "low": [rank - half for _, rank in ordered],
        "high": [rank + half for _, rank in ordered],
    }
    described = "; ".join(f"{name} {rank:.2f}" for name, rank in ordered)
    return Figure(
        f"ranks-{number}",
        "Mean rank by method",
        "Bars are as long as the critical difference: two methods whose bars do not meet are shown to differ.",
        f"Mean ranks: {described}; critical difference {found.critical_difference:.2f}.",
        Axis("Method"),
        Axis("Mean rank (1 is best)"),
        (Layer("interval", columns, "mean rank and half the critical difference"),),
    )


def _words(found: CriticalDifference) -> str:
    """Return which methods are not shown to differ, group by group."""
    percent = f"{100 * found.confidence:g} %"
    how = f"{found.test} over {found.n_datasets} data sets, {percent}"
    test = f"critical difference {found.critical_difference:.3g} ({how})"
    groups = [group for group in found.groups if len(group) > 1]
    if not groups:
        return f"All methods are shown to rank differently; {test}."
    listed = "; ".join(", ".join(group) for group in groups)
    return f"Not shown to differ by their ranks: {listed}; {test}."
