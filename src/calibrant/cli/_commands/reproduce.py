"""``calibrant reproduce``: the experiments of four papers, repeated."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from calibrant.cli._app.errors import INTERRUPTED
from calibrant.cli._app.files import Html, check_html, save_report
from calibrant.cli._app.invocation import command_text
from calibrant.cli._app.options import Json, complete_papers, usage_error
from calibrant.cli._app.printing import print_json, print_note, print_table, print_text

if TYPE_CHECKING:
    from calibrant.papers import Reproduction


def reproduce(
    paper: Annotated[
        str,
        typer.Argument(
            metavar="PAPER",
            autocompletion=complete_papers,
            help="zadrozny-elkan-2001, chawla-cieslak-2006, caruana-niculescu-mizil-2004 or nielsen-2004.",
        ),
    ],
    quick: Annotated[bool, typer.Option("--quick", help="A part of the experiment: about 5 minutes.")] = False,
    full: Annotated[bool, typer.Option("--full", help="The paper's own size: hours.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="The folder of the results; by default calibrant- and the paper's name.")
    ] = None,
    store: Annotated[
        str | None, typer.Option(metavar="URL", help="The store of the trials; by default trials.db in the folder.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; by default one for each core.")] = None,
    dask: Annotated[str | None, typer.Option(metavar="ADDRESS", help="A Dask cluster.")] = None,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """Repeat the experiment of a paper, and compare its tables and findings with ours.

    The estimate of the time comes first; by default it is about an hour on two cores. After Ctrl-C, or on another
    day, the same command goes on where it ended. The folder has all tables as text (results.md) and CSV, and the
    paper's figures as pictures.

    $ calibrant reproduce chawla-cieslak-2006 --quick
    """
    from calibrant.papers import estimate_time
    from calibrant.papers import reproduce as run

    if quick and full:
        raise usage_error("--quick and --full exclude each other.")
    size: Literal["quick", "default", "full"] = "quick" if quick else "full" if full else "default"
    check_html(html)
    folder = out or Path(f"calibrant-{paper}")
    estimate = estimate_time(paper, size, workers)
    print_note(f"About {_duration(estimate)} on this machine; what {folder} has of it is not run again.")
    try:
        made = run(paper, size=size, out=folder, store=store, workers=workers, dask=dask)
    except KeyboardInterrupt:
        print_note(f"Stopped; the finished trials are in {store or folder}. Run the same command again to go on.")
        raise typer.Exit(INTERRUPTED) from None
    if html is not None:
        from calibrant.report import Report

        save_report(Report.from_reproduction(made, command=command_text()), html)
    if as_json:
        print_json(_document(made, folder) | {"html": html})
    else:
        _print(made, folder, html)


def _duration(seconds: float) -> str:
    """Return seconds in words that suit an estimate.

    Examples
    --------
    >>> _duration(20), _duration(200), _duration(9000)
    ('1 minute', '3 minutes', '2.5 hours')
    """
    minutes = max(1, round(seconds / 60))
    if minutes >= 100:
        return f"{minutes / 60:.1f} hours"
    return f"{minutes} minute{'s' if minutes > 1 else ''}"


def _print(made: Reproduction, folder: Path, html: str | None) -> None:
    print_text(made.citation)
    print_text()
    rows = [[each.statement, each.verdict] for each in made.findings]
    print_table(["finding", "verdict"], rows, left=["finding", "verdict"])
    print_text()
    tables = [
        [each.name, each.title, f"{each.n_agreeing} of {each.n_judged}" if each.n_judged else ""]
        for each in made.tables
    ]
    print_table(["table", "title", "figures that agree"], tables, left=["table", "title"])
    print_text()
    print_text(f"Evidence, tables and figures: {folder / 'results.md'}")
    if html is not None:
        print_text(f"Report: {html}")


def _document(made: Reproduction, folder: Path) -> dict[str, object]:
    return {
        "paper": made.paper,
        "citation": made.citation,
        "size": made.size,
        "n_trials": made.n_trials,
        "seconds": made.seconds,
        "n_judged": made.n_judged,
        "n_agreeing": made.n_agreeing,
        "findings": [vars(each) for each in made.findings],
        "tables": {
            each.name: {"title": each.title, "note": each.note, "figures": each.to_frame().to_dict("records")}
            for each in made.tables
        },
        "folder": str(folder),
    }
