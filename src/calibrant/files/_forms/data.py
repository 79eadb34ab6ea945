"""Forms of the schema of a fitted table."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant.data._internal import Feature, Schema, StandardDesign
from calibrant.exceptions import ModelFileError
from calibrant.files._codec.arrays import Array, LabelArray
from calibrant.files._codec.fields import Field, Flag, Integer, Maybe, Struct, Text, TupleOf
from calibrant.files._codec.form import Form
from calibrant.files._codec.texts import Values
from calibrant.files._codec.values import Object

__all__ = ["COLUMNS", "FORMS", "STANDARD_DESIGN", "check_columns", "check_standard_design", "taken_columns"]

_HASHED, _MAX_LARGE = 2**61 - 2, 10_000  # larger ints share hashes, and a dict of many then takes forever
_CATEGORY_TYPES = ({str}, {bool}, {int, float})

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


def _check_schema(schema: Schema) -> None:
    names = [feature.name for feature in schema.features]
    if len(set(names)) != len(names):
        raise ModelFileError("has a column twice")
    for feature in schema.features:
        _check_categories(feature)


def _check_categories(feature: Feature) -> None:
    values = feature.categories
    if not any({type(value) for value in values} <= one for one in _CATEGORY_TYPES):
        raise ModelFileError(f"has categories of {feature.name!r:.60} that are not all strings, or all numbers")
    if sum(type(value) is int and abs(value) > _HASHED for value in values) > _MAX_LARGE:
        raise ModelFileError(f"has more than {_MAX_LARGE:,} categories of {feature.name!r:.60} beyond 2**61")
    if len(set(values)) != len(values) or (feature.kind == "numeric" and values):
        raise ModelFileError(f"has categories of {feature.name!r:.60} twice, or of a numeric column")


_FEATURE = Struct(
    Feature,
    {
        "name": Text(),
        "kind": Text("numeric", "nominal"),
        "categories": Values(),
        "declared": Flag(),
        "measure": Text("", "numbers", "dates", "durations", "times of day"),
    },
)

FORMS = (Form("data.Schema", Schema, {"features": TupleOf(_FEATURE, least=1), "named": Flag()}, check=_check_schema),)
