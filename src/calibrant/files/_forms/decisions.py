"""Forms of costs, of cost-sensitive classifiers and of the regressor of amounts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from calibrant._saved.arrays import Array, LabelArray
from calibrant._saved.fields import Integer, Maybe, Number, TupleOf
from calibrant._saved.form import Form
from calibrant._saved.values import Object, Plain, Value
from calibrant.curves import ThresholdTable
from calibrant.decisions import (
    CostMatrix,
    CostSensitiveClassifier,
    ExampleCosts,
    HeckmanRegressor,
    MetaCostClassifier,
    ThresholdClassifier,
)
from calibrant.decisions._internal import COST_SENSITIVE_RULES, HECKMAN_RULES, METACOST_RULES, THRESHOLD_RULES
from calibrant.exceptions import CalibrantError, ModelFileError
from calibrant.files._forms.calibration import HELD_OUT, check_models, wrapper_fields
from calibrant.files._forms.legacy import Optional_, Struct, estimator_form
from calibrant.files._forms.score_maps import need

__all__ = ["FORMS"]

_COSTS = Object("decisions.CostMatrix", "decisions.ExampleCosts")
_COUNTS = Array("f8", finite=True)
_TABLE = Struct(
    ThresholdTable,
    {"threshold": Array("f8"), "tp": _COUNTS, "fp": _COUNTS, "fn": _COUNTS, "tn": _COUNTS},
)


def _maker(cls: Any) -> Callable[[dict[str, Any]], Any]:
    """Return a function that makes costs by their own constructor, which checks them."""

    def make(values: dict[str, Any]) -> Any:
        try:
            return cls(**values)
        except (CalibrantError, TypeError) as error:
            raise ModelFileError(f"has wrong costs: {error}") from None

    return make


def _check_costs(model: CostSensitiveClassifier) -> None:
    check_models(model, "predict")
    costs, classes = model.costs_, model.classes_.tolist()
    if isinstance(costs, CostMatrix):
        need(list(costs.labels or ()) == classes, "has costs of other classes")
    else:
        need(len(classes) == 2, "has costs of two classes for other classes")


def _check_metacost(model: MetaCostClassifier) -> None:
    check_models(model, "predict")
    need(list(model.costs_.labels or ()) == model.classes_.tolist(), "has costs of other classes")
    need(len(model.estimators_) == 1 and hasattr(model, "estimator_"), "must have one model")


def _check_threshold(model: ThresholdClassifier) -> None:
    check_models(model, "predict_proba")
    need(len(model.classes_) == 2 and len(model.estimators_) == 1, "must have one model of two classes")


def _check_heckman(model: HeckmanRegressor) -> None:
    need(hasattr(model.regressor_, "predict"), "has a regressor that does not predict")
    need(
        model.selection_ is None or hasattr(model.selection_, "predict_proba"), "has a selection without probabilities"
    )
    has_probit = hasattr(model, "selection_coef_")
    need(has_probit == hasattr(model, "selection_intercept_"), "has half a probit")
    need(not has_probit or len(model.selection_coef_) == model.n_features_in_, "has other coefficients than columns")


FORMS: tuple[Form, ...] = (
    Form(
        "decisions.CostMatrix",
        CostMatrix,
        {
            "matrix": Array("f8", ndim=2, finite=True, low=-1e150, high=1e150),
            "labels": Optional_(TupleOf(Plain())),
            "actions": Optional_(TupleOf(Plain())),
        },
        make=_maker(CostMatrix),
    ),
    Form(
        "decisions.ExampleCosts",
        ExampleCosts,
        {"cost": Value(), "benefit": Value(), "actions": TupleOf(Plain(), 2, 2)},
        make=_maker(ExampleCosts),
    ),
    estimator_form(
        "decisions.CostSensitiveClassifier",
        CostSensitiveClassifier,
        {**wrapper_fields(), "costs_": _COSTS},
        check=_check_costs,
        rules=COST_SENSITIVE_RULES,
    ),
    estimator_form(
        "decisions.MetaCostClassifier",
        MetaCostClassifier,
        {**wrapper_fields(), "costs_": Object("decisions.CostMatrix"), "relabelled_": Maybe(LabelArray())},
        with_rows=("relabelled_",),
        check=_check_metacost,
        rules=METACOST_RULES,
    ),
    estimator_form(
        "decisions.ThresholdClassifier",
        ThresholdClassifier,
        {
            **wrapper_fields(),
            "threshold_": Number(-1, 2),
            "value_": Number(finite=False),
            "held_out_": Maybe(HELD_OUT),
            "table_": Maybe(_TABLE),
        },
        with_rows=("held_out_", "table_"),
        check=_check_threshold,
        rules=THRESHOLD_RULES,
    ),
    estimator_form(
        "decisions.HeckmanRegressor",
        HeckmanRegressor,
        {
            "n_features_in_": Integer(1),
            "feature_names_in_": Maybe(LabelArray()),
            "regressor_": Object(),
            "selection_": Optional_(Object()),
            "selection_coef_": Maybe(Array("f8", finite=True)),
            "selection_intercept_": Maybe(Number()),
        },
        check=_check_heckman,
        rules=HECKMAN_RULES,
    ),
)
