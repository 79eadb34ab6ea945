"""Forms of blends: their members, the pool and its calibration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from calibrant.blending import ExpectedLoss, LogisticClassifier, Member, ProbabilityClassifier
from calibrant.blending._internal import (
    LOGISTIC_RULES,
    PROBABILITY_CLASSIFIER_RULES,
    BayesModel,
    Blend,
    BlendSample,
    BoostedModel,
    Coefficients,
    Design,
    EstimatorModel,
    FittedMember,
    ForestModel,
    GradientModel,
    KernelModel,
    LogisticModel,
    LogLinearPool,
    MemberMap,
    PoolCalibrator,
    SummedTables,
)
from calibrant.calibration._internal import ReplaceCertain
from calibrant.files._codec.arrays import Array, LabelArray
from calibrant.files._codec.fields import Integer, MapOf, Maybe, Number, Optional_, Struct, Text, TupleOf
from calibrant.files._codec.form import Form, estimator_form
from calibrant.files._codec.values import Object
from calibrant.files._forms.calibration import AUTO_FIELDS, check_auto
from calibrant.files._forms.data import COLUMNS, check_columns
from calibrant.files._forms.score_maps import need
from calibrant.files._forms.tree_fields import Trees

__all__ = ["FORMS"]

_LARGE = 1e150  # products of two such numbers are finite
_TABLE = Array("f8", ndim=2, finite=True, low=0, high=1)
_MODELS = Object(
    *(f"blending.{name}Model" for name in ("Bayes", "Boosted", "Estimator", "Forest", "Gradient", "Kernel", "Logistic"))
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
_DESIGN = Struct(
    Design,
    {
        "categories": TupleOf(Optional_(Array("i8", low=0)), least=1),
        "centre": Array("f8", finite=True),
        "scale": Array("f8", finite=True, low=0),
        "has_missing": Array("b"),
    },
)
_COEFFICIENTS = Struct(
    Coefficients,
    {
        "coef": Array("f8", ndim=2, finite=True, low=-_LARGE, high=_LARGE),
        "intercept": Array("f8", finite=True, low=-_LARGE, high=_LARGE),
        "seen": Array("i8", low=0),
        "base_rates": Array("f8", finite=True, low=0, high=1),
    },
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


def _check_design(design: Design, schema: Any, n_columns: int) -> None:
    features = schema.features
    lengths = {len(part) for part in (design.categories, design.centre, design.scale, design.has_missing)}
    need(lengths == {len(features)}, "has a design of other columns")
    width = 0
    for column, feature in enumerate(features):
        positions, is_double = design.categories[column], bool(design.has_missing[column])
        need((positions is None) == (feature.kind == "numeric"), "has a design of other kinds of columns")
        if positions is None:
            width += 1 + is_double
            need(design.scale[column] > 0, "has a design without a scale")
        else:
            most = len(feature.categories)
            need(len(positions) == most + 1 and positions.max() == positions[-1] <= most, "has other categories")
            width += int(positions[-1]) + 1
    need(width == n_columns, "has other coefficients than columns")


def _check_coefficients(found: Coefficients, n_classes: int) -> None:
    need(len(found.seen) == len(found.coef) == len(found.intercept) >= 1, "has other coefficients than classes")
    need(bool((np.diff(found.seen) > 0).all()) and int(found.seen[-1]) < n_classes, "has classes that are not there")
    need(len(found.base_rates) == n_classes, "has other base rates than classes")
    need(abs(found.base_rates.sum() - 1) < 1e-6, "has base rates that do not sum to 1")


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


def _check_logistic(model: LogisticModel, schema: Any, n_classes: int) -> None:
    _check_coefficients(model.coefficients, n_classes)
    _check_design(model.design, schema, model.coefficients.coef.shape[1])


def _check_logistic_classifier(model: LogisticClassifier) -> None:
    check_columns(model)
    _check_logistic(model._model, model._schema, len(model.classes_))


def _check_member(member: FittedMember, model: ProbabilityClassifier) -> None:
    part: Any = member.model
    n_classes, schema, n_readings = len(model.classes_), model._schema, 1
    if isinstance(part, LogisticModel):
        _check_logistic(part, schema, n_classes)
    elif isinstance(part, KernelModel):
        _check_coefficients(part.coefficients, n_classes)
        _check_design(part.design, schema, part.centres.shape[1])
        need(part.coefficients.coef.shape[1] == len(part.centres), "has other coefficients than rows")
    elif isinstance(part, BayesModel):
        need(part.classifier._schema.features == schema.features, "has a member of other columns")
        need(len(part.classifier.classes_) == n_classes, "has a member of other classes")
    elif isinstance(part, EstimatorModel):
        _check_estimator(part, model.classes_)
    elif isinstance(part, GradientModel):
        _check_folds(part.folds, schema, n_classes)
    else:
        n_readings = part.trees.n_readings
        _check_trees(part.trees, schema, model.classes_)
    need(len(member.readings) == n_readings, "has a member of other readings")


def _check(model: ProbabilityClassifier) -> None:
    check_columns(model)
    need(len(model._blend.pool.bias) == len(model.classes_), "has a blend of other classes")
    for member in model._blend.members:
        _check_member(member, model)


def _note(model: ProbabilityClassifier) -> str:
    kernels = [len(each.model.centres) for each in model._blend.members if isinstance(each.model, KernelModel)]
    return f"holds {kernels[0]:,} training rows as numbers, from which its member 'kernel' predicts" if kernels else ""


def _take_tables(summed: SummedTables, _: bool) -> dict[str, Any]:
    return {"trees": summed.trees, "tables": np.concatenate(summed.tables), "n_readings": summed.n_readings}


def _make_tables(values: dict[str, Any]) -> SummedTables:
    trees, table = values["trees"], values["tables"]
    ends = np.cumsum([tree.n_nodes for tree in trees])
    need(ends[-1] == len(table), "has other probabilities than nodes")
    return SummedTables(trees, tuple(np.split(table, ends[:-1])), values["n_readings"])


def _check_trees(summed: SummedTables, schema: Any, classes: np.ndarray) -> None:
    first = summed.trees[0]
    need(first.schema.features == schema.features, "has trees of other columns")
    need(first.classes.tolist() == classes.tolist(), "has trees of other classes")
    need(summed.tables[0].shape[1] == summed.n_readings * len(classes), "has probabilities of other classes")


_PIECES = Array("i8", low=0)

FORMS: tuple[Form, ...] = (
    estimator_form(
        "blending.PoolCalibrator", PoolCalibrator, AUTO_FIELDS, check=check_auto, rules=PoolCalibrator._rules
    ),
    Form("blending.BayesModel", BayesModel, {"classifier": Object("bayes.NaiveBayesClassifier")}),
    Form("blending.BoostedModel", BoostedModel, {"trees": Object("blending.SummedTables")}),
    Form("blending.ForestModel", ForestModel, {"trees": Object("blending.SummedTables")}),
    Form("blending.GradientModel", GradientModel, {"folds": Object("ensembles.GradientBoostedFolds")}),
    Form("blending.EstimatorModel", EstimatorModel, {"estimator": Object(), "classes": LabelArray()}),
    Form("blending.LogisticModel", LogisticModel, {"design": _DESIGN, "coefficients": _COEFFICIENTS}),
    Form(
        "blending.KernelModel",
        KernelModel,
        {
            "design": _DESIGN,
            "centres": Array("f8", ndim=2, finite=True, low=-1e50, high=1e50),
            "coefficients": _COEFFICIENTS,
        },
    ),
    Form(
        "blending.SummedTables",
        SummedTables,
        {
            "trees": Trees(),
            "tables": Array("f8", ndim=2, finite=True, low=-1e4, high=1e4),
            "n_readings": Integer(1, 100),
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
        "blending.LogisticClassifier",
        LogisticClassifier,
        {**COLUMNS, "_model": Object("blending.LogisticModel")},
        check=_check_logistic_classifier,
        rules=LOGISTIC_RULES,
    ),
    estimator_form(
        "blending.ProbabilityClassifier",
        ProbabilityClassifier,
        {
            **COLUMNS,
            "_blend": Object("blending.Blend"),
            "left_out_": MapOf(Text()),
            "_sample": Maybe(Object("blending.BlendSample")),
            "_examples": Maybe(Object("trees.Examples")),
        },
        with_rows=("_sample", "_examples"),
        check=_check,
        note=_note,
        rules=PROBABILITY_CLASSIFIER_RULES,
    ),
)
