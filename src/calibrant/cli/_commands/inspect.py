"""The command ``calibrant inspect``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibrant.cli._app.options import Json
from calibrant.cli._app.printing import print_json, print_note, print_table, print_text

if TYPE_CHECKING:
    from calibrant.files import ModelDescription

__all__ = ["inspect"]

_IMPORTANCES = "Print how much the model uses each column."
_TREE = "Print the tree as text; of a forest the first one."
_DEPTH = "Deepest level of the printed tree."


def inspect(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file.")],
    tree: Annotated[bool, typer.Option("--tree", help=_TREE)] = False,
    importances: Annotated[bool, typer.Option("--importances", help=_IMPORTANCES)] = False,
    depth: Annotated[int | None, typer.Option(min=1, help=_DEPTH)] = None,
    as_json: Json = False,
) -> None:
    """Describe a model file: what it is, its columns and classes, who made it from what, and how good it is.

    $ calibrant inspect model.calibrant
    $ calibrant inspect tree.calibrant --tree --importances

    Nothing of the file is run: one from a stranger can do no harm.
    """
    from calibrant.files import describe_model

    described = describe_model(model)
    parts = _parts(model, tree=tree, importances=importances, depth=depth)
    if as_json:
        print_json({"file": model, **_document(described), **parts})
        return
    _print_description(described)
    _print_parts(parts)


def _parts(path: str, **wanted: Any) -> dict[str, Any]:
    from calibrant.cli._models.model_parts import model_parts
    from calibrant.files import load_model

    return model_parts(load_model(path), **wanted)


def _document(described: ModelDescription) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(described)


def _print_description(described: ModelDescription) -> None:
    from calibrant.cli._models.description_text import column_rows, description_lines

    for line in description_lines(described):
        print_text(line)
    rows = column_rows(described.columns)
    if rows:
        print_text()
        print_table(["column", "kind", "values"], rows, left=["column", "kind", "values"])
    for note in described.notes:
        print_note(f"Note: {note}")


def _print_parts(parts: dict[str, Any]) -> None:
    for heading in ("calibration", "costs"):
        if heading in parts:
            print_text()
            print_text(f"{heading.capitalize()}: {parts[heading]}")
    for heading in ("members", "importances"):
        if heading in parts:
            rows = parts[heading]
            print_text()
            columns = list(rows[0]) if rows else []
            cells = [[_cell(value) for value in row.values()] for row in rows]
            print_table(columns, cells, left=[columns[0], "note"] if columns else [], title=heading.capitalize())
    if "tree" in parts:
        print_text()
        print_text(parts["tree"])


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)
