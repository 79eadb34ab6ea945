"""The command ``calibrant report``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibrant.cli._app.errors import named_arguments
from calibrant.cli._app.files import STDIN, Html, NoRows, check_html, save_report
from calibrant.cli._app.invocation import command_text
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
    reads_table,
    usage_error,
)
from calibrant.cli._app.printing import print_json, print_note, print_text
from calibrant.cli._predictions.columns import ModelColumns, find_class, is_negative
from calibrant.cli._predictions.costs import costs_of_report

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from calibrant.cli._predictions.prediction_table import PredictionTable
    from calibrant.report import Report

_TARGET = "The column of the actual classes."
_COSTS = "A CSV file of costs, as decide takes it: the report then says what errors cost."
_AMOUNT = "The column of actual amounts, such as gifts; costs then are those of each row."
_ID = "The column of ids: an error if one stands in several rows."
_REFERENCE = "The model that others are compared with; by default the best one."
_MODEL = "A model file, as fit writes it: a tree is drawn. Again for further models."


@reads_table
def report(
    predictions: Predictions,
    html: Html = None,
    target: Annotated[str | None, typer.Option(metavar="COL", help=_TARGET, autocompletion=complete_columns)] = None,
    proba: Proba = None,
    positive: Positive = None,
    scale: Scale = ScaleName.auto,
    costs: Annotated[str | None, typer.Option(metavar="FILE", help=_COSTS)] = None,
    benefits: Annotated[bool, typer.Option("--benefits", help="The file has benefits instead of costs.")] = False,
    amount: Annotated[str | None, typer.Option(metavar="COL", help=_AMOUNT, autocompletion=complete_columns)] = None,
    by: Segments = None,
    groups: Groups = None,
    ids: Annotated[str | None, typer.Option("--id", metavar="COL", help=_ID, autocompletion=complete_columns)] = None,
    weight: Weight = None,
    reference: Annotated[str | None, typer.Option(metavar="NAME", help=_REFERENCE)] = None,
    model: Annotated[list[str] | None, typer.Option(metavar="[NAME=]FILE", help=_MODEL)] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="The title of the report.")] = None,
    no_rows: NoRows = False,
    confidence: Annotated[float, typer.Option(metavar="LEVEL", help="That of intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(min=0, help="The seed of what is resampled.")] = 0,
    as_json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Write a report on anybody's predictions: one HTML file that needs no network.

    $ calibrant report pred.csv --target y --proba p --html report.html
    $ calibrant report pred.csv --target y --proba old=p1 --proba new=p2 --by region --html report.html
    $ calibrant report pred.csv --target y --proba p --costs costs.csv --amount gift --html report.html

    It says whether the probabilities are right, what errors cost where costs are known, and which of several models to
    use; below are the score card, curves, segments, and an analyser of costs and benefits. Probabilities may be in
    percent or log-odds.
    """
    if html is None:
        raise usage_error("name the file of the report: --html report.html.", "--html")
    for option, value in (("--benefits", benefits), ("--amount", amount)):
        if value and costs is None:
            raise usage_error(f"{option} needs --costs FILE.", option)
    check_html(html)
    from calibrant.cli._predictions.prediction_table import read_predictions

    columns = (positive, by or [], groups, ids, weight, costs, benefits, amount)
    options = ReportOptions(*columns, reference, model or [], title, not no_rows, confidence, seed)
    named: dict[str, Any] = {"scale": scale.value, "columns": options.columns, "reading": reading}
    table = read_predictions(predictions, target, proba or [], positive, **named)
    if sys.stderr.isatty():
        print_note(f"Making a report on {len(table.y):,} rows.")
    made = make_report(table, options)
    print_ranking_notes(table, positive)
    size = save_report(made, html)
    if as_json:
        print_json({"file": predictions, "html": html, **made.summary, "bytes": size})
    else:
        print_answer(made)
        print_text(f"The report is in {html} ({size / 1e6:.1f} MB).")


_REVERSED = 0.4  # an AUC that a model which knows nothing seldom has, even on few rows


@dataclass(frozen=True)
class ReportOptions:
    """The options of a report: columns of the table, files and settings."""

    positive: str | None = None
    by: Sequence[str] = ()
    groups: str | None = None
    ids: str | None = None
    weight: str | None = None
    costs: str | None = None
    benefits: bool = False
    amount: str | None = None
    reference: str | None = None
    models: Sequence[str] = ()
    title: str | None = None
    rows: bool = True
    confidence: float = 0.95
    seed: int = 0

    @property
    def columns(self) -> tuple[str | None, ...]:
        """The columns that the options name."""
        return (*self.by, self.groups, self.ids, self.weight, self.amount)


def make_report(table: PredictionTable, options: ReportOptions) -> Report:
    """Make the report on a table of predictions."""
    from calibrant.report import Report

    rows = _report_rows(table, options.positive)
    costs = None
    if options.costs is not None:
        known = {"benefits": options.benefits, "has_amount": options.amount is not None}
        classes = sorted(rows.y.dropna().unique().tolist())
        costs = costs_of_report(options.costs, table, classes, rows.positive, **known)
    with named_arguments(_names(table, options)):
        return Report.from_predictions(
            rows.y,
            rows.probas,
            costs=costs,
            amount=table.column(options.amount),
            by={column: table.frame[column] for column in options.by} or None,
            groups=table.column(options.groups),
            ids=table.column(options.ids),
            sample_weight=table.column(options.weight),
            pos_label=rows.positive,
            labels=list(table.classes) if rows.positive is None else None,
            reference=options.reference,
            model=_load_models(options.models, list(rows.probas)),
            title=options.title,
            rows=options.rows,
            confidence=options.confidence,
            random_state=options.seed,
            source=_source(table),
            command=command_text(),
        )


def print_ranking_notes(table: PredictionTable, positive: str | None) -> None:
    """Print a note on models whose probabilities are likely to be those of the other class."""
    from calibrant.metrics import auc

    rows = _report_rows(table, positive)
    if rows.positive is None:
        return
    for name, proba in rows.probas.items():
        if (found := auc(rows.y, proba, pos_label=rows.positive)) < _REVERSED:
            print_note(
                f"Note: {name} ranks the rows the wrong way round (auc {found:.3f}). Is it the probability of another "
                f"class than {rows.positive}? Pass --positive."
            )


def print_answer(report: Report) -> None:
    """Print the first section of a report, which is the answer, as text."""
    from calibrant._sections import Callout, Paragraph

    for block in report.sections[0].blocks if report.sections else ():
        if isinstance(block, Paragraph):
            print_text(block.text)
        elif isinstance(block, Callout):
            print_text(f"- {block.text} {block.detail}".rstrip())


@dataclass(frozen=True, eq=False)
class _ReportRows:
    """Classes and probabilities as a report takes them, and the positive class; None where there are more than two."""

    y: pd.Series[Any]
    probas: dict[str, NDArray[np.float64]]
    positive: Any


def _report_rows(table: PredictionTable, requested: str | None) -> _ReportRows:
    positive = _positive(table, requested)
    y = table.y
    if positive is not None and len(table.classes) > 2:
        y = y.astype(object).where(y.isna() | (y == positive), f"not {positive}")
    return _ReportRows(y, {model.name: _probabilities(table, model, positive) for model in table.models}, positive)


def _positive(table: PredictionTable, requested: str | None) -> Any:
    """Return the class that a report is about: the one requested or named by all columns; None for many classes."""
    if requested is not None:
        return find_class(requested, table.classes)
    named = {model.positive for model in table.models}
    if len(table.classes) > 2:
        if len(named) > 1:
            raise usage_error("every model must have the columns of all classes, or that of the same class.", "--proba")
        return named.pop()
    only = named.pop() if len(named) == 1 else None
    return table.classes[-1] if only is None or is_negative(only) else only


def _probabilities(table: PredictionTable, model: ModelColumns, positive: Any) -> NDArray[np.float64]:
    """Return the probabilities of a model: those of all classes, or of the positive one."""
    proba = table.probas[model.name]
    if positive is not None and len(model.columns) > 2:
        return proba[:, model.classes.index(positive)]
    return 1.0 - proba if len(model.columns) == 1 and model.positive != positive else proba


def _load_models(requested: Sequence[str], names: list[str]) -> Any:
    """Return the models of ``FILE`` or ``NAME=FILE`` by the names of the predictions; a file alone is the first."""
    from pathlib import Path

    from calibrant import load_model
    from calibrant.exceptions import nearest

    found = {}
    for text in requested:
        name, equals, path = text.partition("=")
        if not equals or Path(text).exists():
            name, path = names[0], text
        if name not in names:
            raise usage_error(f"there is no model {name!r} among {', '.join(names)}.{nearest(name, names)}", "--model")
        found[name] = load_model(path)
    return found or None


def _names(table: PredictionTable, options: ReportOptions) -> dict[str, str]:
    """Return the names of the report's arguments on the command line."""
    columns = [column for model in table.models for column in model.columns]
    shown = ", ".join(map(repr, columns[:4])) + (", …" if len(columns) > 4 else "")
    names = {"y_true": f"column {table.target!r}", "y_proba": f"column{'s' * (len(columns) > 1)} {shown}"}
    names |= {"pos_label": "--positive", "reference": "--reference", "by": "--by", "random_state": "--seed"}
    names |= {"confidence": "--confidence", "groups= with the same values": f"--groups {options.ids}"}
    named = {"groups": options.groups, "ids": options.ids, "sample_weight": options.weight, "amount": options.amount}
    return names | {name: f"column {column!r}" for name, column in named.items() if column}


def _source(table: PredictionTable) -> str:
    """Return the file, and what was taken as what in it."""
    path = "standard input" if table.path == STDIN else table.path
    return ". ".join([path, " ".join(table.notes)]) if table.notes else path
