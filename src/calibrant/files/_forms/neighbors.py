"""Forms of the nearest-neighbour classifier, which holds its training rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant._saved.arrays import Array
from calibrant._saved.fields import Integer, Number, Text, TupleOf
from calibrant._saved.form import Form
from calibrant._saved.values import Object
from calibrant.files._forms.data import COLUMNS, check_columns
from calibrant.files._forms.legacy import Optional_, Struct, estimator_form
from calibrant.files._forms.score_maps import need
from calibrant.neighbors import NeighborsClassifier
from calibrant.neighbors._internal import NEIGHBORS_RULES, ColumnScaling, Neighbours, Points, Space

__all__ = ["FORMS"]

_LARGE = 1e150  # squares of such distances are finite
_SCALING = Struct(
    ColumnScaling,
    {
        "exponent": Integer(-1100, 1100),
        "centre": Number(-_LARGE, _LARGE),
        "unit": Number(1e-300),
        "factor": Number(0, 1e50),
        "low": Number(-_LARGE, _LARGE),
        "high": Number(-_LARGE, _LARGE),
    },
)
_POSITIONS = TupleOf(Integer(0, 2**31))
_SPACE = Struct(
    Space,
    {
        "scalings": TupleOf(_SCALING),
        "numeric": _POSITIONS,
        "nominal": _POSITIONS,
        "nominal_weights": TupleOf(Number(0, 1e50)),
        "n_categories": TupleOf(Integer(0, 2**31)),
    },
)


def _take(neighbours: Neighbours, _: bool) -> dict[str, Any]:
    """Return the rows, and how their index is built: it is built again when they are loaded."""
    index = neighbours.index
    return {
        "space": neighbours.space,
        "numbers": neighbours.points.numbers,
        "codes": neighbours.points.codes,
        "weights": neighbours.weights,
        "algorithm": None if index is None else index.algorithm,
    }


def _make(values: dict[str, Any]) -> Neighbours:
    space, numbers, codes, weights = (values[name] for name in ("space", "numbers", "codes", "weights"))
    _check_space(space)
    need(numbers.shape[1] == len(space.numeric) and codes.shape[1] == len(space.nominal), "has rows of other columns")
    need(len(numbers) == len(codes) >= 1 and (weights is None or len(weights) == len(codes)), "has rows without values")
    need(not np.isinf(numbers).any(), "has rows that are infinite")
    need(weights is None or weights.sum() > 0, "has rows without weight")
    sizes = np.array(space.n_categories, dtype=np.int64)
    need(bool((codes < sizes).all()), "has rows of categories that are not there")
    points = Points(numbers, codes)
    return Neighbours.of(space, points, weights, values["algorithm"] or "brute")


def _check_space(space: Space) -> None:
    need(len(space.scalings) == len(space.numeric), "has other scales than numeric columns")
    need(len(space.nominal) == len(space.nominal_weights) == len(space.n_categories), "has other weights than columns")
    columns = [*space.numeric, *space.nominal]
    need(len(set(columns)) == len(columns), "has a column twice")


def _check(model: NeighborsClassifier) -> None:
    check_columns(model)
    space, features, n_rows = model._neighbours.space, model._schema.features, len(model._neighbours.points)
    for kind, columns in (("numeric", space.numeric), ("nominal", space.nominal)):
        is_right = (column < len(features) and features[column].kind == kind for column in columns)
        need(all(is_right), "has columns that its table does not have")
    sizes = [len(features[column].categories) for column in space.nominal]
    need(sizes == list(space.n_categories), "has other categories than its table")
    need(len(model._labels) == len(model._positions) == n_rows, "has other classes than rows")
    is_there = np.array_equal(np.unique(model._labels), np.arange(len(model.classes_)))
    need(is_there, "has rows of a class that is not there, or a class without rows")
    need(len(model.attribute_weights_) == len(features), "has other weights than columns")


def _note(model: NeighborsClassifier) -> str:
    return f"holds {len(model._labels):,} training rows, from which it predicts"


FORMS = (
    Form(
        "neighbors.Neighbours",
        Neighbours,
        {
            "space": _SPACE,
            "numbers": Array("f8", ndim=2, low=-_LARGE, high=_LARGE),
            "codes": Array("i4", ndim=2, low=-1),
            "weights": Optional_(Array("f8", finite=True, low=0, high=_LARGE)),
            "algorithm": Optional_(Text("kd_tree", "ball_tree", "brute")),
        },
        take=_take,
        make=_make,
    ),
    estimator_form(
        "neighbors.NeighborsClassifier",
        NeighborsClassifier,
        {
            **COLUMNS,
            "_neighbours": Object("neighbors.Neighbours"),
            "_labels": Array("i4", low=0),
            "_positions": Array("i8", low=0),
            "attribute_weights_": Array("f8", finite=True, low=0, high=1e100),
        },
        check=_check,
        note=_note,
        rules=NEIGHBORS_RULES,
    ),
)
