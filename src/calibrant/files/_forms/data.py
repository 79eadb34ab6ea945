"""Forms of the schema of a fitted table."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant._saved.arrays import Array, LabelArray
from calibrant._saved.fields import Field, Integer, Maybe, TupleOf
from calibrant._saved.values import Object
from calibrant.data._internal import Schema, StandardDesign
from calibrant.exceptions import ModelFileError
from calibrant.files._forms.legacy import Struct

__all__ = ["COLUMNS", "FORMS", "STANDARD_DESIGN", "check_columns", "check_standard_design", "taken_columns"]


# The fields of every classifier that is fitted to a table.
COLUMNS: dict[str, Field] = {
    "_schema": Object("data.Schema"),
    "classes_": LabelArray(),
    "n_features_in_": Integer(1),
    "feature_names_in_": Maybe(LabelArray()),
}

STANDARD_DESIGN = Struct(
    StandardDesign,
    {
        "n_categories": TupleOf(Integer(-1, 2**31), least=1),
        "has_missing": Array("b"),
        "centre": Array("f8", finite=True),
        "factor": Array("f8", finite=True, low=0),
    },
)


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


def check_standard_design(design: StandardDesign, schema: Schema) -> None:
    """Raise unless a design has the terms of the columns of a schema."""
    sizes = tuple(len(each.categories) if each.kind == "nominal" else -1 for each in schema.features)
    if design.n_categories != sizes or len(design.has_missing) != len(sizes):
        raise ModelFileError("has a design of other columns")
    n_terms = sum(
        size if size >= 0 else 1 + is_double for size, is_double in zip(sizes, design.has_missing, strict=True)
    )
    if not len(design.centre) == len(design.factor) == n_terms or any(design.has_missing[np.array(sizes) >= 0]):
        raise ModelFileError("has a design of other terms than columns")


FORMS: tuple[Any, ...] = ()
