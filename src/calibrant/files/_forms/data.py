"""Forms of the schema of a fitted table."""

from __future__ import annotations

from typing import Any

from calibrant._saved.arrays import LabelArray
from calibrant._saved.fields import Field, Integer, Maybe
from calibrant._saved.values import Object
from calibrant.exceptions import ModelFileError

__all__ = ["COLUMNS", "FORMS", "check_columns", "taken_columns"]


# The fields of every classifier that is fitted to a table.
COLUMNS: dict[str, Field] = {
    "_schema": Object("data.Schema"),
    "classes_": LabelArray(),
    "n_features_in_": Integer(1),
    "feature_names_in_": Maybe(LabelArray()),
}


def taken_columns(model: Any) -> dict[str, Any]:
    """Return the columns and classes of a classifier; none where it is not fitted."""
    return {name: getattr(model, name) for name in COLUMNS if hasattr(model, name)}


def check_columns(estimator: Any) -> None:
    """Raise unless an estimator's columns and classes are those of its schema."""
    n_columns, names = len(estimator._schema.features), getattr(estimator, "feature_names_in_", None)
    if estimator.n_features_in_ != n_columns or (names is not None and names.tolist() != list(estimator._schema.names)):
        raise ModelFileError("has other columns than its schema")
    if len(set(estimator.classes_.tolist())) != len(estimator.classes_):
        raise ModelFileError("has a class twice")


FORMS: tuple[Any, ...] = ()
