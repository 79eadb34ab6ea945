"""The command ``calibrant evaluate``."""

from __future__ import annotations

from typing import Annotated

import typer

from calibrant.cli._app.completion import complete_columns, complete_metrics
from calibrant.cli._app.exit_codes import GATE_FAILED
from calibrant.cli._app.options import Json
from calibrant.cli._app.printing import print_json
from calibrant.cli._predictions.options import Positive, Predictions, Proba, Weight

__all__ = ["evaluate"]

_BY = "Scores for each value of a column; may be repeated."
_GROUPS = "Rows of one value belong together, such as those of a patient."
_FAIL_IF = "Exit with code 8 if this holds: 'ece>0.05', 'auc<0.8', 'verdict=miscalibrated'; may be repeated."
_METRIC = "A metric, or all; may be repeated. By default a dozen."
_STREAM = "Read a CSV or Parquet file batch by batch: no verdict, segments or groups. By default from 500 MB on."


def evaluate(
    predictions: Predictions,
    target: Annotated[
        str, typer.Option(metavar="COL", help="The column of the actual classes.", autocompletion=complete_columns)
    ],
    proba: Proba = None,
    positive: Positive = None,
    by: Annotated[list[str] | None, typer.Option(metavar="COL", help=_BY, autocompletion=complete_columns)] = None,
    groups: Annotated[str | None, typer.Option(metavar="COL", help=_GROUPS, autocompletion=complete_columns)] = None,
    weight: Weight = None,
    metric: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help=_METRIC, autocompletion=complete_metrics)
    ] = None,
    fail_if: Annotated[list[str] | None, typer.Option(metavar="CONDITION", help=_FAIL_IF)] = None,
    confidence: Annotated[float, typer.Option(metavar="LEVEL", help="That of intervals.")] = 0.95,
    stream: Annotated[bool | None, typer.Option("--stream/--in-memory", help=_STREAM, show_default=False)] = None,
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

    gates = [read_gate(text) for text in fail_if or ()]
    for name in metric or ():
        if name != "all":
            check_metric(name, "--metric")
    columns = (proba or [], positive, by or [], groups, weight)
    evaluation = evaluate_predictions(Request(predictions, target, *columns, metric or [], confidence, stream), gates)
    results = evaluation.judge(gates)
    if as_json:
        print_json(evaluation.document(results))
    else:
        evaluation.print(results)
    if any(result.failed for result in results):
        raise typer.Exit(GATE_FAILED)
