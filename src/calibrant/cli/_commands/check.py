"""The command ``calibrant check``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from calibrant.cli._app.errors import GATE_FAILED, as_command_line
from calibrant.cli._app.files import STDIN, read_table
from calibrant.cli._app.options import Json, Strict, TableFile, complete_columns, reads_table
from calibrant.cli._app.printing import print_json, print_text


@reads_table
def check(
    data: TableFile,
    target: Annotated[
        str | None,
        typer.Option(metavar="COL", help="The class column; by default the last one.", autocompletion=complete_columns),
    ] = None,
    strict: Strict = False,
    as_json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Look at a table before learning from it: leaks, ids, time, copies, constants, text, marks for missing values.

    $ calibrant check loans.csv --target default
    $ calibrant check loans.xlsx --target default --types recovered=drop --strict

    Single columns, pairs of columns and their ranks are looked at; nothing is learned. Each finding has its evidence
    and what to do. compare and fit look too.
    """
    from calibrant.data import check_table
    from calibrant.studies._internal import ComparedTable

    source: Any = read_table(STDIN, target=target, **reading) if data == STDIN else data
    table = ComparedTable.open(source, target, reading, drops_ids=False)
    found = check_table(table)
    notes = [as_command_line(note) for note in table.notes if "(an id)" not in note]  # which is among the findings
    if as_json:
        print_json({**found.to_dict(), "notes": notes})
    else:
        for note in notes:
            print_text(f"note: {note}")
        print_text(found.summary)
        for finding in found.findings:
            print_text(f"- {finding}")
    if strict and found.findings:
        raise typer.Exit(GATE_FAILED)
