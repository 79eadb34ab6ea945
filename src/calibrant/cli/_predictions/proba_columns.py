"""The columns of a table that hold the probabilities of models, as ``--proba`` names them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from calibrant.cli._app.options import usage_error
from calibrant.cli._predictions.column_class import class_of_column
from calibrant.exceptions import DataError, SchemaError, nearest

__all__ = ["PREFIX", "ModelColumns", "find_class", "find_models", "note_of_class"]

PREFIX = "probability_"  # of the columns that `calibrant predict` writes


@dataclass(frozen=True)
class ModelColumns:
    """A model's columns and the class of each; a single one is that of the positive class."""

    name: str
    columns: tuple[str, ...]
    classes: tuple[Any, ...]

    @property
    def positive(self) -> Any:
        """The class of a single column; None where every class has one."""
        return self.classes[0] if len(self.columns) == 1 else None


def find_models(
    requested: Sequence[str], columns: Sequence[str], classes: Sequence[Any], positive: str | None
) -> list[ModelColumns]:
    """Return the models whose probabilities are requested.

    Parameters
    ----------
    requested : sequence of str
        ``COL``, ``NAME=COL``, ``PREFIX*``, ``NAME=PREFIX*``, or ``CLASS=COL`` for every class; none: the columns that
        `calibrant predict` writes.
    columns : sequence of str
        The columns of the table.
    classes : sequence
        The classes, sorted.
    positive : str, optional
        The class whose probability a single column holds; by default the last one.

    Returns
    -------
    list of ModelColumns
        A model for each request, or one model where each request is a class.

    Examples
    --------
    >>> find_models(["p", "new=q"], ["y", "p", "q"], ["no", "yes"], None)[1]
    ModelColumns(name='new', columns=('q',), classes=('yes',))
    >>> find_models(["p_*"], ["p_a", "p_b", "p_c"], ["a", "b", "c"], None)[0].classes
    ('a', 'b', 'c')
    """
    if not requested:
        requested = [_written_by_predict(columns)]
    pairs = [_split(text, columns) for text in requested]
    if len(pairs) > 1 and {name for name, _ in pairs} == {str(label) for label in classes}:
        named = dict(pairs)
        return [ModelColumns("model", tuple(_checked(named[str(label)], columns) for label in classes), tuple(classes))]
    models = [_model(name, column, columns, classes, positive) for name, column in pairs]
    names = [model.name for model in models]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise usage_error(f"{twice!r} is the name of two models; write --proba NAME=COL.", "--proba")
    return models


def find_class(text: str, classes: Iterable[Any]) -> Any:
    """Return the class that a text names, whatever its type.

    Examples
    --------
    >>> find_class("1", [0, 1]), find_class("1.0", [0, 1]), find_class("yes", ["no", "yes"])
    (1, 1, 'yes')
    """
    known = list(classes)
    same = [label for label in known if str(label) == text] or [label for label in known if _same_number(label, text)]
    if not same:
        shown = ", ".join(map(repr, known[:10])) + (", …" if len(known) > 10 else "")
        raise DataError(f"there is no class {text!r}; the classes are {shown}.{nearest(text, map(str, known))}")
    return same[0]


def note_of_class(model: ModelColumns, classes: Sequence[Any]) -> str:
    """Return a note on a column that is taken as the probability of another class than the last; else nothing.

    Examples
    --------
    >>> note_of_class(ModelColumns("p", ("p_yes",), ("yes",)), ["no", "yes"])
    ''
    >>> note_of_class(ModelColumns("p", ("p_no",), ("no",)), ["no", "yes"])
    "Column 'p_no' is taken as the probability of the class 'no', because of its name; pass --positive ..."
    """
    if len(model.columns) > 1 or model.positive == classes[-1]:
        return ""
    return (
        f"Column {model.columns[0]!r} is taken as the probability of the class {model.positive!r}, because of its "
        "name; pass --positive if it is that of another class."
    )


def _same_number(label: Any, text: str) -> bool:
    try:
        return not isinstance(label, str) and float(text) == float(label)
    except ValueError:
        return False


def _written_by_predict(columns: Sequence[str]) -> str:
    if not any(name.startswith(PREFIX) for name in columns):
        shown = ", ".join(columns[:20]) + (", …" if len(columns) > 20 else "")
        raise usage_error(
            f"there is no column {PREFIX}*; name that of the probabilities. There are {shown}.", "--proba"
        )
    return f"model={PREFIX}*"


def _split(text: str, columns: Sequence[str]) -> tuple[str, str]:
    """Return the name of a model and its column; a column may have "=" in its name."""
    name, equals, column = text.partition("=")
    if text in columns or not equals:
        return text.removesuffix("*").rstrip("_. ") or "model", text
    if not name or not column:
        raise usage_error(f"must be COL, NAME=COL or NAME=PREFIX*; got {text!r}.", "--proba")
    return name, column


def _model(
    name: str, column: str, columns: Sequence[str], classes: Sequence[Any], positive: str | None
) -> ModelColumns:
    if column.endswith("*") and column not in columns:
        return _by_prefix(name, column.removesuffix("*"), columns, classes)
    _checked(column, columns)
    named = None if positive is not None else class_of_column(column, classes)
    if named is not None or (positive is None and column.startswith(PREFIX)):
        return ModelColumns(name, (column,), (classes[-1] if named is None else named,))
    if positive is None and len(classes) > 2:
        raise usage_error(
            f"{column!r} is one column, and there are {len(classes):,} classes. Pass --positive for the class whose "
            "probability it holds, or the columns of all classes: --proba 'PREFIX*', or --proba CLASS=COL for each.",
            "--proba",
        )
    return ModelColumns(name, (column,), (classes[-1] if positive is None else find_class(positive, classes),))


def _by_prefix(name: str, prefix: str, columns: Sequence[str], classes: Sequence[Any]) -> ModelColumns:
    found = {column.removeprefix(prefix): column for column in columns if column.startswith(prefix)}
    by_class = {label: found[str(label)] for label in classes if str(label) in found}
    if not by_class:
        shown = ", ".join(map(str, classes[:10]))
        raise SchemaError(f"there is no column {prefix}CLASS for any of the classes {shown}. Name them by --proba.")
    if len(by_class) < len(classes) and len(by_class) > 1:
        without = ", ".join(str(label) for label in classes if label not in by_class)
        raise SchemaError(f"there is no column {prefix}CLASS for {without}, which the target has.")
    return ModelColumns(name, tuple(by_class.values()), tuple(by_class))


def _checked(column: str, columns: Sequence[str]) -> str:
    if column not in columns:
        raise SchemaError(f"there is no column {column!r} for the probabilities.{nearest(column, columns)}")
    return column
