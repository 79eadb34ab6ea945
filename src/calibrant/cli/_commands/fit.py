"""The command ``calibrant fit``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibrant.cli._app.completion import complete_columns
from calibrant.cli._app.options import Json, usage_error
from calibrant.cli._app.printing import print_json, print_note, print_text
from calibrant.cli._app.reading import STDIN, read_table
from calibrant.cli._app.writing import STDOUT, write_errors

if TYPE_CHECKING:
    from calibrant.cli._models.fit_table import FittedTable
    from calibrant.files import ModelDescription

__all__ = ["fit"]

_DATA = "A file (CSV, Parquet, ARFF, C4.5), a data set by name, or - for standard input."
_METHOD = (
    "probability, base_rate, naive_bayes, logistic, tree, forest, b_pets, eb_pets, mob_esp, boosted, stumps, "
    "lazy_trees, neighbors, neural_net, svm, or an import path such as sklearn.naive_bayes.GaussianNB."
)
_PARAM = "A parameter of the method, such as max_depth=3; again for more."
_CALIBRATE = "Calibrate by auto, platt, isotonic, beta, venn_abers, temperature, …, fitted to held-out rows."
_GROUPS = "The column of rows that belong together, such as the patient."
_ESTIMATE = "Cross-validate (5 folds) for the score to expect, of methods that do not know it themselves."


def fit(
    data: Annotated[str, typer.Argument(metavar="DATA", help=_DATA)],
    out: Annotated[str, typer.Option(metavar="MODEL", help="The model file, such as model.calibrant.")],
    target: Annotated[
        str | None,
        typer.Option(metavar="COL", help="The class column; by default the last one.", autocompletion=complete_columns),
    ] = None,
    method: Annotated[str, typer.Option(help=_METHOD)] = "probability",
    param: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help=_PARAM)] = None,
    calibrate: Annotated[str | None, typer.Option(metavar="CALIBRATOR", help=_CALIBRATE)] = None,
    positive: Annotated[str | None, typer.Option(metavar="CLASS", help="The class of interest, of two.")] = None,
    nominal: Annotated[
        list[str] | None, typer.Option(metavar="COL", help="A column of numbers that are categories; again for more.")
    ] = None,
    weight: Annotated[str | None, typer.Option(metavar="COL", help="The weight of each row.")] = None,
    groups: Annotated[str | None, typer.Option(metavar="COL", help=_GROUPS)] = None,
    estimate: Annotated[bool, typer.Option("--estimate", help=_ESTIMATE)] = False,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the method and of folds.")] = 0,
    compress: Annotated[bool, typer.Option("--compress", help="Write a smaller file.")] = False,
    as_json: Json = False,
) -> None:
    """Fit a method to a table and write the model to a file.

    $ calibrant fit donors.csv --target gives --out model.calibrant
    $ calibrant fit donors.csv --target gives --method forest --calibrate auto --out forest.calibrant
    $ calibrant fit donors.csv --target gives --method tree --param honest=true --param min_leaf=20 --out tree.calibrant

    Columns with a different value in every row look like ids and are left out. The file holds no code: what it says of
    itself is printed by calibrant inspect.
    """
    if out == STDOUT:
        raise usage_error("a model file is not text; name a file.", "--out")
    from calibrant.cli._models.fit_table import fit_table
    from calibrant.cli._models.methods import make_method
    from calibrant.files import save

    estimator = make_method(method, param or [], calibrate, seed)
    source: Any = read_table(STDIN, target=target, nominal=nominal, drop_ids=True) if data == STDIN else data
    options: dict[str, Any] = {"target": target, "positive": positive, "nominal": nominal, "weight": weight}
    found = fit_table(source, estimator, groups=groups, seed=seed, estimate=estimate, **options)
    is_own = hasattr(found.model, "expected_log_loss_") and not estimate  # which the file has by itself
    with write_errors(out):
        described = save(
            found.model, out, compress=compress, made_from=found.table, expected=None if is_own else found.expected
        )
    if as_json:
        made = {
            "n_bytes": described.n_bytes,
            "fingerprint": described.made_from.fingerprint,
            "sha256": described.sha256,
        }
        print_json({"data": data, "out": out, "seed": seed, **made, **_document(found)})
    else:
        _print(found, out, described, seed)


def _document(found: FittedTable) -> dict[str, Any]:
    expected = found.expected
    return {
        "method": " ".join(repr(found.model).split("\n")[0].split()),
        "table": found.table.name,
        "n_rows": found.table.n_rows,
        "target": found.compared.target,
        "groups": found.compared.groups_column,
        "weight": found.weight,
        "classes": found.table.class_counts,
        "kinds": dict(found.table.kinds),
        "left_out": [] if found.table.extra is None else [str(name) for name in found.table.extra],
        "expected": None if expected is None else {**vars(expected), "how": found.how},
        "notes": [*found.table.notes, *found.notes],
    }


def _print(found: FittedTable, out: str, described: ModelDescription, seed: int) -> None:
    for line in found.compared.lines:
        print_text(line)
    if found.weight is not None:
        print_text(f"weights: {found.weight!r}")
    print_text(f"method: {' '.join(repr(found.model).split(chr(10))[0].split())} (seed {seed})")
    if found.expected is not None:
        print_text(f"expected {found.expected}, {found.how}")
    else:
        print_note(
            "Note: the score to expect is not known; --estimate cross-validates, calibrant compare ranks methods."
        )
    for note in (*found.notes, *described.notes):
        print_note(f"Note: {note}")
    print_text(f"{out}: {described.n_bytes:,} bytes")
