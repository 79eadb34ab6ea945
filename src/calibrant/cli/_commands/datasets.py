"""Look at named data sets, or write one to a file.

$ calibrant datasets list
$ calibrant datasets describe appeal
$ calibrant datasets fetch appeal --out appeal.csv

Data sets come from the folder that CALIBRANT_DATA names, from calibrant itself, from scikit-learn and from OpenML.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from calibrant.cli._app.files import STDOUT, check_output, open_output, write_frame
from calibrant.cli._app.options import Json, complete_datasets
from calibrant.cli._app.printing import print_json, print_note, print_table, print_text

_HOME = "A folder of data sets with a MANIFEST.json; by default that of CALIBRANT_DATA."
_OUT = "Where the table goes: CSV, .xlsx, Parquet or Feather; - is standard output. By default NAME.csv."
_ALL = "Also the columns that are not features, such as amounts that are known afterwards only."

app = typer.Typer()

Name = Annotated[
    str,
    typer.Argument(metavar="NAME", help="A name of the list, or openml:ID.", autocompletion=complete_datasets),
]
Home = Annotated[str | None, typer.Option(metavar="FOLDER", help=_HOME)]


@app.command("list")
def list_(home: Home = None, as_json: Json = False) -> None:
    """List the data sets: files at hand, data that packages include, and the papers' tasks."""
    from calibrant.data import list_datasets

    found = list_datasets(home).entries
    if as_json:
        print_json([asdict(entry) for entry in found])
        return
    columns = ["name", "rows", "features", "classes", "positive", "papers", "where"]
    rows = [[f"{cell:,}" if isinstance(cell, int) else cell for cell in asdict(entry).values()] for entry in found]
    print_table(columns, rows, left=["name", "positive", "papers", "where"])


@app.command()
def describe(name: Name, home: Home = None, as_json: Json = False) -> None:
    """Describe a data set: its rows, classes and columns.

    $ calibrant datasets describe appeal
    """
    from calibrant.data import load

    table = load(name, home)
    if as_json:
        print_json(
            {
                "name": table.name,
                "rows": table.n_rows,
                "features": table.kinds,
                "class_counts": table.class_counts,
                "positive": table.positive,
                "not_features": [] if table.extra is None else list(table.extra),
                "notes": table.notes,
            }
        )
        return
    print_text(repr(table))
    for note in table.notes:
        print_note(f"Note: {note}")


@app.command()
def fetch(
    name: Name,
    out: Annotated[str | None, typer.Option(metavar="FILE", help=_OUT)] = None,
    all_columns: Annotated[bool, typer.Option("--all-columns", help=_ALL)] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Write a data set to a file: its features, and the class as the last column.

    Costs that come with it are written beside it.

    $ calibrant datasets fetch appeal --out appeal.csv
    """
    path = f"{name.replace(':', '_')}.csv" if out is None else out
    check_output(path)
    from calibrant.data import load

    table = load(name, home)
    others = [] if table.extra is None else [str(column) for column in table.extra]
    frame = table.X.join(table.extra) if table.extra is not None and all_columns else table.X
    if table.y is not None:
        name_of_class = str(table.y.name)
        is_free = table.y.name is not None and name_of_class not in map(str, frame)
        frame = frame.assign(**{name_of_class if is_free else "class": table.y.to_numpy()})
    write_frame(frame, path)
    costs = _write_costs(name, path)
    if as_json and path != STDOUT:
        print_json({"name": name, "out": path, "costs": costs, "rows": len(frame), "columns": list(frame)})
    elif path != STDOUT:
        target = str(frame.columns[-1])
        print_text(f"{path}: {len(frame):,} rows, {len(frame.columns)} columns, the class is {target!r}")
        if others and not all_columns:
            print_note(f"Left out, because they are not features: {', '.join(others)} (--all-columns).")
        if costs is not None:
            print_text(f"{costs}: costs of decisions")


def _write_costs(name: str, path: str) -> str | None:
    """Write the costs that come with a data set beside its rows; return the path."""
    from calibrant.data._internal import costs_text

    text = costs_text(name)
    if text is None or path == STDOUT:
        return None
    costs = Path(path).with_name(f"{Path(path).name.partition('.')[0]}_costs.csv")
    with open_output(str(costs)) as file:
        file.write(text.encode())
    return str(costs)
