"""The command ``calibrant inspect``."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibrant._repr import listed
from calibrant.cli._app.options import Json
from calibrant.cli._app.printing import print_json, print_note, print_table, print_text
from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    from calibrant.files import ColumnDescription, ModelDescription

_IMPORTANCES = "Print how much the model uses each column."
_TREE = "Print the tree as text; of a forest the first one."
_DEPTH = "Deepest level of the printed tree."
_MOST_CATEGORIES = 6
_MOST_CLASSES = 10
_MOST_WRAPPERS = 10


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
    from calibrant.files import describe_model, load_model

    described = describe_model(model)
    parts = _parts(load_model(model), tree=tree, importances=importances, depth=depth)
    if as_json:
        print_json({"file": model, **asdict(described), **parts})
    else:
        _print_description(described)
        _print_parts(parts)


def _print_description(described: ModelDescription) -> None:
    from calibrant.files import DataSource

    made_from = described.made_from
    by = f" by {described.made_by}" if described.made_by else ""
    versions = ", ".join(f"{name} {version}" for name, version in described.versions.items())
    print_text(f"model: {described.model}")
    print_text(f"made: {described.created.replace('T', ' ').replace('Z', ' UTC')}{by}, with {versions}")
    if made_from != DataSource():
        rows = "" if made_from.n_rows is None else f"{made_from.n_rows:,} rows of "
        digest = f" (fingerprint {made_from.fingerprint})" if made_from.fingerprint else ""
        print_text(f"from: {rows}{made_from.name or 'data without a name'}{digest}")
    if made_from.reading is not None and made_from.reading.text:
        print_text(f"read as: {made_from.reading.text}")
    for score in described.expected:
        print_text(f"expected: {score}")
    if described.classes:
        print_text(f"classes: {listed(map(str, described.classes), _MOST_CLASSES, ', ')}")
    print_text(f"file: {described.n_bytes:,} bytes, SHA-256 {described.sha256}")
    if described.columns:
        columns = ["column", "kind", "values"]
        print_text()
        print_table(columns, [[each.name, each.kind, _values(each)] for each in described.columns], left=columns)
    for note in described.notes:
        print_note(f"Note: {note}")


def _values(column: ColumnDescription) -> str:
    """Return the categories of a column, or what its numbers measure."""
    if column.kind == "numeric":
        return column.measure if column.measure not in ("", "numbers") else ""
    n = len(column.categories)
    return f"{n:,}: {listed(map(str, column.categories), _MOST_CATEGORIES, ', ')}" if n else "none"


def _print_parts(parts: dict[str, Any]) -> None:
    if "calibration" in parts:
        print_text()
        print_text(f"Calibration: {parts['calibration']}")
    for heading in ("members", "importances"):
        if heading in parts:
            rows = parts[heading]
            print_text()
            columns = list(rows[0]) if rows else []
            cells = [[f"{cell:.4g}" if isinstance(cell, float) else cell for cell in row.values()] for row in rows]
            print_table(columns, cells, left=[*columns[:1], "note"], title=heading.capitalize())
    if "tree" in parts:
        print_text()
        print_text(parts["tree"])


def _parts(model: Any, *, tree: bool, importances: bool, depth: int | None) -> dict[str, Any]:
    """Return the parts of a model that can be shown: those that cost nothing, and those that were requested."""
    parts: dict[str, Any] = {}
    if hasattr(model, "leaderboard"):
        frame = model.leaderboard()
        parts["members"] = [{"member": str(name), **row} for name, row in frame.to_dict("index").items()]
    calibration = _calibration(model)
    if calibration is not None:
        parts["calibration"] = calibration
    if importances:
        parts["importances"] = _importances(_base(model))
    if tree:
        parts["tree"] = _tree_text(_base(model), depth)
    return parts


def _calibration(model: Any) -> str | None:
    """Return the calibration map in words."""
    several = getattr(model, "calibrators_", None)
    if isinstance(several, list) and several:
        choice = getattr(several[0], "choice_", None)
        text = " ".join(repr(several[0]).split()) if choice is None else str(choice)
        return text if len(several) == 1 else f"{len(several)} maps, the first: {text}"
    choice = getattr(model, "calibration_", None)
    return None if choice is None else str(choice)


def _importances(model: Any) -> list[dict[str, Any]]:
    import numpy as np

    found = getattr(model, "feature_importances_", None)
    if found is None:
        raise ParameterError(
            f"importances: {type(model).__name__} does not know them; measure them in Python by "
            "sklearn.inspection.permutation_importance on labelled rows."
        )
    values = np.asarray(found, dtype=np.float64)
    names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(len(values))])
    order = np.argsort(-values, kind="stable")
    return [{"column": str(names[j]), "importance": float(values[j])} for j in order]


def _tree_text(model: Any, depth: int | None) -> str:
    """Return a tree as text; the first one of an ensemble with the frequencies of the rows that it was grown from."""
    import numpy as np

    from calibrant.trees._internal import Outline

    if hasattr(model, "export_text"):
        return str(model.export_text(max_depth=depth))
    trees = getattr(model, "trees_", None)
    if not trees:
        raise ParameterError(f"tree: {type(model).__name__} has no tree to print.")
    counts = np.asarray(trees[0].counts, dtype=np.float64)
    total = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, total, out=np.full_like(counts, 1 / counts.shape[1]), where=total > 0)
    return f"The first of {len(trees)} trees:\n{Outline.of(trees[0], shares).text(depth)}"


def _base(model: Any) -> Any:
    """Return the model inside a calibrated one or one of decisions."""
    for _ in range(_MOST_WRAPPERS):
        inner = getattr(model, "estimator_", None)
        if inner is None or not type(model).__module__.startswith("calibrant."):
            return model
        model = inner
    return model
