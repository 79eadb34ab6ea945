"""XGBoost's classifier as JSON and parameters, and back."""

from __future__ import annotations

from typing import Any

from calibrant._optional import optional_import
from calibrant.exceptions import ModelFileError
from calibrant.files._foreign.lightgbm_parameters import check_threads
from calibrant.files._foreign.xgboost_json import check_model_json

__all__ = ["fit_xgboost", "take_xgboost"]


def take_xgboost(model: Any, _: bool) -> dict[str, Any]:
    """Return the values of a classifier: its parameters, and where it is fitted its trees."""
    parameters = model.get_params()
    for name in ("callbacks", "objective", "eval_metric"):
        if parameters.get(name) is not None and not isinstance(parameters[name], str | list):
            raise ModelFileError(f".{name} is a function, which model files do not hold")
    if not model.__sklearn_is_fitted__():
        return {"parameters": parameters}
    text = bytes(model.get_booster().save_raw("json"))
    try:
        check_model_json(text, model.n_classes_)
    except ModelFileError as error:
        raise ModelFileError(f"is a model of XGBoost that model files do not hold: {error}") from None
    found = {"parameters": parameters, "text": text, "n_classes": int(model.n_classes_)}
    results = getattr(model, "evals_result_", None)
    return found | ({} if results is None else {"evals_result": {name: dict(each) for name, each in results.items()}})


def fit_xgboost(values: dict[str, Any]) -> Any:
    """Return a classifier of these values, fitted if there are trees."""
    xgboost = optional_import("xgboost", extra="files", purpose="load this model")
    check_threads(values["parameters"])
    try:
        model = xgboost.XGBClassifier(**values["parameters"])
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"has wrong parameters of XGBoost: {error}") from error
    if values.keys() == {"parameters"}:
        return model
    if not {"text", "n_classes"} <= values.keys():
        raise ModelFileError("holds half a model of XGBoost")
    text = check_model_json(values["text"], values["n_classes"])
    try:
        booster = xgboost.Booster({"n_jobs": model.n_jobs})
        booster.load_model(bytearray(text.encode()))
    except (xgboost.core.XGBoostError, TypeError, ValueError) as error:
        raise ModelFileError(f"holds a damaged model of XGBoost ({error})") from error
    model._Booster, model.n_classes_ = booster, values["n_classes"]
    if "evals_result" in values:
        model.evals_result_ = values["evals_result"]
    return model
