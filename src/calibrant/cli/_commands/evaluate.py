"""The command ``calibrant evaluate``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibrant.cli._app.errors import GATE_FAILED, named_arguments
from calibrant.cli._app.files import STDIN, Html, NoRows, check_html, save_report
from calibrant.cli._app.options import (
    Groups,
    Json,
    Positive,
    Predictions,
    Proba,
    Scale,
    ScaleName,
    Segments,
    Weight,
    complete_columns,
    complete_metrics,
    reads_table,
    usage_error,
)
from calibrant.cli._app.printing import print_json, print_note, print_text
from calibrant.cli._commands.report import ReportOptions, make_report
from calibrant.cli._predictions.cards import (
    Gate,
    GateResult,
    card_document,
    print_cards,
    print_differences,
    print_segments,
)
from calibrant.cli._predictions.columns import ModelColumns, class_of_column, note_of_class
from calibrant.cli._predictions.prediction_table import PredictionTable, read_predictions
from calibrant.exceptions import DataError

if TYPE_CHECKING:
    import pandas as pd

    from calibrant.metrics import CardComparison, ScoreCard

_FAIL_IF = "Exit with code 8 if this holds: 'ece>0.05', 'auc<0.8', 'verdict=miscalibrated'; may be repeated."
_METRIC = "A metric, or all; may be repeated. By default a dozen."
_STREAM = "Read a CSV or Parquet file batch by batch: no segments or groups. By default from 500 MB on."


@reads_table
def evaluate(
    predictions: Predictions,
    target: Annotated[
        str, typer.Option(metavar="COL", help="The column of the actual classes.", autocompletion=complete_columns)
    ],
    proba: Proba = None,
    positive: Positive = None,
    scale: Scale = ScaleName.auto,
    by: Segments = None,
    groups: Groups = None,
    weight: Weight = None,
    metric: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help=_METRIC, autocompletion=complete_metrics)
    ] = None,
    fail_if: Annotated[list[str] | None, typer.Option(metavar="CONDITION", help=_FAIL_IF)] = None,
    confidence: Annotated[float, typer.Option(metavar="LEVEL", help="That of intervals.")] = 0.95,
    stream: Annotated[bool | None, typer.Option("--stream/--in-memory", help=_STREAM, show_default=False)] = None,
    html: Html = None,
    no_rows: NoRows = False,
    as_json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Measure anybody's predictions: scores with intervals, a verdict on calibration, segments, gates.

    $ calibrant evaluate pred.csv --target y --proba p
    $ calibrant evaluate pred.csv --target y --proba old=p1 --proba new=p2 --by region
    $ calibrant evaluate pred.csv --target y --proba p --fail-if "ece>0.05"

    Several models are compared on the same rows. A gate judges the value of each model on all rows; it can judge
    ece.low, ece.high, ece.debiased and ece.pvalue too. A metric without a value fails.
    """
    from calibrant.cli._predictions.cards import check_metric, read_gate

    check_html(html)
    if html is not None and stream:
        raise usage_error("a report needs all rows in memory.", "--html", "--stream")
    gates = [read_gate(text) for text in fail_if or ()]
    for name in metric or ():
        if name != "all":
            check_metric(name, "--metric")
    columns = (proba or [], positive, by or [], groups, weight)
    settings = (metric or [], confidence, False if html is not None and stream is None else stream, scale.value)
    evaluation = evaluate_predictions(Request(predictions, target, *columns, *settings, reading), gates)
    results = [gate.judge(name, card) for gate in gates for name, card in evaluation.cards.items()]
    size = None if html is None else evaluation.save_report(html, rows=not no_rows)
    if as_json:
        print_json(evaluation.document(results) | ({} if html is None else {"html": html, "bytes": size}))
    else:
        evaluation.print(results)
        if html is not None:
            print_text(f"\nThe report is in {html}.")
    if any(result.failed for result in results):
        raise typer.Exit(GATE_FAILED)


_STREAMED = 500_000_000  # bytes: read whole, a CSV file takes some five times that in memory (113 MB took 0.7 GB)
_MOST_SEGMENTS = 200
_STREAMABLE = (".csv", ".tsv", ".tab", ".txt", ".parquet", ".pq")


@dataclass(frozen=True)
class Request:
    """The options of ``calibrant evaluate``."""

    path: str
    target: str
    proba: Sequence[str]
    positive: str | None
    by: Sequence[str]
    groups: str | None
    weight: str | None
    metrics: Sequence[str]
    confidence: float
    stream: bool | None
    scale: str = "auto"
    reading: Mapping[str, Any] = field(default_factory=dict)

    @property
    def metric_names(self) -> Any:
        """The metrics requested; None for the default ones."""
        return "all" if "all" in self.metrics else list(dict.fromkeys(self.metrics)) or None


@dataclass(frozen=True)
class Evaluation:
    """Score cards by model, for all rows and by segment, and the differences of models from the first one."""

    request: Request
    models: Sequence[ModelColumns]
    cards: dict[str, ScoreCard]
    segments: dict[str, dict[str, ScoreCard]] = field(default_factory=dict)  # by column and model
    differences: dict[str, CardComparison] = field(default_factory=dict)
    table: PredictionTable | None = None  # None where the file is read batch by batch

    def document(self, results: Sequence[GateResult]) -> dict[str, Any]:
        """Return everything for JSON."""
        first = next(iter(self.cards.values()))
        return {
            "file": self.request.path,
            "target": self.request.target,
            "rows": first.n_rows,
            "classes": list(first.classes),
            "confidence": first.confidence,
            "models": {model.name: self._model_document(model) for model in self.models},
            "differences": [
                {"model": name, "reference": self.models[0].name, **asdict(found)}
                for name, comparison in self.differences.items()
                for found in comparison.values()
            ],
            "gates": [asdict(result) for result in results],
        }

    def _model_document(self, model: ModelColumns) -> dict[str, Any]:
        segments = {
            column: {
                "segments": {str(label): card_document(part) for label, part in cards[model.name].cards.items()},
                "equal_calibration": vars(cards[model.name].equal_calibration)
                if cards[model.name].equal_calibration is not None
                else None,
            }
            for column, cards in self.segments.items()
        }
        columns = dict(zip(map(str, model.classes), model.columns, strict=True))
        return {"columns": columns, **card_document(self.cards[model.name]), "by": segments}

    def save_report(self, html: str, *, rows: bool) -> int:
        """Write the report on the same rows and models to a file, and return its size in bytes."""
        assert self.table is not None  # noqa: S101  # because the rows of a report are not streamed
        asked = self.request
        options = ReportOptions(
            asked.positive, asked.by, asked.groups, weight=asked.weight, rows=rows, confidence=asked.confidence
        )
        return save_report(make_report(self.table, options), html)

    def print(self, results: Sequence[GateResult]) -> None:
        """Print everything as tables and sentences."""
        print_text(_title(self.request.path, next(iter(self.cards.values())), self.models[0]))
        print_text()
        print_cards(self.cards)
        print_text()
        for name, card in self.cards.items():
            of = f" on {name}" if len(self.cards) > 1 else ""
            print_text(f"Verdict{of}: {card.verdict.kind}")
            for sentence in card.verdict.sentences:
                print_text(f"  {sentence}")
            if card.judged is None and card.binned is None:
                print_text("  Pass --in-memory for a verdict.")
        if self.differences:
            print_text("\nDifferences, on the same rows")
            print_differences(self.differences, self.models[0].name)
        for column, cards in self.segments.items():
            print_segments(column, cards, requested=bool(self.request.metrics))
        if results:
            print_text()
        for result in results:
            of = f" ({result.model})" if len(self.cards) > 1 else ""
            print_text(f"{'FAILED' if result.failed else 'passed'}  {result.gate}{of}: {result.message}")


def evaluate_predictions(request: Request, gates: Sequence[Gate]) -> Evaluation:
    """Read the table, evaluate every model, and compare those after the first with it."""
    if _is_streamed(request, gates):
        return _evaluate_streamed(request, gates)
    from calibrant.metrics import compare

    table = read_predictions(
        request.path,
        request.target,
        request.proba,
        request.positive,
        scale=request.scale,
        columns=(*request.by, request.groups, request.weight),
        reading=request.reading,
    )
    models = table.models
    options: dict[str, Any] = {"confidence": request.confidence}
    for option, column in (("groups", request.groups), ("sample_weight", request.weight)):
        options[option] = table.column(column)

    def score(model: ModelColumns, metrics: Any) -> ScoreCard:
        return _evaluate(table, model, request, {**options, "metrics": metrics})

    cards = {model.name: _with_gates(gates, request, partial(score, model)) for model in models}
    segments = {
        column: {
            model.name: _evaluate(table, model, request, {**options, "metrics": request.metric_names}, by=column)
            for model in models
        }
        for column in request.by
    }
    reference = cards[models[0].name]
    differences = {model.name: compare(cards[model.name], reference) for model in models[1:]}
    _note_of_ranking(cards)
    return Evaluation(request, models, cards, segments, differences, table)


def _with_gates(gates: Sequence[Gate], request: Request, score: Callable[[Any], ScoreCard]) -> ScoreCard:
    """Return the card of the metrics requested, with those of gates."""
    card = score(request.metric_names)
    more = list(dict.fromkeys(gate.metric for gate in gates if gate.metric and gate.metric not in card))
    return replace(card, scores={**card.scores, **score(more).scores}) if more else card


def _evaluate(
    table: PredictionTable, model: ModelColumns, request: Request, options: dict[str, Any], by: str | None = None
) -> ScoreCard:
    from calibrant.metrics import evaluate

    kinds = {"pos_label": model.positive} if len(model.columns) == 1 else {"labels": list(model.classes)}
    y, segment = table.y, None if by is None else _segments(table.frame[by])
    if len(model.columns) == 1 and len(table.classes) > 2:
        y = y.astype(object).where(y.isna() | (y == model.positive), f"not {model.positive}")
    with named_arguments(_names(request, model, by)):
        return evaluate(y, table.probas[model.name], by=segment, **kinds, **options)


def _names(request: Request, model: ModelColumns, by: str | None) -> dict[str, str]:
    columns = ", ".join(map(repr, model.columns[:4])) + (", …" if len(model.columns) > 4 else "")
    names = {"y_true": f"column {request.target!r}", "y_proba": f"column {columns}", "pos_label": "--positive"}
    named = {"by": by, "groups": request.groups, "sample_weight": request.weight}
    return names | {name: f"column {column!r}" for name, column in named.items() if column and name != "by"}


def _segments(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return the segments of a column; missing values are one of their own."""
    if column.nunique() > _MOST_SEGMENTS:
        raise DataError(
            f"column {column.name!r} has {column.nunique():,} values, and --by takes at most {_MOST_SEGMENTS}. Pass a "
            "column of fewer values, such as ranges of this one."
        )
    return column.astype(object).where(column.notna(), "(missing)") if column.isna().any() else column


def _note_of_ranking(cards: dict[str, ScoreCard]) -> None:
    for name, card in cards.items():
        if "auc" in card and (card["auc"].high or card["auc"].value) < 0.5:
            print_note(
                f"Note: {name} ranks the rows the wrong way round (auc {card['auc'].value:.3f}). Is it the probability "
                "of the other class? Pass --positive."
            )


def _title(path: str, card: ScoreCard, model: ModelColumns) -> str:
    shown = "standard input" if path == STDIN else path
    of = f"; probabilities of {model.classes[0]!r}" if len(model.columns) == 1 else ""
    classes = ", ".join(map(str, card.classes[:10])) + (", …" if len(card.classes) > 10 else "")
    return f"{shown}: {card.n_rows:,} rows, {len(card.classes)} classes ({classes}){of}"


def _is_streamed(request: Request, gates: Sequence[Gate]) -> bool:
    suffix = Path(request.path.lower().removesuffix(".gz")).suffix
    needs_rows = any((request.by, request.groups, any(gate.metric is None for gate in gates), request.scale != "auto"))
    needs_rows = needs_rows or bool(request.reading)  # a stream is read as it shows itself
    if request.stream and (needs_rows or request.path == STDIN or suffix not in _STREAMABLE):
        raise usage_error(
            "--stream takes a CSV or Parquet file, and neither --by, --groups, --scale, a gate on the verdict nor "
            "options of how the file is written.",
            "--stream",
        )
    if request.stream is not None or needs_rows or suffix not in _STREAMABLE:
        return bool(request.stream)
    path = Path(request.path)
    return path.is_file() and path.stat().st_size >= _STREAMED


def _evaluate_streamed(request: Request, gates: Sequence[Gate]) -> Evaluation:
    from calibrant.metrics import evaluate_table

    def score(model: ModelColumns, metrics: Any) -> ScoreCard:
        one = len(model.columns) == 1
        with named_arguments({**_names(request, model, None), "source": request.path}):
            return evaluate_table(
                request.path,
                target=request.target,
                proba=model.columns[0] if one else list(model.columns),
                weight=request.weight,
                metrics=metrics,
                confidence=request.confidence,
                pos_label=model.positive,
                labels=None if one else list(model.classes),
            )

    models = _streamed_models(request)
    if sys.stderr.isatty():
        print_note(f"Reading {request.path} batch by batch, several times.")
    cards = {model.name: _with_gates(gates, request, partial(score, model)) for model in models}
    # Where no class is named, a column alone is that of the class in its name, or of the last; they are known now
    named = []
    for model in models:
        classes = list(cards[model.name].classes)
        if model.classes == (None,):
            said = class_of_column(model.columns[0], classes)
            model = replace(model, classes=(classes[-1] if said is None else said,))
            if note := note_of_class(model, classes):
                print_note(f"Note: {note[0].lower()}{note[1:]}")
                cards[model.name] = _with_gates(gates, request, partial(score, model))
        named.append(model)
    return Evaluation(request, named, cards)


def _streamed_models(request: Request) -> list[ModelColumns]:
    """Return the models by ``--proba`` alone, because the classes are not known before the file is read."""
    if not request.proba or any(text.endswith("*") for text in request.proba):
        raise usage_error("--stream needs --proba COL, NAME=COL, or CLASS=COL for every class.", "--proba")
    pairs = [(text.partition("=")[0], text.partition("=")[2] or text) for text in request.proba]
    if len(pairs) > 2 and request.positive is None:
        return [ModelColumns("model", tuple(column for _, column in pairs), tuple(_typed(name) for name, _ in pairs))]
    positive = None if request.positive is None else _typed(request.positive)
    return [ModelColumns(name, (column,), (positive,)) for name, column in pairs]


def _typed(text: str) -> Any:
    return int(text) if text.lstrip("-").isdigit() else text
