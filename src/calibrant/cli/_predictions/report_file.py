"""The report on a table of predictions, from the options of a command to a file and what is printed about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from calibrant.cli._app.command_text import command_text
from calibrant.cli._app.named_arguments import named_arguments
from calibrant.cli._app.options import usage_error
from calibrant.cli._app.printing import print_text
from calibrant.cli._app.reading import STDIN
from calibrant.cli._predictions.column_class import is_negative
from calibrant.cli._predictions.report_costs import costs_of_report

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from calibrant.cli._predictions.prediction_table import PredictionTable
    from calibrant.report import Report

__all__ = ["ReportOptions", "make_report", "print_answer"]


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

    positive = _positive(table, options.positive)
    is_binary = positive is not None
    y = _one_against_others(table, positive) if is_binary and len(table.classes) > 2 else table.y
    classes = sorted(y.dropna().unique().tolist())
    costs = None
    if options.costs is not None:
        known = {"benefits": options.benefits, "has_amount": options.amount is not None}
        costs = costs_of_report(options.costs, table, classes, positive, **known)
    with named_arguments(_names(table, options)):
        return Report.from_predictions(
            y,
            {model.name: _probabilities(table, number, positive) for number, model in enumerate(table.models)},
            costs=costs,
            amount=table.column(options.amount),
            by={column: table.frame[column] for column in options.by} or None,
            groups=table.column(options.groups),
            ids=table.column(options.ids),
            sample_weight=table.column(options.weight),
            pos_label=positive,
            labels=None if is_binary else list(table.classes),
            reference=options.reference,
            model=_load_models(options.models, [model.name for model in table.models]),
            title=options.title,
            rows=options.rows,
            confidence=options.confidence,
            random_state=options.seed,
            source=" ".join([_source(table), *table.notes]),
            command=command_text(),
        )


def print_answer(report: Report) -> None:
    """Print the first section of a report, which is the answer, as text."""
    from calibrant._sections import Callout, Paragraph

    for block in report.sections[0].blocks if report.sections else ():
        if isinstance(block, Paragraph):
            print_text(block.text)
        elif isinstance(block, Callout):
            print_text(f"- {block.text} {block.detail}".rstrip())


def _positive(table: PredictionTable, requested: str | None) -> Any:
    """Return the class that a report is about: the one requested or named by all columns; None for many classes."""
    named = {model.positive for model in table.models}
    if len(table.classes) > 2:
        if None in named and len(named) > 1:
            raise usage_error("pass the columns of all classes for every model, or of one for every model.", "--proba")
        if len(named) > 1:
            raise usage_error(f"the columns are of the classes {', '.join(map(str, named))}; pass one.", "--proba")
        return named.pop()
    (only,) = named if len(named) == 1 else (None,)
    return only if only is not None and (requested is not None or not is_negative(only)) else table.classes[-1]


def _one_against_others(table: PredictionTable, positive: Any) -> Any:
    y = table.y
    return y.astype(object).where(y.isna() | (y == positive), f"not {positive}")


def _probabilities(table: PredictionTable, number: int, positive: Any) -> NDArray[np.float64]:
    """Return the probabilities of a model: those of all classes, or of the positive one."""
    model = table.models[number]
    proba = table.probas[model.name]
    if positive is not None and len(model.columns) == 1 and model.positive != positive:
        return 1.0 - proba
    return proba


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
    """Return what the arguments of the report are called on the command line."""
    columns = [column for model in table.models for column in model.columns]
    shown = ", ".join(map(repr, columns[:4])) + (", …" if len(columns) > 4 else "")
    names = {"y_true": f"column {table.target!r}", "y_proba": f"column{'s' * (len(columns) > 1)} {shown}"}
    names |= {"pos_label": "--positive", "reference": "--reference", "by": "--by", "random_state": "--seed"}
    names |= {"confidence": "--confidence", "groups= with the same values": f"--groups {options.ids}"}
    named = {"groups": options.groups, "ids": options.ids, "sample_weight": options.weight, "amount": options.amount}
    return names | {name: f"column {column!r}" for name, column in named.items() if column}


def _source(table: PredictionTable) -> str:
    return f"{'standard input' if table.path == STDIN else table.path}."
