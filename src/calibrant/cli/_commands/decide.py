"""The command ``calibrant decide``."""

from __future__ import annotations

from typing import Annotated

import typer

from calibrant.cli._app.completion import complete_columns
from calibrant.cli._app.options import Json, usage_error
from calibrant.cli._app.printing import print_json, print_note
from calibrant.cli._app.writing import STDOUT, check_format, write_frame
from calibrant.cli._predictions.options import Positive, Predictions, Proba

__all__ = ["decide"]

_COSTS = "A CSV file: actions in the first row, a class and the cost of each action in the others."
_TARGET = "The column of the actual classes, if known: the actual costs are printed, too."
_OUT = "Where the rows go with their action and expected cost: CSV, Parquet or Feather; - is standard output."


def decide(
    predictions: Predictions,
    costs: Annotated[str, typer.Option(metavar="FILE", help=_COSTS)],
    proba: Proba = None,
    positive: Positive = None,
    target: Annotated[str | None, typer.Option(metavar="COL", help=_TARGET, autocompletion=complete_columns)] = None,
    benefits: Annotated[bool, typer.Option("--benefits", help="The file has benefits instead of costs.")] = False,
    out: Annotated[str | None, typer.Option(metavar="FILE", help=_OUT)] = None,
    as_json: Json = False,
) -> None:
    """Choose the action of least expected cost for each row, from probabilities and costs.

    $ calibrant decide pred.csv --proba p --costs costs.csv --out decided.csv
    $ calibrant decide pred.csv --proba p --costs costs.csv --target y

    A file of costs has a row for each class and a column for each action; a negative cost is a gain:

    $ cat costs.csv
    actual,leave,write
    no,0,0.68
    yes,0,0.68-amount

    A cell is a number, a column of PRED, or both: here a letter costs 0.68 and brings the amount of the row.
    """
    if out == STDOUT and as_json:
        raise usage_error("both go to standard output; write the rows to a file.", "--json", "--out -")
    if out is not None:
        check_format(out)
    from calibrant.cli._predictions.decision import decide_rows

    decisions = decide_rows(predictions, costs, proba or [], positive, target, benefits=benefits)
    if out is not None:
        write_frame(decisions.rows, out)
    if as_json:
        print_json({"file": predictions, "costs": costs, "out": out, **decisions.document()})
    elif out != STDOUT:
        decisions.print()
        print_note(f"The actions are in {out}." if out else "Pass --out to write the action of each row.")
