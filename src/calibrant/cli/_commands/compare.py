"""``calibrant compare``: the main job, from a table to a ranking, a verdict and a model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibrant.cli._app.errors import INTERRUPTED, PARTIAL_RESULT, as_command_line
from calibrant.cli._app.files import STDIN, Html, NoRows, check_html, read_table, save_report
from calibrant.cli._app.invocation import command_text, read_duration, seconds_left
from calibrant.cli._app.options import Json, PlanWords, Strict, TableFile, TestTable, TimeColumn, reads_table
from calibrant.cli._app.printing import print_json, print_table, print_text

if TYPE_CHECKING:
    from calibrant.studies import TableComparison

_METHOD = (
    "base_rate, naive_bayes, logistic, tree, forest, probability or boosted, or 'calibrated forest' and the like; may "
    "be repeated. By default all."
)
_PICTURE = "reliability.png"
_PICTURE_SECONDS, _REPORT_SECONDS = 0.6, 4.5  # of processor time, as `benchmarks/cli.py` measures them


@reads_table
def compare(
    data: TableFile,
    target: Annotated[str | None, typer.Option(help="The class column; by default the last one.")] = None,
    positive: Annotated[str | None, typer.Option(help="The class of interest, of two.")] = None,
    costs: Annotated[
        Path | None, typer.Option(help="A CSV file of costs: actual classes in rows, actions in columns.")
    ] = None,
    groups: Annotated[str | None, typer.Option(help="The column of rows that belong together.")] = None,
    time: TimeColumn = None,
    plan: PlanWords = None,
    test: TestTable = None,
    method: Annotated[list[str] | None, typer.Option(help=_METHOD)] = None,
    metric: Annotated[str, typer.Option(help="The metric that ranks.")] = "log_loss",
    time_limit: Annotated[
        float | None,
        typer.Option(parser=read_duration, metavar="TIME", help="Of all of it: 30s, 5m, 1h. Run it again to go on."),
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; by default one for each core.")] = None,
    store: Annotated[str | None, typer.Option(help="The store of the study; by default calibrant.db.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="The folder of the model; by default calibrant- and the table's name.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed of splits and methods.")] = 0,
    strict: Strict = False,
    html: Html = None,
    no_rows: NoRows = False,
    as_json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Find the best method for a table, say how far its probabilities can be trusted, and save the model.

    Methods: the base rate, naive Bayes, logistic regression, a tree, a forest, boosted trees and
    ProbabilityClassifier, each as it is and with its best calibration, chosen within the training rows. Ctrl-C prints
    what there is so far; run again, it goes on.

    The plan depends on the number of rows: under 1,000 it is 10-fold cross-validation three times, to 5,000 10-fold,
    to 50,000 5-fold cross-validation, above a third of the rows held out, at most 200,000. All methods finish the first
    fold before any starts the second. With --time methods are trained on the past and tested on what follows.

    $ calibrant compare loans.csv --target default --time issued --test loans_2024.csv
    $ calibrant compare donors.csv --target gives --positive yes --costs costs.csv --time-limit 5m --html report.html
    """
    from calibrant.studies import compare_table

    check_html(html)
    later = _PICTURE_SECONDS + (0.0 if html is None else _REPORT_SECONDS)
    table = read_table(STDIN, target=target, drop_ids=True, **reading) if data == STDIN else data
    found = compare_table(
        table,
        target=target,
        positive=positive,
        costs=costs,
        groups=groups,
        time=time,
        plan=plan,
        test=test,
        reading=reading,
        strict=strict,
        methods=method,
        metric=metric,
        time_limit=None if time_limit is None else seconds_left(time_limit, later),
        workers=_processes(workers, time_limit),
        **({"store": store} if store else {}),
        out=out or Path(f"calibrant-{_name(data)}"),
        seed=seed,
    )
    picture = _draw(found, Path(next(iter(found.files.values()))).parent) if found.files else None
    if html is not None:
        from calibrant.report import Report

        save_report(Report.from_comparison(found, rows=not no_rows, command=command_text()), html)
    if as_json:
        print_json(found.to_dict() | {"picture": picture, "html": html})
    else:
        _print(found, picture, html)
    if found.ended == "interrupted":
        raise typer.Exit(INTERRUPTED)
    if found.is_partial:
        raise typer.Exit(PARTIAL_RESULT)


def _processes(workers: int | None, time_limit: float | None) -> int | None:
    """Return the number of processes; None for this one, where no time limit may have to end a trial."""
    n = workers or os.cpu_count() or 1
    return None if n == 1 and time_limit is None else n


def _name(data: str) -> str:
    return "stdin" if data == STDIN else Path(data).name.partition(".")[0] or "table"


def _print(found: TableComparison, picture: str | None, html: str | None) -> None:
    from calibrant.studies._internal import findings, ranking_cells

    texts = findings(found)
    print_text(f"Advice: {texts.pop('Advice')}")
    print_text()
    for line in (*found.compared.lines, f"plan: {found.plan}"):
        print_text(as_command_line(line))
    print_text()
    head, *rows = ranking_cells(found, grouped=True)
    print_table(head, rows, left=[head[0]])
    for heading, text in texts.items():
        print_text()
        print_text(f"{heading}: {text}")
    if picture is not None:
        print_text(f"Picture: {picture}")
    if html is not None:
        print_text(f"Report: {html}")


def _draw(found: TableComparison, folder: Path) -> str | None:
    """Draw how far the held-out probabilities of the advised model come true, where there are two classes."""
    columns = [name for name in found.held_out if str(name).startswith("probability_")]
    if len(columns) != 2:
        return None
    from calibrant.plots import ReliabilityDisplay

    positive = found.table.positive
    label = columns[-1] if positive is None else f"probability_{positive}"
    display = ReliabilityDisplay.from_predictions(
        found.held_out[found.compared.target],
        found.held_out[label],
        pos_label=positive,
        name=found.advised,
    )
    path = folder / _PICTURE
    display.figure_.savefig(path, dpi=150, bbox_inches="tight")  # type: ignore[union-attr]
    return str(path)
