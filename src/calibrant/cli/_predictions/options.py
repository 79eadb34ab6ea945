"""Options of the commands that read predictions."""

from __future__ import annotations

from typing import Annotated

import typer

from calibrant.cli._app.completion import complete_columns

__all__ = ["Positive", "Predictions", "Proba", "Weight"]

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
