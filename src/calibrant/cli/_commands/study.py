"""Run studies (data sets x methods x splits) and query what they recorded.

$ calibrant study run study.yaml --workers 4
$ calibrant study status trees
$ calibrant study table trees --metric log_loss
$ calibrant study compare trees --metric log_loss

A study is a YAML or TOML file; its trials are recorded in a store as they finish, and a run that was stopped goes on
where it ended. A study file imports what it names: run only files that you trust.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from calibrant.cli._app.errors import BAD_DATA, INTERRUPTED, PARTIAL_RESULT, CommandError
from calibrant.cli._app.files import STDOUT, Html, check_html, save_report, write_errors
from calibrant.cli._app.invocation import command_text, read_duration
from calibrant.cli._app.options import Json, usage_error
from calibrant.cli._app.printing import print_json, print_note, print_table, print_text

if TYPE_CHECKING:
    from calibrant.studies import Study, StudyStatus

app = typer.Typer()

_STORE = "A SQLite file, or postgresql://user@host/database; by default calibrant.db in this folder."
_PARTIAL = "Use the trials that are finished where others failed or are missing."

Store = Annotated[str | None, typer.Option(metavar="URL", help=_STORE)]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the study.")]
Metric = Annotated[str | None, typer.Option(help="A metric of the study; by default its first.")]
Partial = Annotated[bool, typer.Option("--partial", help=_PARTIAL)]
Interval = Annotated[bool, typer.Option("--interval", help="Add the interval of each mean.")]


@app.command()
def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A YAML or TOML file that defines the study.")],
    store: Store = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Local processes; by default this one.")] = None,
    dask: Annotated[str | None, typer.Option(metavar="ADDRESS", help="A Dask cluster.")] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Run trials again that failed.")] = False,
    update: Annotated[bool, typer.Option("--update", help="Go on although the definition was changed.")] = False,
    rerun_outdated: Annotated[
        bool, typer.Option("--rerun-outdated", help="Run trials again that other versions computed.")
    ] = False,
    time_limit: Annotated[
        float | None, typer.Option(parser=read_duration, metavar="TIME", help="Of a trial: such as 30s or 5m.")
    ] = None,
    memory_limit: Annotated[str | None, typer.Option(metavar="SIZE", help="Of a trial: such as '2 GB'.")] = None,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """Run the trials of a study that its store does not have yet; run again after Ctrl-C, it goes on.

    $ calibrant study run study.yaml --workers 4 --time-limit 10m

    Exit code 7 if some trials failed.
    """
    from calibrant.studies import Study

    check_html(html)
    study = Study.from_file(file, store=store)
    try:
        status = study.run(
            workers,
            dask,
            retry=retry,
            update=update,
            rerun_outdated=rerun_outdated,
            time_limit=time_limit,
            memory_limit=memory_limit,
        )
    except KeyboardInterrupt:
        _print_status(study.status(), as_json=as_json)
        raise typer.Exit(INTERRUPTED) from None
    _write_report(study, html)
    _print_status(status, as_json=as_json, html=html)
    if not status.is_complete:
        raise typer.Exit(PARTIAL_RESULT)


@app.command("list")
def list_(store: Store = None, as_json: Json = False) -> None:
    """List the studies of a store."""
    from calibrant.studies import list_studies

    with _reading():
        found = list_studies(*([] if store is None else [store]))
    if as_json:
        print_json([asdict(each) for each in found])
        return
    days = "%Y-%m-%d %H:%M"
    rows = [
        [each.name, f"{each.n_trials:,}", f"{each.n_failed:,}", f"{each.created:{days}}", f"{each.updated:{days}}"]
        for each in found
    ]
    print_table(["study", "trials", "failed", "created (UTC)", "updated (UTC)"], rows, left=["study"])


@app.command()
def status(name: Name, store: Store = None, as_json: Json = False) -> None:
    """Print how far a study is, also while it runs elsewhere."""
    with _reading():
        _print_status(_open(name, store).status(), as_json=as_json)


@app.command()
def table(
    name: Name,
    metric: Metric = None,
    part: Annotated[str, typer.Option(metavar="test|training", help="The rows that are measured.")] = "test",
    interval: Interval = False,
    partial: Partial = False,
    store: Store = None,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """Print the mean of a metric of each method on each data set; --html has all metrics, or that of --metric.

    $ calibrant study table trees --metric auc --interval
    """
    check_html(html)
    with _reading():
        study = _open(name, store)
        results = study.results()
        frame = results.table(_metric(results, metric), part=part, interval=interval, partial=partial)
        _write_report(study, html, metric)
    if as_json:
        rows = [{"dataset": dataset, **_row(row, interval=interval)} for dataset, row in frame.iterrows()]
        document = {"study": name, "metric": _metric(results, metric), "part": part, "rows": rows}
        print_json({**document, "html": html})
        return
    columns = list(dict.fromkeys(column[0] if interval else column for column in frame.columns))
    cells = [[dataset, *_cells(row, columns, interval=interval)] for dataset, row in frame.iterrows()]
    print_text(f"{_metric(results, metric)}, mean over the splits")
    print_table(["data set", *columns], cells, left=["data set"])
    _print_report(html)


@app.command()
def compare(
    name: Name,
    metric: Metric = None,
    test: Annotated[str | None, typer.Option(help="A test; by default one that holds for the plan.")] = None,
    reference: Annotated[str | None, typer.Option(metavar="METHOD", help="Compare this one with all others.")] = None,
    dataset: Annotated[str | None, typer.Option(help="A single data set; by default all.")] = None,
    confidence: Annotated[float, typer.Option(help="Confidence that a difference must have.")] = 0.95,
    partial: Partial = False,
    store: Store = None,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """Compare the methods of a study by a test that holds for its plan, and list which differences hold.

    $ calibrant study compare trees --metric log_loss --reference forest
    """
    check_html(html)
    with _reading():
        study = _open(name, store)
        results = study.results()
        options: dict[str, Any] = {"test": test, "reference": reference, "confidence": confidence}
        found = results.compare(_metric(results, metric), partial=partial, dataset=dataset, **options)
        _write_report(study, html, metric, datasets=None if dataset is None else [dataset], **options)
    if not as_json:
        print_text(repr(found))
        _print_report(html)
        return
    pairs = [{key: value for key, value in asdict(pair).items() if key != "result"} for pair in found.pairs]
    facts = {key: getattr(found, key) for key in ("metric", "better", "plan", "test", "reason", "confidence", "how")}
    print_json({"study": name, **facts, "datasets": found.datasets, "pairs": pairs, "notes": found.notes, "html": html})


@app.command()
def export(
    name: Name,
    out: Annotated[str, typer.Option(metavar="FILE", help="CSV (.csv), Markdown (.md) or LaTeX (.tex); - prints.")],
    metric: Metric = None,
    what: Annotated[
        Literal["table", "trials"], typer.Option(help="The table of a metric, or a row for each trial.")
    ] = "table",
    format_: Annotated[
        Literal["csv", "markdown", "latex"] | None, typer.Option("--format", help="By default that of the suffix.")
    ] = None,
    digits: Annotated[int | None, typer.Option(min=0, max=17, help="Decimals.")] = None,
    bold: Annotated[bool, typer.Option("--bold", help="Mark the best method on each data set.")] = False,
    interval: Interval = False,
    partial: Partial = False,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Write the table of a metric, or all trials, to a file.

    $ calibrant study export trees --metric auc --out auc.md --bold
    """
    if out == STDOUT and as_json:
        raise usage_error("both go to standard output; write the table to a file.", "--json", "--out -")
    with _reading():
        results = _open(name, store).results()
    path = None if out == STDOUT else out
    options: dict[str, Any] = {"format": format_, "what": what, "digits": digits, "bold": bold}
    with write_errors(out):
        text = results.export(path, _metric(results, metric), interval=interval, partial=partial, **options)
    if as_json:
        print_json({"study": name, "out": out, "what": what, "n_characters": len(text)})
    else:
        sys.stdout.write(text if path is None else f"{out}: written\n")


@app.command()
def delete(
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    store: Store = None,
    as_json: Json = False,
) -> None:
    """Remove a study and all its trials from a store, for good."""
    from calibrant.studies import delete_study

    with _reading():
        n_trials = _open(name, store).status().n_done
    if not yes and not sys.stdin.isatty():
        raise usage_error(f"{n_trials:,} trials would be removed for good; pass --yes to confirm.", "--yes")
    if not yes and not typer.confirm(f"Remove the study {name!r} with {n_trials:,} trials for good?", err=True):
        print_note("Nothing was removed.")
        raise typer.Exit
    delete_study(name, *([] if store is None else [store]))
    if as_json:
        print_json({"deleted": name, "n_trials": n_trials})
    else:
        print_text(f"Removed the study {name!r} with {n_trials:,} trials.")


@contextmanager
def _reading() -> Iterator[None]:
    """Turn errors of a store that is only read into those of bad data."""
    from calibrant.exceptions import StoreError

    try:
        yield
    except StoreError as error:
        raise CommandError(str(error), BAD_DATA) from error


def _open(name: str, store: str | None) -> Study:
    from calibrant.studies import Study

    return Study.open(name, *([] if store is None else [store]))


def _metric(results: Any, metric: str | None) -> str:
    return str(results.metrics[0] if metric is None else metric)


def _write_report(study: Study, html: str | None, metric: str | None = None, **options: Any) -> None:
    """Write the report of a study, where one is wanted."""
    if html is not None:
        from calibrant.report import Report

        metrics = None if metric is None else [metric]
        save_report(Report.from_study(study, metrics=metrics, command=command_text(), **options), html)


def _print_report(html: str | None) -> None:
    if html is not None:
        print_text(f"Report: {html}")


def _print_status(status: StudyStatus, *, as_json: bool, html: str | None = None) -> None:
    if as_json:
        counts = {"n_missing": status.n_missing, "is_complete": status.is_complete}
        print_json({**asdict(status), **counts} | ({} if html is None else {"html": html}))
    else:
        print_text(repr(status))
        _print_report(html)


def _row(row: Any, *, interval: bool) -> dict[str, Any]:
    if not interval:
        return {"means": row.to_dict()}
    methods = dict.fromkeys(method for method, _ in row.index)
    return {"means": {method: row[method].to_dict() for method in methods}}


def _cells(row: Any, methods: list[str], *, interval: bool) -> list[str]:
    from calibrant._repr import number_text

    if not interval:
        return ["" if row[name] != row[name] else number_text(row[name]) for name in methods]
    parts = [[number_text(row[name][end]) for end in ("mean", "low", "high")] for name in methods]
    return ["{} ({} to {})".format(*part) for part in parts]
