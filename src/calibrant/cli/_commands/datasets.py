"""Named data sets: list them, describe one, write one to a file."""

from __future__ import annotations

from dataclasses import asdict

import typer

from calibrant.cli._app.options import Json
from calibrant.cli._app.printing import print_json, print_table

__all__ = ["app"]

app = typer.Typer()


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List the data sets: files at hand, data that packages include, and the papers' tasks."""
    from calibrant.data import list_datasets

    found = list_datasets().entries
    if as_json:
        print_json([asdict(entry) for entry in found])
        return
    columns = ["name", "rows", "features", "classes", "positive", "papers", "where"]
    print_table(
        columns,
        ([getattr(entry, name) for name in columns] for entry in found),
        left=["name", "positive", "papers", "where"],
    )
