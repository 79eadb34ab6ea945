"""A table of predictions, read: actual classes, the probabilities of each model, and the other columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from calibrant.cli._app.errors import as_command_line
from calibrant.cli._app.files import STDIN, read_all_columns
from calibrant.cli._app.options import usage_error
from calibrant.cli._app.printing import print_note
from calibrant.cli._predictions.columns import (
    PREFIX,
    ModelColumns,
    find_models,
    likely_probabilities,
    likely_targets,
    note_of_class,
    proposal,
)
from calibrant.exceptions import DataError, SchemaError, nearest

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

_MOST_CLASSES = 1000
_SOME_CLASSES = 20  # that a short table may have, too


@dataclass(frozen=True, eq=False)
class PredictionTable:
    """The rows of a file: classes, columns and probabilities of models, and what is to be said about them."""

    path: str
    target: str
    frame: pd.DataFrame
    y: pd.Series[Any]
    classes: tuple[Any, ...]
    models: tuple[ModelColumns, ...]
    probas: dict[str, NDArray[np.float64]]
    notes: tuple[str, ...]

    def column(self, name: str | None) -> Any:
        """Return a column of the file; None for no name."""
        return None if name is None else self.frame[name]


def read_predictions(
    path: str,
    target: str | None,
    proba: Sequence[str],
    positive: str | None,
    *,
    scale: str = "auto",
    columns: Iterable[str | None] = (),
    reading: Mapping[str, Any] | None = None,
) -> PredictionTable:
    """Read a table of predictions by the options of a command; `columns` are further ones that it names.

    Probabilities in percent or as log-odds are converted, and what was taken as what is printed as a note.
    """
    table = read_all_columns(path, **(reading or {}))
    frame, percent = table.X, () if table.reading is None else table.reading.percent
    y = frame[_target(frame, target, path)].rename(target)
    frame = frame.drop(columns=[target])
    names = [str(name) for name in frame]
    for named in columns:
        if named is not None and named not in names:
            raise SchemaError(f"there is no column {named!r}.{nearest(named, names)}")
    classes = _classes(y, positive, frame)
    if not proba and not any(name.startswith(PREFIX) for name in names):
        raise usage_error(_which_probabilities(frame), "--proba")
    if target in proba and target not in names:
        raise usage_error(f"{target!r} is the column of the actual classes, not one of probabilities.", "--proba")
    models = find_models(proba, names, classes, positive)
    signed = {each.name for each in models if scale == "auto" and {*each.columns} <= {*percent}}
    scaled = {each.name: _scaled(frame, each, "percent" if each.name in signed else scale) for each in models}
    notes = [
        as_command_line(note.replace('scale="percent"', "its percent signs") if name in signed else note)
        for name, each in scaled.items()
        for note in each.notes
    ]
    notes += [note for model in models if positive is None and (note := note_of_class(model, classes))]
    for note in notes:
        print_note(f"Note: {note[0].lower()}{note[1:]}")
    probas = {name: each.proba for name, each in scaled.items()}
    return PredictionTable(path, str(target), frame, y, tuple(classes), tuple(models), probas, tuple(notes))


def _target(frame: pd.DataFrame, target: str | None, path: str) -> str:
    """Return the column of the actual classes; raise with those that may be meant."""
    names = [str(name) for name in frame]
    if target in names:
        return str(target)
    proposed = proposal("--target", likely_targets(frame), "the class")
    shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    if target is None:
        raise usage_error(f"name the column of the actual classes.{proposed or f' There are {shown}.'}", "--target")
    hint = nearest(target, names) or proposed or f" There are {shown}."
    where = "standard input" if path == STDIN else path
    raise SchemaError(f"{where} has no column {target!r} for the class.{hint}")


def _which_probabilities(frame: pd.DataFrame) -> str:
    names = [str(name) for name in frame]
    shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    proposed = proposal("--proba", likely_probabilities(frame), "probabilities")
    return f"there is no column {PREFIX}*; name that of the probabilities.{proposed or f' There are {shown}.'}"


def _classes(y: pd.Series[Any], positive: str | None, others: pd.DataFrame) -> list[Any]:
    """Return the classes, sorted; raise if there is one alone, or if they look like an id or an amount."""
    classes = sorted(y.dropna().unique().tolist())
    if not classes:
        raise DataError(f"column {y.name!r} is empty in every row. Check --target.")
    if len(classes) == 1:
        raise DataError(
            f"column {y.name!r} is {classes[0]!r} in every row, and scores need two classes at least. Check --target, "
            "or add rows of other classes."
        )
    if len(classes) > min(_MOST_CLASSES, max(_SOME_CLASSES, len(y) // 2)) and positive is None:
        proposed = proposal("--target", likely_targets(others), "the class")
        raise DataError(
            f"column {y.name!r} has {len(classes):,} different values: is it an id or an amount? Check --target, or "
            f"pass --positive for one class against all others.{proposed}"
        )
    return classes


def _scaled(frame: pd.DataFrame, model: ModelColumns, scale: str) -> Any:
    from calibrant.metrics import to_probabilities

    columns = list(model.columns)
    return to_probabilities(frame[columns[0]] if len(columns) == 1 else frame[columns], scale=scale)
