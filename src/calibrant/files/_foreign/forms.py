"""Forms of estimators of other packages: scikit-learn, LightGBM, XGBoost."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

from sklearn import model_selection
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from calibrant import resampling
from calibrant._saved.arrays import Bytes
from calibrant._saved.fields import Field, Flag, Integer, ListOf, MapOf, Maybe, Text
from calibrant._saved.form import Form
from calibrant._saved.values import LabelArray, Object, Plain, Value
from calibrant.exceptions import ModelFileError
from calibrant.files._foreign.lightgbm import fit_lightgbm, take_lightgbm
from calibrant.files._foreign.sklearn_estimators import sklearn_from_bytes, sklearn_to_bytes
from calibrant.files._foreign.xgboost import fit_xgboost, take_xgboost

SPLITTERS = (
    *("GroupKFold", "GroupShuffleSplit", "KFold", "LeaveOneGroupOut", "LeaveOneOut", "RepeatedKFold"),
    *("RepeatedStratifiedKFold", "ShuffleSplit", "StratifiedGroupKFold", "StratifiedKFold"),
    *("StratifiedShuffleSplit", "TimeSeriesSplit"),
)


PLANS = (
    *("Bootstrap632", "CrossValidation", "Holdout", "LeaveOneOut", "RepeatedHoldout", "RollingOrigin"),
    "TimeOrderedHoldout",
)


def _is_of(module: str, *names: str) -> Any:
    """Return a function that tells objects of these classes by name, so that their package need not be imported."""

    def matches(value: object) -> bool:
        cls = type(value)
        return cls.__module__.startswith(module) and (not names or cls.__name__ in names)

    return matches


def _is_sklearn(value: object) -> bool:
    return isinstance(value, BaseEstimator) and type(value).__module__.startswith("sklearn.")


def _take_pipeline(pipeline: Pipeline, _: bool) -> dict[str, Any]:
    if pipeline.memory is not None:
        raise ModelFileError(".memory must be None in a model file")
    steps = [step for _, step in pipeline.steps]
    return {
        "names": [name for name, _ in pipeline.steps],
        "steps": [None if isinstance(step, str) else step for step in steps],
        "verbose": bool(pipeline.verbose),
        "transform_input": getattr(pipeline, "transform_input", None),
        "output": vars(pipeline).get("_sklearn_output_config"),
    }


def _make_pipeline(values: dict[str, Any]) -> Pipeline:
    names, steps = values["names"], values["steps"]
    if len(names) != len(steps) or len(set(names)) != len(names) or any("__" in name for name in names):
        raise ModelFileError("has steps without names of their own")
    chosen = {} if values["transform_input"] is None else {"transform_input": values["transform_input"]}
    passed = ["passthrough" if step is None else step for step in steps]
    pipeline = Pipeline(list(zip(names, passed, strict=True)), verbose=values["verbose"], **chosen)
    if values["output"] is not None:
        pipeline._sklearn_output_config = values["output"]
    return pipeline


def _take_sklearn(estimator: BaseEstimator, _: bool) -> dict[str, Any]:
    return {"class": type(estimator).__name__, "skops": sklearn_to_bytes(estimator)}


def _make_sklearn(values: dict[str, Any]) -> Any:
    estimator = sklearn_from_bytes(values["skops"])
    if type(estimator).__name__ != values["class"]:
        raise ModelFileError(f"holds a {type(estimator).__name__}, not a {values['class']:.60}")
    return estimator


def _take_splitter(splitter: Any, _: bool) -> dict[str, Any]:
    names = inspect.signature(type(splitter).__init__).parameters
    known = vars(splitter) | vars(splitter).get("cvargs", {})
    if not isinstance(known.get("time", ""), str):
        known = known | {"time": None}  # the times of training rows are not kept, as the rows are not
    return {
        "class": type(splitter).__name__,
        "parameters": {name: known[name] for name in names if name in known},
    }


def _make_splitter(values: dict[str, Any], module: Any = model_selection) -> Any:
    try:
        return getattr(module, values["class"])(**values["parameters"])
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"has wrong parameters of {values['class']}: {error}") from error


_PARAMETERS = MapOf(Value())
_BOOSTED: dict[str, Field] = {
    "parameters": _PARAMETERS,
    "text": Maybe(Bytes()),
    "classes": Maybe(LabelArray()),
    "n_features": Maybe(Integer(1, 10**6)),
}

FORMS = (
    Form(
        "foreign.Splitter",
        object,
        {"class": Text(*SPLITTERS), "parameters": MapOf(Value())},
        make=_make_splitter,
        take=_take_splitter,
        matches=_is_of("sklearn.model_selection", *SPLITTERS),
    ),
    Form(
        "foreign.Plan",
        object,
        {"class": Text(*PLANS), "parameters": MapOf(Value())},
        make=partial(_make_splitter, module=resampling),
        take=_take_splitter,
        matches=_is_of("calibrant.resampling.", *PLANS),
    ),
    Form(
        "foreign.Pipeline",
        Pipeline,
        {
            "names": ListOf(Text(), least=1),
            "steps": ListOf(Object() | None, least=1),
            "verbose": Flag(),
            "transform_input": ListOf(Text()) | None,
            "output": MapOf(Text("pandas", "polars", "default")) | None,
        },
        make=_make_pipeline,
        take=_take_pipeline,
    ),
    Form(
        "foreign.Sklearn",
        BaseEstimator,
        {"class": Text(), "skops": Bytes()},
        make=_make_sklearn,
        take=_take_sklearn,
        matches=_is_sklearn,
    ),
    Form(
        "foreign.LGBMClassifier",
        object,
        {
            **_BOOSTED,
            "named": Maybe(Flag()),
            "categories": Maybe(Plain()),
            "best_iteration": Maybe(Integer(-1, 10**9)),
            "best_score": Maybe(Plain()),
            "evals_result": Maybe(Plain()),
        },
        make=fit_lightgbm,
        take=take_lightgbm,
        matches=_is_of("lightgbm.", "LGBMClassifier"),
    ),
    Form(
        "foreign.XGBClassifier",
        object,
        {**_BOOSTED, "n_classes": Maybe(Integer(2, 10**5)), "evals_result": Maybe(Plain())},
        make=fit_xgboost,
        take=take_xgboost,
        matches=_is_of("xgboost.", "XGBClassifier"),
    ),
)
