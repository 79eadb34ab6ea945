"""The results of a study by one metric: means, ranks, differences, wins and losses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._repr import number_text
from calibrant._sections import Axis, DataTable, Figure, Layer, Paragraph, Section, TableColumn
from calibrant.report._metric_phrase import metric_heading, metric_term
from calibrant.report._study_report.differences import difference_blocks
from calibrant.report._study_report.ranks import rank_blocks

if TYPE_CHECKING:
    from calibrant._sections import Block
    from calibrant.report._study_report.study_queries import StudyQueries

__all__ = ["metric_section"]

_BEST = "★ "


def metric_section(queries: StudyQueries, metric: str, number: int) -> Section:
    """Return the section of a metric."""
    if len(queries.results.datasets) == 1:
        blocks: list[Block] = _on_one_dataset(queries, metric, number)
    else:
        blocks = [_means(queries, metric), *rank_blocks(queries, metric, number)]
    blocks += difference_blocks(queries, metric)
    words, term = metric_heading(metric)
    return Section(f"metric-{number}", words, tuple(blocks), term=term)


def _is_best(queries: StudyQueries, metric: str, values: Any) -> list[bool]:
    """Return which values are the best of a row, ties included; none where the direction is not known."""
    means = np.asarray(values, dtype=np.float64)
    if not queries.direction(metric) or np.isnan(means).all():
        return [False] * len(means)
    losses = queries.results.facts(metric).losses(means)
    found: list[bool] = (losses <= np.nanmin(losses)).tolist()
    return found


def _cell(value: float, is_best: bool) -> str:
    return "" if math.isnan(value) else f"{_BEST if is_best else ''}{number_text(value)}"


def _note(frame: Any, direction: str) -> str:
    parts = [f"{_BEST.strip()} best on the data set ({direction})."] if direction else []
    return " ".join([*parts, *(f"{note[:1].upper()}{note[1:]}." for note in frame.attrs.get("notes", []))])


def _means(queries: StudyQueries, metric: str) -> DataTable:
    """Return the means, data sets x methods, the best one of each data set marked."""
    frame = queries.results.table(metric, partial=True)
    columns = (TableColumn("Data set", "left"), *(TableColumn(str(name)) for name in frame.columns))
    rows = []
    for dataset, values in zip(frame.index, frame.to_numpy(), strict=True):
        best = _is_best(queries, metric, values)
        rows.append((str(dataset), *(_cell(value, mark) for value, mark in zip(values.tolist(), best, strict=True))))
    caption = f"{metric_term(metric)}, mean over the test rows of the splits"
    return DataTable(caption, columns, tuple(rows), note=_note(frame, queries.direction(metric)))


def _on_one_dataset(queries: StudyQueries, metric: str, number: int) -> list[Block]:
    """Return a row for each method, with the interval of its mean, and a figure of the intervals."""
    results = queries.results
    frame = results.table(metric, interval=True, confidence=queries.confidence, partial=True)
    values = {end: [float(frame[name, end].iloc[0]) for name in results.methods] for end in ("mean", "low", "high")}
    found = list(zip(results.methods, values["mean"], values["low"], values["high"], strict=True))
    best = _is_best(queries, metric, values["mean"])
    columns = (TableColumn("Method", "left"), TableColumn("Mean"), TableColumn(f"{queries.percent} interval"))
    rows = tuple(
        (name, _cell(mean, mark), "" if math.isnan(low) else f"{number_text(low)} to {number_text(high)}")
        for (name, mean, low, high), mark in zip(found, best, strict=True)
    )
    plan = results.plans[results.datasets[0]].words
    table = DataTable(
        f"{metric_term(metric)}, mean over {plan}", columns, rows, note=_note(frame, queries.direction(metric))
    )
    known = [row for row in found if math.isfinite(row[1]) and math.isfinite(row[2])]
    if not known:
        return [table, Paragraph("No interval holds for this plan and metric.", "note")]
    return [table, _intervals(known, metric, number, queries.percent)]


def _intervals(known: list[tuple[str, float, float, float]], metric: str, number: int, percent: str) -> Figure:
    names, means, lows, highs = (list(column) for column in zip(*known, strict=True))
    layer = Layer("interval", {"x": names, "y": means, "low": lows, "high": highs}, f"mean and {percent} interval")
    described = "; ".join(f"{name} {number_text(mean)}" for name, mean, _, _ in known)
    caption = f"Mean and {percent} interval of each method; whether two differ is tested below."
    axes = Axis("Method"), Axis(metric_term(metric))
    return Figure(f"intervals-{number}", f"{metric_heading(metric)[0]}, by method", caption, described, *axes, (layer,))
