"""The command ``calibrant report``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from calibrant.cli._app.completion import complete_columns
from calibrant.cli._app.html_file import Html, NoRows, check_html, save_report
from calibrant.cli._app.options import Json, usage_error
from calibrant.cli._app.printing import print_json, print_note, print_text
from calibrant.cli._predictions.options import Groups, Positive, Predictions, Proba, Scale, ScaleName, Segments, Weight

__all__ = ["report"]

_TARGET = "The column of the actual classes."
_COSTS = "A CSV file of costs, as decide takes it: the report then says what errors cost."
_AMOUNT = "The column of actual amounts, such as gifts; costs then are those of each row."
_ID = "The column of ids: an error if one stands in several rows."
_REFERENCE = "The model that others are compared with; by default the best one."
_MODEL = "A model file, as fit writes it: a tree is drawn. Again for further models."


def report(
    predictions: Predictions,
    html: Html = None,
    target: Annotated[str | None, typer.Option(metavar="COL", help=_TARGET, autocompletion=complete_columns)] = None,
    proba: Proba = None,
    positive: Positive = None,
    scale: Scale = ScaleName.auto,
    costs: Annotated[str | None, typer.Option(metavar="FILE", help=_COSTS)] = None,
    benefits: Annotated[bool, typer.Option("--benefits", help="The file has benefits instead of costs.")] = False,
    amount: Annotated[str | None, typer.Option(metavar="COL", help=_AMOUNT, autocompletion=complete_columns)] = None,
    by: Segments = None,
    groups: Groups = None,
    ids: Annotated[str | None, typer.Option("--id", metavar="COL", help=_ID, autocompletion=complete_columns)] = None,
    weight: Weight = None,
    reference: Annotated[str | None, typer.Option(metavar="NAME", help=_REFERENCE)] = None,
    model: Annotated[list[str] | None, typer.Option(metavar="[NAME=]FILE", help=_MODEL)] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="The title of the report.")] = None,
    no_rows: NoRows = False,
    confidence: Annotated[float, typer.Option(metavar="LEVEL", help="That of intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(min=0, help="The seed of what is resampled.")] = 0,
    as_json: Json = False,
) -> None:
    """Write a report on anybody's predictions: one HTML file that needs no network.

    $ calibrant report pred.csv --target y --proba p --html report.html
    $ calibrant report pred.csv --target y --proba old=p1 --proba new=p2 --by region --html report.html
    $ calibrant report pred.csv --target y --proba p --costs costs.csv --amount gift --html report.html

    It says whether the probabilities are right, what errors cost where costs are known, and which of several models to
    use; below are the score card, curves, segments, and an analyser of costs and benefits. Probabilities may be in
    percent or log-odds.
    """
    if html is None:
        raise usage_error("name the file of the report: --html report.html.", "--html")
    for option, value in (("--benefits", benefits), ("--amount", amount)):
        if value and costs is None:
            raise usage_error(f"{option} needs --costs FILE.", option)
    check_html(html)
    from calibrant.cli._predictions.prediction_table import read_predictions
    from calibrant.cli._predictions.report_file import ReportOptions, make_report, print_answer, print_ranking_notes

    columns = (positive, by or [], groups, ids, weight, costs, benefits, amount)
    options = ReportOptions(*columns, reference, model or [], title, not no_rows, confidence, seed)
    table = read_predictions(predictions, target, proba or [], positive, scale=scale.value, columns=options.columns)
    if sys.stderr.isatty():
        print_note(f"Making a report on {len(table.y):,} rows.")
    made = make_report(table, options)
    print_ranking_notes(table, positive)
    size = save_report(made, html)
    if as_json:
        print_json({"file": predictions, "html": html, **made.summary, "bytes": size})
    else:
        print_answer(made)
        print_text(f"The report is in {html} ({size / 1e6:.1f} MB).")
