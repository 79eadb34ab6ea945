"""The ranking of the methods with intervals, and the comparison of each with the best one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from calibrant._repr import listed, number_text
from calibrant._sections import Axis, DataTable, Figure, Layer, Paragraph, Section, TableColumn
from calibrant.report._metric_phrase import metric_heading, metric_term
from calibrant.studies._internal import ranking_cells

if TYPE_CHECKING:
    from calibrant._sections import Block
    from calibrant.studies import TableComparison

__all__ = ["ranking_section"]


def ranking_section(found: TableComparison, models: tuple[str, ...]) -> Section:
    """Return the methods, the best first: a table, a figure of the intervals, and the differences from the best."""
    blocks: list[Block] = [_ranking_table(found, models)]
    figure = _figure(found, models)
    blocks += [] if figure is None else [figure]
    table = _differences(found)
    blocks += [] if table is None else [table]
    if found.comparison is not None:
        blocks.append(Paragraph(_on_test(found), "note"))
    blocks.append(Paragraph(_on_rows(found, models), "note"))
    return Section("ranking", "How do the methods compare?", tuple(blocks), term="Ranking")


def _of_model(method: str, models: tuple[str, ...]) -> str:
    return method if method in models else ""


def _ranking_table(found: TableComparison, models: tuple[str, ...]) -> DataTable:
    head, *rows = ranking_cells(found)
    text = ("method", "standing")
    columns = tuple(TableColumn(_heading(name), "left" if name in text else "right") for name in head)
    caption = f"Methods by {metric_term(found.metric)}, the best first: means over held-out rows, {found.plan}"
    return DataTable(caption, columns, tuple(rows), tuple(_of_model(each.method, models) for each in found.ranking))


def _heading(name: str) -> str:
    """Return a heading as the other tables of the report have it; the names of metrics stay."""
    return f"{name[0].upper()}{name[1:]}" if name in ("method", "seconds", "standing") else name


def _figure(found: TableComparison, models: tuple[str, ...]) -> Figure | None:
    """Return the intervals of the means; None where no method has one."""
    known = [each for each in found.ranking if math.isfinite(each.low) and math.isfinite(each.value)]
    if not known:
        return None
    layers = tuple(
        Layer(
            "interval",
            {"x": [each.method], "y": [each.value], "low": [each.low], "high": [each.high]},
            "mean and interval",
            _of_model(each.method, models),
        )
        for each in known
    )
    term, percent = metric_term(found.metric), f"{100 * found.best.confidence:g} %"
    words = metric_heading(found.metric)[0]
    caption = f"Mean and {percent} interval of each method ({found.best.better}). Intervals are of one method each: "
    caption += "whether two differ is tested on the same rows, below."
    described = "; ".join(
        f"{each.method} {number_text(each.value)} ({number_text(each.low)} to {number_text(each.high)})"
        for each in known
    )
    return Figure("ranking-intervals", f"{words}, by method", caption, described, Axis("Method"), Axis(term), layers)


def _differences(found: TableComparison) -> DataTable | None:
    """Return how far each method is from the best one; None where no test holds."""
    if found.comparison is None or not found.comparison.pairs:
        return None
    alone = round(100 * (1 - 2 * (1 - found.comparison.confidence)), 6)  # of a one-sided test
    columns = (
        TableColumn("Method", "left"),
        TableColumn("Difference from the best"),
        TableColumn("Interval", term=f"of this pair alone, {alone:g} %"),
        TableColumn("P-value of being the best"),
        TableColumn("Shown to be worse?", "left"),
    )
    rows = tuple(
        (
            pair.b,
            number_text(-pair.difference),
            "" if math.isnan(pair.low) else f"{number_text(-pair.high)} to {number_text(-pair.low)}",
            "" if math.isnan(pair.adjusted_pvalue) else f"{pair.adjusted_pvalue:.3g}",
            "yes" if pair.better else "no",
        )
        for pair in found.comparison.pairs
    )
    return DataTable(f"Every method against {found.best.method}", columns, rows)


def _on_rows(found: TableComparison, models: tuple[str, ...]) -> str:
    """Return what the sections below are about."""
    n_rows, names = len(found.held_out), listed(list(models))
    return (
        f"The sections below are about the held-out predictions of {names} for the same {n_rows:,} rows, each "
        "predicted by a fit that did not see it; intervals are of these predictions."
    )


def _on_test(found: TableComparison) -> str:
    test = found.comparison
    if test is None or not test.pairs:
        return "" if test is None else f"No test holds: {test.reason}."
    return (
        f"{test.how}, at {100 * test.confidence:g} %. The best one is chosen by the same rows, and the comparisons "
        "allow for that and for training sets that share rows. A method that is not shown to be worse may still be "
        "worse."
    )
