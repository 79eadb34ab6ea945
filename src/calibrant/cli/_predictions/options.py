"""Options of the commands that read predictions."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from calibrant.cli._app.completion import complete_columns

__all__ = ["Groups", "Positive", "Predictions", "Proba", "Scale", "ScaleName", "Segments", "Weight"]


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
    typer.Option(help="auto, probability, percent or logit (log-odds): auto infers it from values and names, or asks."),
]
