"""Forms of blends: their members, the pool and its calibration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from calibrant._saved.arrays import Array, LabelArray
from calibrant._saved.fields import Flag, Integer, MapOf, Maybe, Number, Text, TupleOf
from calibrant._saved.form import Form
from calibrant._saved.values import Object
from calibrant.blending import ExpectedLoss, Member, ProbabilityClassifier
from calibrant.blending._internal import (
    PROBABILITY_CLASSIFIER_RULES,
    BayesModel,
    Blend,
    BlendSample,
    EstimatorModel,
    FittedMember,
    LogLinearPool,
    MemberMap,
    PoolCalibrator,
    TreesModel,
)
from calibrant.calibration._internal import ReplaceCertain
from calibrant.files._forms.calibration import AUTO_FIELDS, check_auto
from calibrant.files._forms.data import COLUMNS, check_columns
from calibrant.files._forms.legacy import Optional_, Struct, estimator_form
from calibrant.files._forms.score_maps import need
from calibrant.files._forms.tree_fields import Trees
from calibrant.linear._internal import LogisticModel

__all__ = ["FORMS"]

_LARGE = 1e150  # products of two such numbers are finite
_TABLE = Array("f8", ndim=2, finite=True, low=0, high=1)
_MODELS = Object(
    "blending.BayesModel",
    "blending.EstimatorModel",
    "blending.TreesModel",
    "ensembles.GradientBoostedFolds",
    "linear.LogisticModel",
)
_CERTAIN = Struct(ReplaceCertain, {"floor": Number(0, 1), "ceiling": Number(0, 1)})
_MAP = Struct(MemberMap, {"certain": _CERTAIN, "inverse_temperature": Number(0, 1e50)})
_TRIED = Struct(
    Member,
    {
        "name": Text(),
        "family": Text(),
        "weight": Number(0),
        "log_loss": Number(finite=False),
        "seconds": Number(0),
        "note": Text(),
    },
)
_EXPECTED = Struct(
    ExpectedLoss,
    {"value": Number(0), "low": Number(0), "high": Number(0), "confidence": Number(0, 1), "n_rows": Number(0)},
)


def _take_member(member: FittedMember, training_rows: bool) -> Mapping[str, Any]:
    names = ("family", "readings", "model", "note", "seconds")
    return {name: getattr(member, name) for name in names} | ({"held_out": member.held_out} if training_rows else {})


def _make_member(values: dict[str, Any]) -> FittedMember:
    return FittedMember(**{"held_out": (), **values})


def _take_blend(blend: Blend, training_rows: bool) -> Mapping[str, Any]:
    names = ("members", "pool", "calibrator", "expected", "tried")
    return {name: getattr(blend, name) for name in names} | ({"held_out": blend.held_out} if training_rows else {})


def _make_blend(values: dict[str, Any]) -> Blend:
    return Blend(**{"held_out": np.empty((0, len(values["pool"].bias))), **values})


def _check_blend(blend: Blend) -> None:
    n_readings, n_classes = sum(len(member.readings) for member in blend.members), len(blend.pool.bias)
    need(len(blend.pool.maps) == len(blend.pool.weights) == n_readings, "has other weights than members")
    need(all(each.certain.floor <= each.certain.ceiling for each in blend.pool.maps), "has a floor above the ceiling")
    need(n_classes >= 1 and (blend.calibrator is None) == (n_classes == 1), "lacks its calibration")
    if blend.calibrator is not None:
        columns = 1 if n_classes == 2 else n_classes
        fits = len(blend.calibrator.classes_) == n_classes and blend.calibrator.n_columns_ == columns
        need(fits and blend.calibrator.mended_ is not None, "has a calibration of other classes")


def _check_estimator(model: EstimatorModel, classes: np.ndarray) -> None:
    own = np.asarray(getattr(model.estimator, "classes_", ())).tolist()
    need(model.classes.tolist() == classes.tolist(), "has a member of other classes")
    need(
        len(own) >= 1 and own == [label for label in classes.tolist() if label in own], "has a member of other classes"
    )


def _check_folds(folds: Any, schema: Any, n_classes: int) -> None:
    _, (is_nominal, _, _, _, first_category, _), *_ = folds.core.__getstate__()
    kinds = [feature.kind == "nominal" for feature in schema.features]
    need(len(folds.order) == n_classes and is_nominal.astype(bool).tolist() == kinds, "has a member of other columns")
    sizes = zip(schema.features, np.diff(first_category).tolist(), strict=True)
    need(all(size == len(feature.categories) for feature, size in sizes), "has a member of other categories")


def _check_member(member: FittedMember, model: ProbabilityClassifier) -> None:
    part: Any = member.model
    n_classes, schema, n_readings = len(model.classes_), model._schema, 1
    if isinstance(part, LogisticModel):
        part.check_loaded(schema, n_classes)
    elif isinstance(part, BayesModel):
        need(part.classifier._schema.features == schema.features, "has a member of other columns")
        need(len(part.classifier.classes_) == n_classes, "has a member of other classes")
    elif isinstance(part, EstimatorModel):
        _check_estimator(part, model.classes_)
    elif isinstance(part, TreesModel):
        n_readings = part.n_readings
        _check_trees(part, schema, model.classes_)
    else:
        _check_folds(part, schema, n_classes)
    need(len(member.readings) == n_readings, "has a member of other readings")


def _check(model: ProbabilityClassifier) -> None:
    check_columns(model)
    need(len(model._blend.pool.bias) == len(model.classes_), "has a blend of other classes")
    for member in model._blend.members:
        _check_member(member, model)


def _take_tables(model: TreesModel, _: bool) -> dict[str, Any]:
    return vars(model) | {"tables": np.concatenate(model.tables)}


def _make_tables(values: dict[str, Any]) -> TreesModel:
    trees, table = values["trees"], values["tables"]
    ends = np.cumsum([tree.n_nodes for tree in trees])
    need(ends[-1] == len(table), "has other probabilities than nodes")
    return TreesModel(**values | {"tables": tuple(np.split(table, ends[:-1]))})


def _check_trees(model: TreesModel, schema: Any, classes: np.ndarray) -> None:
    first = model.trees[0]
    need(first.schema.features == schema.features, "has trees of other columns")
    need(first.classes.tolist() == classes.tolist(), "has trees of other classes")
    need(model.tables[0].shape[1] == model.n_readings * len(classes), "has probabilities of other classes")


_PIECES = Array("i8", low=0)

FORMS: tuple[Form, ...] = (
    estimator_form(
        "blending.PoolCalibrator", PoolCalibrator, AUTO_FIELDS, check=check_auto, rules=PoolCalibrator._rules
    ),
    Form("blending.BayesModel", BayesModel, {"classifier": Object("bayes.NaiveBayesClassifier")}),
    Form("blending.EstimatorModel", EstimatorModel, {"estimator": Object(), "classes": LabelArray()}),
    Form(
        "blending.TreesModel",
        TreesModel,
        {
            "trees": Trees(),
            "tables": Array("f8", ndim=2, finite=True, low=-1e4, high=1e4),
            "n_readings": Integer(1, 100),
            "is_log": Flag(),
        },
        take=_take_tables,
        make=_make_tables,
    ),
    Form(
        "blending.FittedMember",
        FittedMember,
        {
            "family": Text(),
            "readings": TupleOf(Text(), least=1),
            "held_out": Maybe(TupleOf(_TABLE)),
            "model": _MODELS,
            "note": Text(),
            "seconds": Number(0),
        },
        take=_take_member,
        make=_make_member,
    ),
    Form(
        "blending.Blend",
        Blend,
        {
            "members": TupleOf(Object("blending.FittedMember")),
            "pool": Struct(
                LogLinearPool,
                {
                    "maps": TupleOf(_MAP),
                    "weights": Array("f8", finite=True, low=0, high=1e50),
                    "bias": Array("f8", finite=True, low=-_LARGE, high=_LARGE),
                },
            ),
            "calibrator": Optional_(Object("blending.PoolCalibrator")),
            "held_out": Maybe(_TABLE),
            "expected": _EXPECTED,
            "tried": TupleOf(_TRIED),
        },
        take=_take_blend,
        make=_make_blend,
        check=_check_blend,
    ),
    Form(
        "blending.BlendSample",
        BlendSample,
        {
            "rows": _PIECES,
            "weight": Array("f8", finite=True, low=0),
            "fold": _PIECES,
            "codes": _PIECES,
            "n_classes": Integer(1),
            "pieces": _PIECES,
            "groups": Optional_(_PIECES),
        },
    ),
    estimator_form(
        "blending.ProbabilityClassifier",
        ProbabilityClassifier,
        {
            **COLUMNS,
            "_blend": Object("blending.Blend"),
            "left_out_": MapOf(Text()),
            "_sample": Maybe(Object("blending.BlendSample")),
            "_examples": Maybe(Object("trees.Examples", "trees.ExamplesWithoutRows")),
        },
        with_rows=("_sample", "_examples"),
        check=_check,
        rules=PROBABILITY_CLASSIFIER_RULES,
    ),
)
