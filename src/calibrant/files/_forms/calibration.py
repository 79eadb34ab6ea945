"""Forms of calibrators that are made of others, and of calibrated classifiers."""

from __future__ import annotations

from typing import Any

from calibrant._saved.arrays import Array, LabelArray
from calibrant._saved.fields import Field, Flag, Integer, ListOf, Maybe, Number, Text, TupleOf
from calibrant._saved.form import Form, check_fitted
from calibrant._saved.values import Object
from calibrant.calibration import (
    Auto,
    AutoChoice,
    CalibratedClassifier,
    Candidate,
    Chain,
    HeldOut,
    LeafVenn,
    Pairwise,
)
from calibrant.calibration._internal import CALIBRATED_CLASSIFIER_RULES, ReplaceCertain
from calibrant.files._forms.legacy import Optional_, Struct, estimator_form
from calibrant.files._forms.score_maps import (
    CALIBRATED,
    CERTAIN,
    SCALE,
    SCORE_MAP_FORMS,
    check_certain,
    check_outputs,
    need,
)

__all__ = ["AUTO_FIELDS", "FORMS", "HELD_OUT", "MAPS", "check_auto", "check_models", "wrapper_fields"]

MAPS = Object(*(form.name for form in SCORE_MAP_FORMS), "calibration.Auto", "calibration.Chain", "calibration.Pairwise")
_ANY_NUMBER = Number(finite=False)
_CANDIDATE = Struct(
    Candidate,
    {
        "name": Text(),
        "log_loss": _ANY_NUMBER,
        "gain": _ANY_NUMBER,
        "standard_error": _ANY_NUMBER,
        "weight": Number(0, 1 + 1e-6),
    },
)
_CHOICE = Struct(
    AutoChoice,
    {
        "name": Text(),
        "candidates": TupleOf(_CANDIDATE),
        "gain": _ANY_NUMBER,
        "standard_error": _ANY_NUMBER,
        "n_rows": Number(0),
        "reason": Text(),
    },
)
_REPLACE_CERTAIN = Struct(ReplaceCertain, {"floor": Number(0, 1), "ceiling": Number(0, 1)})
AUTO_FIELDS: dict[str, Field] = {
    **CALIBRATED,
    "choice_": Maybe(_CHOICE),
    "members_": Maybe(ListOf(MAPS)),
    "weights_": Maybe(Array("f8", finite=True, low=0, high=1 + 1e-6)),
    "mended_": Maybe(Optional_(_REPLACE_CERTAIN)),
    "of_difference_": Maybe(Flag()),
}
# The held-out scores of a classifier that wraps another one; saved with the training rows only.
HELD_OUT = Struct(
    HeldOut,
    {
        "rows": Array("i", low=0),
        "scores": Array("f", ndim=2),
        "y": LabelArray(),
        "weight": Optional_(Array("f", finite=True, low=0)),
        "groups": Optional_(Array("i", low=0)),
    },
)


def wrapper_fields() -> dict[str, Field]:
    """Return the fields of a classifier that wraps another one."""
    return {
        "classes_": LabelArray(),
        "estimators_": ListOf(Object(), least=1),
        "estimator_": Maybe(Object()),
        "n_features_in_": Maybe(Integer(1)),
        "feature_names_in_": Maybe(LabelArray()),
    }


def check_models(wrapper: Any, *methods: str) -> None:
    """Raise unless the models of a wrapper are fitted, and one of these methods can be called."""
    for model in wrapper.estimators_:
        need(any(hasattr(model, method) for method in methods), f"has a model without {' or '.join(methods)}")
        check_fitted(model)


def check_auto(auto: Auto) -> None:
    """Raise unless the members of a mix and their weights agree."""
    if not check_outputs(auto):
        return
    need(all(hasattr(auto, name) for name in AUTO_FIELDS), "lacks what it learned")
    columns = 1 if len(auto.classes_) == 2 else len(auto.classes_)
    need(len(auto.weights_) == 1 + len(auto.members_), "must have a weight for each member")
    need(bool((auto.weights_[1:] > 0).all()) and abs(auto.weights_.sum() - 1) < 1e-6, "has weights that are not shares")
    need(all(_fits(member, len(auto.classes_), columns) for member in auto.members_), "has members of other classes")
    need(auto.mended_ is None or auto.mended_.floor <= auto.mended_.ceiling, "has a floor above the ceiling")
    need(auto.mended_ is not None or auto.weights_[0] == 0, "must map margins")


def _fits(calibrator: Any, n_classes: int, n_columns: int) -> bool:
    """Return whether a calibrator is fitted to so many classes and columns of scores."""
    return (
        hasattr(calibrator, "classes_") and len(calibrator.classes_) == n_classes and calibrator.n_columns_ == n_columns
    )


def _check_chain(chain: Chain) -> None:
    if check_outputs(chain):
        need(hasattr(chain, "first_") and hasattr(chain, "then_"), "lacks what it learned")
        fits = (_fits(part, len(chain.classes_), chain.n_columns_) for part in (chain.first_, chain.then_))
        need(all(fits), "has parts of other classes")


def _check_pairwise(pairwise: Pairwise) -> None:
    if not check_outputs(pairwise):
        return
    n_classes, parts = len(pairwise.classes_), getattr(pairwise, "parts_", [])
    need(len(parts) == n_classes * (n_classes - 1) // 2 and hasattr(pairwise, "on_"), "must have a map for each pair")
    columns = pairwise.n_columns_ if n_classes == 2 else 1
    need(all(_fits(part, 2, columns) for part in parts), "has maps of other classes")
    check_certain(pairwise)


def _check_leaf_venn(venn: LeafVenn) -> None:
    need(hasattr(venn, "classes_") == hasattr(venn, "counts_"), "has classes without counts, or counts without classes")
    if hasattr(venn, "classes_"):
        need(venn.counts_.shape[1] == len(venn.classes_) >= 1, "has wrong counts")
        need(len(venn.counts_) >= 1, "has wrong counts")


def _check_calibrated(model: CalibratedClassifier) -> None:
    n_classes = len(model.classes_)
    check_models(model, "predict_proba", "decision_function")
    need(len(model.estimators_) == len(model.calibrators_), "must have a map for each model")
    columns = 1 if n_classes == 2 else n_classes
    need(all(_fits(each, n_classes, columns) for each in model.calibrators_), "has maps of other classes")


_CALIBRATED_FIELDS: dict[str, Field] = {
    **wrapper_fields(),
    "calibrators_": ListOf(MAPS, least=1),
    "calibrator_": Maybe(MAPS),
    "held_out_": Maybe(HELD_OUT),
}

FORMS: tuple[Form, ...] = (
    *SCORE_MAP_FORMS,
    estimator_form("calibration.Auto", Auto, AUTO_FIELDS, check=check_auto, rules=Auto._rules),
    estimator_form(
        "calibration.Chain",
        Chain,
        {**CALIBRATED, "first_": Maybe(MAPS), "then_": Maybe(MAPS)},
        check=_check_chain,
        rules=Chain._rules,
    ),
    estimator_form(
        "calibration.Pairwise",
        Pairwise,
        {**CALIBRATED, "on_": SCALE, "certain_": CERTAIN, "parts_": Maybe(ListOf(MAPS, least=1))},
        check=_check_pairwise,
        rules=Pairwise._rules,
    ),
    estimator_form(
        "calibration.LeafVenn",
        LeafVenn,
        {"classes_": Maybe(LabelArray()), "counts_": Maybe(Array("f8", ndim=2, finite=True, low=0, high=1e150))},
        check=_check_leaf_venn,
        rules=LeafVenn._rules,
    ),
    estimator_form(
        "calibration.CalibratedClassifier",
        CalibratedClassifier,
        _CALIBRATED_FIELDS,
        check=_check_calibrated,
        with_rows=("held_out_",),
        rules=CALIBRATED_CLASSIFIER_RULES,
    ),
)
