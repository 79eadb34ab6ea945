"""The command ``calibrant predict``."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibrant.cli._app.errors import MODEL_MISMATCH, CommandError, as_command_line
from calibrant.cli._app.files import STDIN, STDOUT, check_output, write_errors
from calibrant.cli._app.options import Json, complete_columns, reads_table, usage_error
from calibrant.cli._app.printing import print_json, print_note, print_text

if TYPE_CHECKING:
    from calibrant.files import PredictedTable

_DATA = "The rows: a file (CSV, Excel, Parquet, JSON, …), or - for standard input."
_OUT = "Where the predictions go: CSV or TSV (gzip too), Parquet, Feather or .xlsx; - is standard output."
_COSTS = "A CSV file of costs, actual classes in rows and actions in columns: adds action and expected_cost."
_INTERVAL = "Add an interval for each probability, where the model claims that it covers."
_KEEP = "A column of DATA to write first, as it is; again for more. By default the number of each row."
_CHUNK = "Most rows in memory at a time; by default those of 4 MB."


@reads_table
def predict(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file, as fit and compare write it.")],
    data: Annotated[str, typer.Argument(metavar="DATA", help=_DATA)],
    out: Annotated[str, typer.Option(metavar="FILE", help=_OUT)],
    costs: Annotated[str | None, typer.Option(metavar="FILE", help=_COSTS)] = None,
    interval: Annotated[bool, typer.Option("--interval", help=_INTERVAL)] = False,
    confidence: Annotated[float, typer.Option(help="Confidence of the intervals.")] = 0.95,
    proba_only: Annotated[bool, typer.Option("--proba-only", help="Leave the predicted class out.")] = False,
    keep: Annotated[list[str] | None, typer.Option(metavar="COL", help=_KEEP, autocompletion=complete_columns)] = None,
    keep_all: Annotated[bool, typer.Option("--keep-all", help="Write all columns of DATA first.")] = False,
    chunk_rows: Annotated[int | None, typer.Option(min=1, help=_CHUNK)] = None,
    as_json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Predict the rows of a table with a model: probabilities, classes, and actions where costs are given.

    $ calibrant predict model.calibrant new.csv --out predictions.csv
    $ calibrant predict model.calibrant new.csv --keep id --costs costs.csv --out actions.csv
    $ cat new.csv | calibrant predict model.calibrant - --out - | head

    The columns are probability_CLASS for each class, prediction, action and expected_cost with --costs, and low_CLASS
    and high_CLASS with --interval. CSV and Parquet are read and written in chunks, so that a file may be larger than
    memory; of other formats the whole table is read. A file is read as the one that the model was fitted to, unless
    options say otherwise. A table that does not have the columns of the model ends with
    exit code 4 and a list of what differs.
    """
    if out == STDOUT and as_json:
        raise usage_error("both go to standard output; write the predictions to a file.", "--json", "--out -")
    if keep and keep_all:
        raise usage_error("--keep-all keeps them all; leave --keep out.", "--keep", "--keep-all")
    check_output(out)
    from calibrant.exceptions import SchemaError
    from calibrant.files import predict_table

    try:
        with write_errors(out):
            found = predict_table(
                Path(model),
                sys.stdin.buffer if data == STDIN else Path(data),
                sys.stdout.buffer if out == STDOUT else Path(out),
                costs=costs,
                interval=interval,
                confidence=confidence,
                proba_only=proba_only,
                keep="all" if keep_all else keep or (),
                chunk_rows=chunk_rows,
                **reading,
            )
    except SchemaError as error:
        raise CommandError(as_command_line(str(error)), MODEL_MISMATCH) from error
    if as_json:
        print_json({"model": model, "data": data, "out": out, **asdict(found)})
    else:
        _print(found, out)


def _print(found: PredictedTable, out: str) -> None:
    """Print what was predicted; to standard error where the predictions go to standard output."""
    show = print_note if out == STDOUT else print_text
    where = "" if out == STDOUT else f"{out}: "
    means = ", ".join(f"{label} {mean:.4g}" for label, mean in found.mean_probabilities.items())
    show(f"{where}{found.n_rows:,} row{'' if found.n_rows == 1 else 's'} predicted")
    show(f"Mean probability: {means}")
    if found.predictions:
        show(f"Predicted: {', '.join(f'{label} {n:,}' for label, n in found.predictions.items())}")
    if found.expected_cost is not None:
        show(f"Actions: {', '.join(f'{name} {n:,}' for name, n in found.actions.items())}")
        show(f"Expected cost: {found.expected_cost:,.6g}")
    for note in found.notes:
        print_note(f"Note: {as_command_line(note)}")
