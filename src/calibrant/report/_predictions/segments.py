"""Segments of the rows: how the model does in each, and whether each is calibrated like the others."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._repr import listed, percent
from calibrant._sections import Axis, Block, Callout, DataTable, Figure, Layer, Paragraph, Section, TableColumn
from calibrant.comparison._internal import t_figures
from calibrant.metrics import EqualCalibration, Score, ScoreCard, evaluate, proportion_interval
from calibrant.metrics._internal import BootstrapPlan
from calibrant.report._predictions.comparison import variance_of_mean
from calibrant.report._predictions.report_data import FEWEST_ROWS, ReportData
from calibrant.report._predictions.wording import (
    cell_text,
    ends_text,
    pvalue_text,
    pvalue_words,
    rows_text,
    upper_first,
)

_MOST_SHOWN = 50
_MOST_LISTED = 5
_MANY_ROWS = 50_000  # above, replicates of the rows of all segments take seconds for each model
_SMALLER, _OTHER = "smaller segments", "all other segments"


@dataclass(frozen=True, eq=False)
class SegmentCodes:
    """The segments of a column, from the largest to the smallest, and the position of each row's segment."""

    names: tuple[str, ...]
    code: NDArray[np.intp]

    @property
    def shown(self) -> tuple[str, ...]:
        """The names of the segments that are shown; all others count as one."""
        is_more = len(self.names) > _MOST_SHOWN
        return (*self.names[:_MOST_SHOWN], _OTHER) if is_more else self.names

    @property
    def n_hidden(self) -> int:
        """Number of segments that are not shown."""
        return max(len(self.names) - _MOST_SHOWN, 0)


@dataclass(frozen=True, eq=False)
class Segment:
    """A segment of the rows under a model: observed frequency and mean probability, with intervals."""

    name: str
    model: str
    n_rows: int
    observed: float
    predicted: float
    low: float  # of the observed frequency
    high: float
    loss: Score
    area: Score | None  # under the ROC curve, of two classes
    pvalue: float  # of being calibrated like the others, corrected; NaN where not tested


def segments_section(data: ReportData) -> Section | None:
    """Return a table and a figure for each column of segments; None without segments."""
    if not data.by:
        return None
    blocks = [block for number, column in enumerate(data.by) for block in _blocks(data, column, number)]
    return Section("segments", "Does it hold in every segment?", tuple(blocks), "Segments")


def _blocks(data: ReportData, column: str, number: int) -> list[Block]:
    values = data.by[column]
    codes = segment_codes(values if data.rows else _pooled(values))
    found = {name: _segments(data, name, codes) for name in data.names}
    tests = _test_callouts(data, column, codes, {name: tested for name, (_, tested) in found.items()})
    ordered = [segment for each in zip(*(segments for segments, _ in found.values()), strict=True) for segment in each]
    rest = []
    if codes.n_hidden:
        n_rows = int((codes.code >= _MOST_SHOWN).sum())
        text = f"Shown are the {_MOST_SHOWN} largest segments; {rows_text(codes.n_hidden, 'smaller one')} with "
        rest = [Paragraph(f"{text}{rows_text(n_rows)} together count as “{_OTHER}”.", "note")]
    return [*tests, _table(data, column, ordered), *rest, _figure(data, column, ordered, number)]


def segment_codes(values: NDArray[Any]) -> SegmentCodes:
    """Return the segments of a column, the largest first; equally large ones by name.

    Examples
    --------
    >>> found = segment_codes(np.array(["b", "a", "b", "c"]))
    >>> found.names, found.code
    (('b', 'a', 'c'), array([0, 1, 0, 2]))
    """
    names, code, counts = np.unique(values, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    position = np.empty_like(order)
    position[order] = np.arange(len(order))
    return SegmentCodes(tuple(str(name) for name in names[order]), position[code])


def _pooled(values: NDArray[Any]) -> NDArray[Any]:
    """Pool segments of fewer than 10 rows, with the smallest other ones where they have fewer together."""
    names, code, counts = np.unique(values, return_inverse=True, return_counts=True)
    is_small = counts < FEWEST_ROWS
    for place in np.argsort(counts, kind="stable").tolist():
        if not is_small.any() or counts[is_small].sum() >= FEWEST_ROWS:
            break
        is_small[place] = True
    return np.where(is_small, _SMALLER, names.astype(object))[code].astype(str)


def _segments(data: ReportData, name: str, codes: SegmentCodes) -> tuple[list[Segment], EqualCalibration | None]:
    """Return the segments under a model, and the test of whether they are calibrated alike."""
    options = data.options
    is_large = data.n_rows >= _MANY_ROWS
    metrics = [*([] if is_large else ["log_loss"]), *(["auc"] if data.is_binary else [])]
    shown = np.minimum(codes.code, _MOST_SHOWN)
    card = evaluate(data.y_true, data.probas[name], metrics=metrics, by=shown, **options)
    tested = card.equal_calibration
    if codes.n_hidden:
        tested = evaluate(data.y_true, data.probas[name], metrics=[], by=codes.code, **options).equal_calibration
    found = [
        _segment(data, name, each, codes.shown[code], math.nan if tested is None else tested.corrected[code])
        for code, each in sorted(card.cards.items())
    ]
    return found, tested


def _segment(data: ReportData, model: str, card: ScoreCard, name: str, pvalue: float) -> Segment:
    plan = card.judged
    assert plan is not None  # noqa: S101  # `evaluate` keeps the rows
    rows, weight = plan.predictions.calibration_rows(), plan.predictions.weight
    total = float(weight.sum())
    observed, predicted = (float((weight * each).sum() / total) for each in (rows.positive, rows.proba))
    low = high = math.nan
    if not plan.has_few_groups:
        n = total / max(plan.design_effect(), 1e-12)
        low, high = proportion_interval(min(observed, 1.0) * n, n, data.confidence)
    loss = card["log_loss"] if "log_loss" in card else mean_loss(plan, data.confidence)
    area = card["auc"] if data.is_binary else None
    tested = math.nan if name == _OTHER else pvalue
    n_rows = round(total) if data.weight_kind == "frequency" else card.n_rows
    return Segment(name, model, n_rows, observed, predicted, low, high, loss, area, tested)


def mean_loss(plan: BootstrapPlan, confidence: float) -> Score:
    """Return the log-loss of very many rows with Student's interval, as replicates of them take long."""
    with np.errstate(divide="ignore"):
        losses = -np.log(plan.predictions.true_class_proba())
    mean = plan.predictions.mean(losses)
    if not math.isfinite(mean) or plan.has_few_groups:
        return Score("log_loss", mean)
    figures = t_figures(mean, *variance_of_mean(losses - mean, plan), confidence)
    return Score("log_loss", mean, figures[4], figures[5], "t")


def _test_callouts(
    data: ReportData, column: str, codes: SegmentCodes, tested: Mapping[str, EqualCalibration | None]
) -> list[Callout]:
    """Return whether segments are calibrated differently, in words: models without such segments share a line."""
    if len(codes.names) == 1:
        return [Callout("info", f"{column} has one value: there is nothing to compare.")]
    how = "Score test of a calibration line of its own for each segment, corrected by Holm for "
    how += f"{len(codes.names)} segments."
    differing, alike = [], []
    for name, test in tested.items():
        corrected = {} if test is None else test.corrected
        shown = [code for code, p in corrected.items() if p <= 1.0 - data.confidence]
        if shown:
            shown.sort(key=corrected.__getitem__)
            named = listed([f"{codes.names[code]} ({pvalue_words(corrected[code])})" for code in shown], _MOST_LISTED)
            of = "" if len(data.names) == 1 else f"by {name}, "
            text = f"{of}calibrated differently from the rest of {column}: {named}."
            differing.append(Callout("bad", upper_first(text), how, data.model_of(name)))
        else:
            alike.append(name)
    if not alike:
        return differing
    of = "" if len(alike) == len(data.names) else f"by {listed(alike)}, "
    text = f"{of}no segment of {column} is shown to be calibrated differently from the rest."
    return [*differing, Callout("info", upper_first(text), how)]


def _table(data: ReportData, column: str, segments: list[Segment]) -> DataTable:
    several, at = len(data.names) > 1, data.level
    what = f"Share of {data.positive}" if data.is_binary else "Predicted correctly"
    columns = [
        TableColumn(column, "left"),
        *([TableColumn("Model", "left")] if several else []),
        TableColumn("Rows"),
        TableColumn(what, term="base rate" if data.is_binary else "accuracy"),
        TableColumn("Expected", term="mean probability"),
        TableColumn("Observed less expected", term=f"{at} interval, percentage points"),
        TableColumn("Surprise", term="log-loss"),
        TableColumn(f"{at} interval"),
        *([TableColumn("Ranking", term="AUC"), TableColumn(f"{at} interval")] if data.is_binary else []),
        TableColumn("p", term="like the rest"),
    ]
    rows = tuple(_row(each, several) for each in segments)
    models = tuple(each.model for each in segments) if several else ()
    return DataTable(f"Segments of {column}", tuple(columns), rows, models)


def _row(each: Segment, several: bool) -> tuple[str, ...]:
    low, high = (100.0 * (end - each.predicted) for end in (each.low, each.high))
    return (
        each.name,
        *([each.model] if several else []),
        f"{each.n_rows:,}",
        percent(each.observed, 1),
        percent(each.predicted, 1),
        "" if math.isnan(each.low) else f"{low:+.1f} to {high:+.1f}",
        cell_text(each.loss.value),
        ends_text(each.loss.low, each.loss.high),
        *([] if each.area is None else [cell_text(each.area.value), ends_text(each.area.low, each.area.high)]),
        pvalue_text(each.pvalue),
    )


def _figure(data: ReportData, column: str, segments: list[Segment], number: int) -> Figure:
    layers = []
    for name in data.names:
        own = [each for each in segments if each.model == name and not math.isnan(each.low)]
        rows = ((each.name, *(x - each.predicted for x in (each.observed, each.low, each.high))) for each in own)
        layer = Layer.of_intervals(rows, model=name)
        layers.append(replace(layer, columns={**layer.columns, "rows": [each.n_rows for each in own]}))
    largest = max(segments, key=lambda each: abs(each.observed - each.predicted))
    away, n_segments = 100.0 * (largest.observed - largest.predicted), len({each.name for each in segments})
    return Figure(
        f"segments-{number}",
        f"Observed less expected, by {column}",
        "Above 0 more came true than the probabilities expect, below 0 less; bars are "
        f"{data.level} intervals of each segment by itself (Wilson), so that a few of many miss "
        "0 by chance.",
        f"Observed frequency less mean probability of {n_segments} segments of {column}; the largest distance is "
        f"{away:+.1f} percentage points in {largest.name}.",
        Axis(column),
        Axis("Observed less expected", "+.1%"),
        tuple(layers),
    )
