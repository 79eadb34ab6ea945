"""Options that several commands have, with their completion by the shell."""

from __future__ import annotations

import csv
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document, and nothing else, to standard output.")]


def usage_error(message: str, *options: str) -> typer.BadParameter:
    """Return the error for options that are wrong or do not fit together; the message names them."""
    return typer.BadParameter(message, param_hint=" / ".join(options) or None)


def complete_columns(ctx: Any, incomplete: str) -> list[str]:
    """Return the columns of the table on the command line that begin as typed; also after ``NAME=``."""
    before, equals, begun = incomplete.rpartition("=")
    for value in (*ctx.params.values(), *ctx.args):
        with suppress(Exception):  # a completion that fails must be silent
            if isinstance(value, str) and Path(value).is_file():
                return [before + equals + name for name in _columns(Path(value)) if name.startswith(begun)]
    return []


def complete_metrics(incomplete: str) -> list[str]:
    """Return the metrics that begin as typed."""
    from calibrant.metrics import METRICS

    return [name for name, metric in METRICS.items() if not metric.needs and name.startswith(incomplete)]


def complete_datasets(incomplete: str) -> list[str]:
    """Return the data sets that begin as typed."""
    from calibrant.data import list_datasets

    return [name for name in list_datasets() if name.startswith(incomplete)]


def complete_papers(incomplete: str) -> list[str]:
    """Return the papers that begin as typed."""
    from calibrant.papers import PAPERS

    return [name for name in PAPERS if name.startswith(incomplete)]


def _columns(path: Path) -> list[str]:
    if path.suffix.lower() in (".parquet", ".pq"):
        import pyarrow.parquet

        return list(pyarrow.parquet.read_schema(path).names)
    with path.open(encoding="utf-8-sig", newline="") as file:
        line = file.readline(1_000_000)
    separator = max(",;\t", key=line.count)
    return next(csv.reader([line], delimiter=separator))


class ScaleName(StrEnum):
    """The scale of predictions."""

    auto = "auto"
    probability = "probability"
    percent = "percent"
    logit = "logit"


_PROBA = (
    "The column of the positive class's probability; again for further models. Of more than two classes 'PREFIX*' "
    "(columns PREFIX and the class), or CLASS=COL for each. By default probability_*, which predict writes."
)

Predictions = Annotated[
    str, typer.Argument(metavar="PRED", help="A table with columns of probabilities; - is standard input.")
]
Proba = Annotated[
    list[str] | None,
    typer.Option("--proba", metavar="[NAME=]COL", help=_PROBA, autocompletion=complete_columns),
]
Positive = Annotated[
    str | None,
    typer.Option(metavar="CLASS", help="The class whose probability a column holds; by default the last one, sorted."),
]
Weight = Annotated[
    str | None, typer.Option(metavar="COL", help="The weight of each row.", autocompletion=complete_columns)
]
Groups = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="Rows of one value belong together, such as those of a patient.",
        autocompletion=complete_columns,
    ),
]
Segments = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="COL",
        help="Scores for each value of a column; may be repeated.",
        autocompletion=complete_columns,
    ),
]
Scale = Annotated[
    ScaleName,
    typer.Option(
        metavar="SCALE",
        help="auto, probability, percent or logit (log-odds): auto infers it from values and names, or asks.",
    ),
]
