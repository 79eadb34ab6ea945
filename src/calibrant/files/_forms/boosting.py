"""Forms of boosted trees, boosted stumps and gradient boosting."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant import _core
from calibrant._saved.arrays import Array, Bytes
from calibrant._saved.fields import Field, Integer, ListOf, Maybe, Number, Text
from calibrant._saved.form import Form
from calibrant._saved.values import Object
from calibrant.ensembles import BoostedStumpsClassifier, BoostedTreesClassifier
from calibrant.ensembles._internal import (
    BOOSTED_STUMP_RULES,
    BOOSTED_TREE_RULES,
    BoostingRun,
    GradientBoostedFolds,
    StumpMember,
    TreeMember,
    stack_stumps,
)
from calibrant.estimates._internal import ESTIMATE
from calibrant.exceptions import ModelFileError
from calibrant.files._forms.data import COLUMNS, check_columns
from calibrant.files._forms.legacy import Optional_, estimator_form
from calibrant.files._forms.tree_fields import NarrowFloats, Trees, check_order, same_table
from calibrant.files._forms.trees import check_reading, check_same_columns
from calibrant.trees._internal import TreeReading

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BOOSTING_FORMS"]

# The rounds of a boosted classifier. Without its rows a run cannot be continued, and is not recognised.
_RUN: dict[str, Field] = {
    "seed": Object("random.SeedSequence"),
    "estimator_weights_": Array("f8", finite=True, low=0, high=1e100),
    "errors_": Array("f8", finite=True, low=0, high=1),
    "stopped_": Optional_(Text("perfect", "weak")),
    "order": Array("i8"),
    "rows": Maybe(Bytes()),
    "row_weights": Maybe(NarrowFloats()),
}
_RULES_ARRAYS = {
    "is_nominal": "u1",
    "n_bins": "u2",
    "first_cut": "u4",
    "cuts": "f8",
    "first_category": "u4",
    "bin_of_category": "u1",
}
_TREES_ARRAYS = {
    "first_node": "u4",
    "first_leaf": "u4",
    "score": "u2",
    "column": "u4",
    "cut": "u1",
    "also": "u1",
    "set_index": "i4",
    "kept_leaves": "u8",
    "values": "f8",
    "sets": "u8",
}
_MODEL_ARRAYS = {"first_tree": "u4", "start": "f8", "n_rounds": "u4"}


def _take_run(model: Any, training_rows: bool) -> dict[str, Any]:
    """Return the columns of a boosted classifier and the rounds of its run, without their members."""
    names = (*COLUMNS, "estimator_weights_", "errors_", "stopped_")
    values = {name: getattr(model, name) for name in names if hasattr(model, name)}
    values |= {"seed": model._run.seed, "order": model._order}
    if not training_rows:
        return values
    if model._run.row_weights is None:
        raise ModelFileError("was loaded without its training rows, or fitted to a source: save it without them")
    return {**values, "rows": model._run.rows, "row_weights": model._run.row_weights}


def _finish_run(model: Any, values: dict[str, Any], members: list[Any]) -> None:
    """Set the columns and the run of a boosted classifier."""
    names = (*COLUMNS, "estimator_weights_", "errors_", "stopped_")
    vars(model).update({name: values[name] for name in names if name in values})
    weights, errors, row_weights = model.estimator_weights_, model.errors_, values.get("row_weights")
    check_order(values["order"], len(model.classes_))
    if not weights.sum() > 0:
        raise ModelFileError("has members without weight")
    if not len(members) == len(weights) == len(errors) or ("rows" in values) != (row_weights is not None):
        raise ModelFileError("has weights of other members")
    if row_weights is not None:
        row_weights = np.array(row_weights)  # which the next round changes
    rounds = {"members": members, "weights": weights.tolist(), "errors": errors.tolist(), "stopped": model.stopped_}
    model._run = BoostingRun(values["seed"], values.get("rows", b""), **rounds, row_weights=row_weights)
    model._order = values["order"]


def _take_trees(model: BoostedTreesClassifier, training_rows: bool) -> dict[str, Any]:
    if "_run" not in vars(model):
        return {}
    members: list[TreeMember] = model._run.members
    is_recomputed = all(same_table(member.tree, member.reading, model) for member in members)
    return {
        **_take_run(model, training_rows),
        "trees": tuple(member.tree for member in members),
        "estimates": [member.reading.estimate for member in members],
        "readers": [member.reading.reader for member in members],
        "tables": None if is_recomputed else [member.reading.table for member in members],
    }


def _finish_trees(model: BoostedTreesClassifier, values: dict[str, Any]) -> None:
    trees, estimates, readers, tables = (values[name] for name in ("trees", "estimates", "readers", "tables"))
    if not len(trees) == len(estimates) == len(readers) or (tables is not None and len(tables) != len(trees)):
        raise ModelFileError("has readings of other trees")
    readings = [
        TreeReading.stored(tree, estimate, reader, model)
        for tree, estimate, reader in zip(trees, estimates, readers, strict=True)
    ]
    if tables is not None:
        readings = [TreeReading(old.estimate, table, old.reader) for old, table in zip(readings, tables, strict=True)]
    _finish_run(model, values, [TreeMember(*pair) for pair in zip(trees, readings, strict=True)])
    model.trees_ = list(trees)
    check_same_columns(model._schema, model.classes_, trees[0])
    for tree, reading in zip(trees, readings, strict=True):
        check_reading(tree, reading)


def _take_stumps(model: BoostedStumpsClassifier, training_rows: bool) -> dict[str, Any]:
    if "_run" not in vars(model):
        return {}
    members: list[StumpMember] = model._run.members
    arrays = {name: np.array([getattr(member, name) for member in members]) for name in StumpMember._fields}
    for name in ("feature", "category"):
        arrays[name] = arrays[name].astype(np.int32)
    return {**_take_run(model, training_rows), **arrays}


def _finish_stumps(model: BoostedStumpsClassifier, values: dict[str, Any]) -> None:
    arrays = [values[name] for name in StumpMember._fields]
    n_stumps, n_classes = len(arrays[0]), len(values["classes_"])
    if n_stumps == 0 or any(len(array) != n_stumps for array in arrays):
        raise ModelFileError("has arrays of different numbers of stumps")
    if values["counts"].shape != (n_stumps, 3, n_classes) or values["proba"].shape != (n_stumps, 3, n_classes):
        raise ModelFileError("has counts of other branches or classes")
    if not np.allclose(values["proba"].sum(axis=2), 1.0, rtol=0, atol=1e-6):
        raise ModelFileError("has probabilities that do not sum to 1")
    _check_tests(values["feature"], values["threshold"], values["category"], values["_schema"])
    rows = zip(*(array.tolist() for array in arrays[:4]), *arrays[4:], strict=True)
    members = [StumpMember(*row) for row in rows]
    _finish_run(model, values, members)
    like_examples: Any = SimpleNamespace(order=values["order"], table=SimpleNamespace(schema=values["_schema"]))
    model.stumps_ = stack_stumps(members, like_examples)
    model._proba = np.stack([member.proba for member in members])


def _check_tests(feature: NDArray[Any], threshold: NDArray[Any], category: NDArray[Any], schema: Any) -> None:
    """Raise unless numeric columns have thresholds, and nominal ones categories that exist."""
    n_categories = np.array([len(each.categories) if each.kind == "nominal" else 0 for each in schema.features])
    if ((feature < -1) | (feature >= len(n_categories))).any():
        raise ModelFileError("has a test of a column that does not exist")
    n = np.where(feature >= 0, n_categories[feature], 0)
    is_nominal = (feature >= 0) & np.array([each.kind == "nominal" for each in schema.features])[feature]
    is_numeric = (feature >= 0) & ~is_nominal
    if (np.isnan(threshold) & is_numeric).any() or (is_nominal & ((category < 0) | (category >= n))).any():
        raise ModelFileError("has a test without a threshold, or of a category that does not exist")
    if (category[~is_nominal] != -1).any():
        raise ModelFileError("has a category of a numeric column")


def _take_folds(folds: GradientBoostedFolds, training_rows: bool) -> dict[str, Any]:
    n_classes, rules, trees, *model = folds.core.__getstate__()
    values = {"n_classes": n_classes, "order": folds.order, "seconds": folds.seconds}
    names = (*_RULES_ARRAYS, *(f"tree_{name}" for name in _TREES_ARRAYS), *_MODEL_ARRAYS)
    values |= dict(zip(names, (*rules, *trees, *model), strict=True))
    return {**values, "held_out_proba": folds.held_out_proba} if training_rows else values


def _make_folds(values: dict[str, Any]) -> GradientBoostedFolds:
    rules = tuple(np.ascontiguousarray(values[name]) for name in _RULES_ARRAYS)
    trees = tuple(np.ascontiguousarray(values[f"tree_{name}"]) for name in _TREES_ARRAYS)
    model = tuple(np.ascontiguousarray(values[name]) for name in _MODEL_ARRAYS)
    core: Any = _core.GradientFolds.__new__(_core.GradientFolds)
    try:
        core.__setstate__((values["n_classes"], rules, trees, *model))
    except (ValueError, TypeError) as error:
        raise ModelFileError(f"holds no models: {error}") from None
    check_order(values["order"], values["n_classes"])
    folds: GradientBoostedFolds = object.__new__(GradientBoostedFolds)
    kept = ("order", "seconds", "held_out_proba")
    vars(folds).update({name: values[name] for name in kept if name in values}, core=core)
    return folds


def _core_arrays() -> dict[str, Field]:
    named = {**_RULES_ARRAYS, **{f"tree_{name}": kind for name, kind in _TREES_ARRAYS.items()}, **_MODEL_ARRAYS}
    return {name: Array(kind, ndim=2 if name == "tree_sets" else 1) for name, kind in named.items()}


BOOSTING_FORMS = (
    estimator_form(
        "ensembles.BoostedTreesClassifier",
        BoostedTreesClassifier,
        {
            **COLUMNS,
            **_RUN,
            "trees": Trees(),
            "estimates": ListOf(ESTIMATE),
            "readers": ListOf(Optional_(Object("trees.NodeReader"))),
            "tables": Optional_(ListOf(Array("f8", ndim=2, finite=True, low=0, high=1))),
        },
        take=_take_trees,
        finish=_finish_trees,
        check=check_columns,
        rules=BOOSTED_TREE_RULES,
    ),
    estimator_form(
        "ensembles.BoostedStumpsClassifier",
        BoostedStumpsClassifier,
        {
            **COLUMNS,
            **_RUN,
            "feature": Array("i4"),
            "threshold": Array("f8"),
            "category": Array("i4"),
            "gain": Array("f8", finite=True),
            "counts": NarrowFloats(ndim=3),
            "proba": Array("f8", ndim=3, finite=True, low=0, high=1),
        },
        take=_take_stumps,
        finish=_finish_stumps,
        check=check_columns,
        rules=BOOSTED_STUMP_RULES,
    ),
    Form(
        "ensembles.GradientBoostedFolds",
        GradientBoostedFolds,
        {
            "n_classes": Integer(2, 65_535),
            **_core_arrays(),
            "order": Array("i8"),
            "seconds": Number(0),
            "held_out_proba": Maybe(Array("f8", ndim=2, low=0, high=1)),
        },
        take=_take_folds,
        make=_make_folds,
    ),
)
