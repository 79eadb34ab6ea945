"""The command ``calibrant evaluate``."""

from __future__ import annotations

from typing import Annotated

import typer

from calibrant.cli._app.completion import complete_columns, complete_metrics
from calibrant.cli._app.exit_codes import GATE_FAILED
from calibrant.cli._app.html_file import Html, NoRows, check_html
from calibrant.cli._app.options import Json, usage_error
from calibrant.cli._app.printing import print_json, print_text
from calibrant.cli._predictions.options import Groups, Positive, Predictions, Proba, Scale, ScaleName, Segments, Weight

__all__ = ["evaluate"]

_FAIL_IF = "Exit with code 8 if this holds: 'ece>0.05', 'auc<0.8', 'verdict=miscalibrated'; may be repeated."
_METRIC = "A metric, or all; may be repeated. By default a dozen."
_STREAM = "Read a CSV or Parquet file batch by batch: no segments or groups. By default from 500 MB on."


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
) -> None:
    """Measure anybody's predictions: scores with intervals, a verdict on calibration, segments, gates.

    $ calibrant evaluate pred.csv --target y --proba p
    $ calibrant evaluate pred.csv --target y --proba old=p1 --proba new=p2 --by region
    $ calibrant evaluate pred.csv --target y --proba p --fail-if "ece>0.05"

    Several models are compared on the same rows. A gate judges the value of each model on all rows; it can judge
    ece.low, ece.high, ece.debiased and ece.pvalue too. A metric without a value fails.
    """
    from calibrant.cli._predictions.evaluation import Request, evaluate_predictions
    from calibrant.cli._predictions.gates import check_metric, read_gate

    check_html(html)
    if html is not None and stream:
        raise usage_error("a report needs all rows in memory.", "--html", "--stream")
    gates = [read_gate(text) for text in fail_if or ()]
    for name in metric or ():
        if name != "all":
            check_metric(name, "--metric")
    columns = (proba or [], positive, by or [], groups, weight)
    settings = (metric or [], confidence, False if html is not None and stream is None else stream, scale.value)
    evaluation = evaluate_predictions(Request(predictions, target, *columns, *settings), gates)
    results = evaluation.judge(gates)
    size = None if html is None else evaluation.save_report(html, rows=not no_rows)
    if as_json:
        print_json(evaluation.document(results) | ({} if html is None else {"html": html, "bytes": size}))
    else:
        evaluation.print(results)
        if html is not None:
            print_text(f"\nThe report is in {html}.")
    if any(result.failed for result in results):
        raise typer.Exit(GATE_FAILED)
