"""LightGBM's classifier as text, parameters and classes, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.preprocessing import LabelEncoder

from calibrant._optional import optional_import
from calibrant.exceptions import ModelFileError
from calibrant.files._foreign.lightgbm_parameters import check_lightgbm_parameters
from calibrant.files._foreign.lightgbm_text import check_trees_text

__all__ = ["fit_lightgbm", "take_lightgbm"]

_END_OF_TREES = "end of trees\n"
_MOST_CATEGORIES = 10**6


def take_lightgbm(model: Any, _: bool) -> dict[str, Any]:
    """Return the values of a classifier: its parameters, and where it is fitted its trees and classes."""
    parameters = model.get_params()
    check_lightgbm_parameters(parameters)
    if not getattr(model, "fitted_", False):
        return {"parameters": parameters}
    booster = model.booster_
    return {
        "parameters": parameters,
        "text": _trees(booster),
        "classes": model.classes_,
        "n_features": model.n_features_in_,
        "named": bool(getattr(model, "_fitted_with_feature_names", True)),
        "categories": _plain(booster.pandas_categorical),
        "best_iteration": int(model._best_iteration),
        "best_score": {name: dict(values) for name, values in model.best_score_.items()},
        "evals_result": {name: dict(values) for name, values in (model.evals_result_ or {}).items()},
    }


def _trees(booster: Any) -> bytes:
    """Return the trees as text; the parameters of training, which stand behind them, are left out."""
    head, found, _ = booster.model_to_string(num_iteration=-1).partition(_END_OF_TREES)
    try:
        check_trees_text(head + found)
    except ModelFileError as error:
        raise ModelFileError(f"is a model of LightGBM that model files do not hold: {error}") from None
    return bytes((head + found).encode())


def _plain(categories: Any) -> Any:
    """Return the categories of columns as lists of plain values."""
    return (
        None
        if categories is None
        else [[getattr(each, "item", lambda e=each: e)() for each in column] for column in categories]
    )


def fit_lightgbm(values: dict[str, Any]) -> Any:
    """Return a classifier of these values, fitted if there are trees."""
    lightgbm = optional_import("lightgbm", extra="files", purpose="load this model")
    check_lightgbm_parameters(values["parameters"])
    model = lightgbm.LGBMClassifier(**values["parameters"])
    if values.keys() == {"parameters"}:
        return model
    if not {"text", "classes", "n_features", "named", "categories", "best_iteration"} <= values.keys():
        raise ModelFileError("holds half a model of LightGBM")
    _check_categories(values["categories"])
    try:
        text = values["text"].decode()
    except UnicodeDecodeError as error:
        raise ModelFileError("holds a damaged model of LightGBM (it is no text)") from error
    sizes, classes = check_trees_text(text), values["classes"]
    if sizes.n_features != values["n_features"] or sizes.n_outputs != (1 if len(classes) <= 2 else len(classes)):
        raise ModelFileError("holds a model of LightGBM whose columns or classes are not those of its estimator")
    _set_fitted(model, _booster(lightgbm, text), sizes.objective, values)
    return model


def _booster(lightgbm: Any, text: str) -> Any:
    try:
        return lightgbm.Booster(model_str=text)
    except lightgbm.basic.LightGBMError as error:
        raise ModelFileError(f"holds a damaged model of LightGBM ({error})") from error


def _check_categories(categories: Any) -> None:
    if categories is None:
        return
    is_table = isinstance(categories, list) and all(isinstance(column, list) for column in categories)
    if not is_table or not all(isinstance(each, str | bool | int | float) for column in categories for each in column):
        raise ModelFileError("holds a model of LightGBM whose categories are not lists of strings and numbers")


def _set_fitted(model: Any, booster: Any, objective: str, values: dict[str, Any]) -> None:
    """Set the attributes that the classifier's ``fit`` sets."""
    classes, encoder = values["classes"], LabelEncoder()
    encoder.classes_ = classes
    booster.pandas_categorical, booster.best_iteration = values["categories"], values["best_iteration"]
    model._Booster, model._le, model._classes, model._n_classes = booster, encoder, classes, len(classes)
    model._class_map = dict(zip(classes, np.arange(len(classes)), strict=True))
    model._n_features = model._n_features_in = values["n_features"]
    model._fitted_with_feature_names = values["named"]
    model._objective = objective if model.objective is None else model.objective
    model._best_iteration, model.fitted_ = values["best_iteration"], True
    model._best_score, model._evals_result = values.get("best_score", {}), values.get("evals_result", {})
