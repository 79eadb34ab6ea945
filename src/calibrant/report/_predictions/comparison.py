"""The comparison of several models on the same rows: differences with paired intervals, and tests."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from calibrant._repr import listed, number_text
from calibrant._sections import Axis, Block, DataTable, Figure, Layer, Paragraph, Section, TableColumn
from calibrant.comparison import holm
from calibrant.metrics import Difference, compare
from calibrant.report._predictions.metric_words import metric_words
from calibrant.report._predictions.model_choice import (
    Measure,
    ModelChoice,
    choose_model,
    measure_words,
    paired_difference,
    row_values,
)
from calibrant.report._predictions.wording import (
    cell_text,
    confidence_text,
    ends_text,
    money_text,
    pvalue_text,
    rows_text,
)

if TYPE_CHECKING:
    from calibrant.metrics import ScoreCard
    from calibrant.report._predictions.report_data import ReportData
    from calibrant.studies import PairDifference

__all__ = ["section"]

_COMPARED = ("log_loss", "brier", "auc", "accuracy")
_BY_ROW: tuple[Measure, ...] = ("log_loss", "brier")  # means over the rows
_METHODS = {
    "BCa": "by bootstrap (BCa)",
    "DeLong": "DeLong's for areas",
    "Tango": "Tango's for accuracy",
    "paired t": "by the paired t-test",
}
_MANY_ROWS = (
    50_000  # replicates of so many rows take seconds for each pair of models, and the t-test is then exact enough
)


def section(data: ReportData) -> Section | None:
    """Return the comparison of models; None where there is one model."""
    choice = choose_model(data)
    if choice is None:
        return None
    blocks: list[Block] = [Paragraph(_statement(data, choice))]
    if choice.tested:
        blocks += [_best_table(data, choice), _figure(data, choice)]
        blocks += [_reference_table(data, choice)] if data.reference is not None else []
    blocks.append(_scores_table(data, data.reference or choice.best, is_tested=choice.tested))
    return Section("comparison", "Which model is better?", tuple(blocks), "Paired comparison")


def _statement(data: ReportData, choice: ModelChoice) -> str:
    """Return who wins, in words."""
    measure, at = measure_words(choice.measure), confidence_text(data.confidence)
    best = f"By {measure}, {choice.best} is the best of {len(data.names)} models on these rows"
    if not choice.tested:
        return f"{best}. No test holds: the rows are of fewer than 10 groups."
    worse = f"it is shown to be better than {listed(choice.worse)}" if choice.worse else ""
    same = f"it is not shown to differ from {listed(choice.not_shown)}" if choice.not_shown else ""
    found = "; ".join(filter(None, [worse, same]))
    why = " The log-loss of a model is infinite, so the Brier score is used." if choice.measure == "brier" else ""
    error = 100 - float(at.removesuffix(" %"))
    return (
        f"{best}: {found}.{why} All models are compared on the same rows. The best one is chosen by these rows too, "
        f"which the test allows for: the model that is truly best is called worse in at most {error:g} of 100 reports."
    )


def _amount(choice: ModelChoice, value: float) -> str:
    return money_text(value) if choice.measure == "profit" else number_text(value)


def _scale(data: ReportData, choice: ModelChoice) -> float:
    """Return what differences are multiplied by: profits are totals, losses are means."""
    return float(data.weight.sum()) if choice.measure == "profit" else 1.0


def _best_table(data: ReportData, choice: ModelChoice) -> DataTable:
    measure, scale = measure_words(choice.measure), _scale(data, choice)
    columns = (
        TableColumn("Model", "left"),
        TableColumn("Worse by", term=measure),
        TableColumn("At least", term=f"at {confidence_text(data.confidence)}"),
        TableColumn("p", term="corrected"),
        TableColumn("Finding", "left"),
    )
    rows = [
        (
            pair.b,
            _amount(choice, scale * choice.worse_by(pair)),
            _amount(choice, scale * choice.at_least(pair)),
            pvalue_text(pair.adjusted_pvalue),
            f"worse than {choice.best}" if pair.better else "not shown to differ",
        )
        for pair in choice.pairs
    ]
    test = "t-test of the differences of whole groups" if data.groups is not None else "paired t-test by row"
    n = rows_text(len(rows), "comparison")
    note = (
        f"{test[0].upper()}{test[1:]}, one-sided, p-values and bounds corrected for {n} by multiple comparisons with "
        "the best (Hsu 1981). A bound below 0: the model may be the better one."
    )
    caption = f"The other {'model' if len(rows) == 1 else 'models'} against {choice.best}, by {measure}"
    return DataTable(caption, columns, tuple(rows), tuple(pair.b for pair in choice.pairs), note)


def _figure(data: ReportData, choice: ModelChoice) -> Figure:
    measure, scale = measure_words(choice.measure), _scale(data, choice)
    layers = [
        Layer(
            "interval",
            {
                "x": [pair.b],
                "y": [scale * choice.worse_by(pair)],
                "low": [scale * min(_ends(choice, pair))],
                "high": [scale * max(_ends(choice, pair))],
            },
            model=pair.b,
        )
        for pair in choice.pairs
    ]
    return Figure(
        "differences",
        f"How much worse than {choice.best}",
        f"Difference of {measure}. Where the lower end of the bar is above 0, the model is shown to be worse.",
        f"Differences of {measure} between {choice.best} and {rows_text(len(layers), 'other model')}, with intervals; "
        "the table has the numbers.",
        Axis("Model"),
        Axis(f"Worse by ({measure})"),
        tuple(layers),
    )


def _ends(choice: ModelChoice, pair: PairDifference) -> tuple[float, float]:
    """Return the interval of how much worse the other model is."""
    return (pair.low, pair.high) if choice.measure == "profit" else (-pair.high, -pair.low)


def _reference_table(data: ReportData, choice: ModelChoice) -> DataTable:
    """Return the differences from the reference, which was fixed beforehand: two-sided, corrected by Holm."""
    reference, others = str(data.reference), [name for name in data.names if name != data.reference]
    values = {name: row_values(data, name, choice.measure) for name in data.names}
    pairs = [paired_difference(data, (other, reference), values, data.confidence) for other in others]
    corrected = holm([pair.pvalue for pair in pairs]).tolist()
    measure, scale = measure_words(choice.measure), _scale(data, choice)
    columns = (
        TableColumn("Model", "left"),
        TableColumn("Difference", term=measure),
        TableColumn(f"{confidence_text(data.confidence)} interval"),
        TableColumn("p", term="corrected"),
        TableColumn("Finding", "left"),
    )
    rows = [
        (
            pair.a,
            _amount(choice, scale * pair.difference),
            f"{_amount(choice, scale * pair.low)} to {_amount(choice, scale * pair.high)}",
            pvalue_text(pvalue),
            _finding(choice, pair, reference, pvalue <= 1.0 - data.confidence),
        )
        for pair, pvalue in zip(pairs, corrected, strict=True)
    ]
    n = rows_text(len(rows), "comparison")
    note = f"Paired t-tests, two-sided, corrected by Holm for {n}; each interval is of one pair."
    return DataTable(f"All models against the reference {reference}", columns, tuple(rows), tuple(others), note)


def _finding(choice: ModelChoice, pair: PairDifference, reference: str, is_shown: bool) -> str:
    if not is_shown:
        return "not shown to differ"
    is_better = (pair.difference > 0.0) == (choice.measure == "profit")
    return f"{'better' if is_better else 'worse'} than {reference}"


def _scores_table(data: ReportData, base: str, *, is_tested: bool) -> DataTable:
    """Return the differences of the main scores, with paired intervals that hold for all models together."""
    others = [name for name in data.names if name != base]
    each = 1.0 - (1.0 - data.confidence) / len(others)
    found = {other: _differences(data, other, base, each) for other in others}
    cells = [(other, found[other][metric]) for metric in found[others[0]] for other in others]
    columns = (
        TableColumn("Model", "left"),
        TableColumn("Score", "left"),
        TableColumn(f"Less that of {base}"),
        TableColumn("Interval"),
        TableColumn("By", "left"),
        TableColumn("Better model", "left"),
    )
    rows = tuple(_score_row(other, base, difference, is_tested=is_tested) for other, difference in cells)
    together = f" for {len(others)} comparisons together (Bonferroni)" if len(others) > 1 else ""
    note = f"Intervals at {confidence_text(data.confidence)}{together}, each score by itself"
    methods = dict.fromkeys(_METHODS[found.method] for _, found in cells if found.method in _METHODS)
    note += f": {listed(list(methods))}." if methods else "."
    note += "" if is_tested else " Rows of fewer than 10 groups show no model to be better."
    return DataTable(f"Differences of scores from {base}", columns, rows, tuple(other for other, _ in cells), note)


def _score_row(other: str, base: str, found: Difference, *, is_tested: bool) -> tuple[str, ...]:
    unknown = "" if found.low is None else "not shown to differ"
    better = {"first": other, "second": base}.get(found.better if is_tested else "", unknown)
    if math.isinf(found.difference):  # what has probability 0 and happens makes the expected log-loss infinite too
        better = base if found.difference > 0 else other
    is_finite = math.isfinite(found.difference)
    value = f"{found.difference:+.4f}" if is_finite else cell_text(found.difference)
    ends = ends_text(found.low, found.high) if is_finite else ""
    _, term, side = metric_words(found.metric)
    return other, f"{term}: {side} is better", value, ends, found.method if ends else "", better


def _differences(data: ReportData, other: str, base: str, confidence: float) -> dict[str, Difference]:
    """Return the differences by metric; with very many rows by formulas, because replicates of them take long."""
    if data.n_rows < _MANY_ROWS:
        return dict(compare(*(_short(data.cards[name], _COMPARED, confidence) for name in (other, base))))
    found = {metric: _by_row(data, other, base, metric, confidence) for metric in _BY_ROW}
    metrics = ("auc", "accuracy") if data.is_binary else ("accuracy",)
    return found | dict(compare(*(_short(data.cards[name], metrics, confidence) for name in (other, base))))


def _by_row(data: ReportData, other: str, base: str, metric: Measure, confidence: float) -> Difference:
    values = {name: row_values(data, name, metric) for name in (other, base)}
    difference = data.cards[other][metric].value - data.cards[base][metric].value
    if not math.isfinite(difference):
        return Difference(metric, difference)
    pair = paired_difference(data, (other, base), values, confidence)
    if not (pair.low > 0.0 or pair.high < 0.0):
        return Difference(metric, difference, pair.low, pair.high, "paired t")
    return Difference(metric, difference, pair.low, pair.high, "paired t", "first" if pair.high < 0.0 else "second")


def _short(card: ScoreCard, metrics: tuple[str, ...], confidence: float) -> ScoreCard:
    """Return a card of some metrics, for intervals at another confidence."""
    plan = card.judged
    assert plan is not None  # noqa: S101  # `evaluate` keeps the rows
    return replace(card, scores={name: card[name] for name in metrics}, judged=replace(plan, confidence=confidence))
