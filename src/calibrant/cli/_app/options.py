"""Options that several commands have, with their completion by the shell."""

from __future__ import annotations

import csv
import inspect
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

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


TableFile = Annotated[
    str,
    typer.Argument(metavar="DATA", help="A file (CSV, Excel, Parquet, JSON, …), a data set by name, or - (stdin)."),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Exit with code 8, before anything is learned, where the check finds anything.")
]


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
TimeColumn = Annotated[
    str | None,
    typer.Option(
        "--time",
        metavar="COL",
        help="The column of dates or times: train on the past, test on what follows. It is not learned from.",
        autocompletion=complete_columns,
    ),
]
PlanWords = Annotated[
    str | None,
    typer.Option(
        "--plan",
        metavar="PLAN",
        help="How rows are split: 10, 10x3, 'holdout 30%', time, 'time 30%', loo, 632. By default by their number.",
    ),
]
TestTable = Annotated[
    str | None,
    typer.Option("--test", metavar="FILE", help="A table kept apart, which the score, verdict and money come from."),
]
Scale = Annotated[
    ScaleName,
    typer.Option(
        metavar="SCALE",
        help="auto, probability, percent or logit (log-odds): auto infers it from values and names, or asks.",
    ),
]


_TYPES = "nominal, number, date, text or drop"
# The options of how a table is written, by the keyword of `read_table`; by default all of them are inferred
_READING: dict[str, Any] = {
    "sep": Annotated[str | None, typer.Option("--sep", metavar="CHAR", help="The separator of columns.")],
    "decimal": Annotated[str | None, typer.Option("--decimal", metavar="CHAR", help="The decimal mark: . or ,")],
    "thousands": Annotated[
        str | None, typer.Option("--thousands", metavar="CHAR", help="The separator of thousands, such as . or '.")
    ],
    "encoding": Annotated[str | None, typer.Option("--encoding", metavar="NAME", help="The encoding of a text file.")],
    "dates": Annotated[
        str | None, typer.Option("--dates", metavar="ORDER", help="The order of dates: dmy, mdy or ymd.")
    ],
    "missing": Annotated[
        list[str] | None, typer.Option("--missing", metavar="TEXT", help="A text that means missing; again for more.")
    ],
    "sheet": Annotated[str | None, typer.Option("--sheet", metavar="NAME", help="The sheet of a workbook.")],
    "types": Annotated[
        list[str] | None, typer.Option("--types", metavar="COL=TYPE", help=f"A column is {_TYPES}; again for more.")
    ],
}


def reads_table(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of how a table is written to a command, which gets those passed as ``reading``, keywords."""
    hints = get_type_hints(command, include_extras=True)
    hints.pop("reading")
    parameters = [each for name, each in inspect.signature(command).parameters.items() if name != "reading"]
    places = [each.replace(annotation=hints[each.name]) for each in parameters]
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hint)
        for name, hint in _READING.items()
    ]
    json = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in places if each.name == "as_json"]
    places = [each for each in places if each.name != "as_json"]

    @wraps(command)
    def with_reading(*args: Any, **options: Any) -> None:
        given = {name: options.pop(name) for name in _READING if name in options}
        command(*args, **options, reading=_keywords(given))

    with_reading.__signature__ = inspect.Signature([*places, *added, *json])  # type: ignore[attr-defined]
    with_reading.__annotations__ = {**hints, **_READING}
    del with_reading.__wrapped__  # typer would read the signature of the command itself
    return with_reading


def _keywords(given: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords of `read_table` for the options that were passed."""
    passed = {name: value for name, value in given.items() if value}
    if "types" in passed:
        passed["types"] = dict(_column_type(text) for text in passed["types"])
    if "sheet" in passed and passed["sheet"].isdigit():
        passed["sheet"] = int(passed["sheet"])
    if passed.get("sep") in ("\\t", "tab"):
        passed["sep"] = "\t"
    return passed


def _column_type(text: str) -> tuple[str, str]:
    column, equals, kind = text.rpartition("=")
    if not equals or not column:
        raise usage_error(f"must be COL=TYPE, where TYPE is {_TYPES}; got {text!r}.", "--types")
    return column, kind
