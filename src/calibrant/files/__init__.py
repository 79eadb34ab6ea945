"""Model files: fitted estimators as a zip of JSON and raw arrays, without pickle."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calibrant.files._description import ColumnDescription, DataSource, ExpectedScore, ModelDescription
    from calibrant.files._model_files import describe_model, load_model, save
    from calibrant.files._predict_table import PredictedTable, predict_table

__all__ = [
    "ColumnDescription",
    "DataSource",
    "ExpectedScore",
    "ModelDescription",
    "PredictedTable",
    "describe_model",
    "load_model",
    "predict_table",
    "save",
]

# Imported at their first use: reading a description needs no estimator.
_MODULES = {
    "ColumnDescription": "_description",
    "ExpectedScore": "_description",
    "ModelDescription": "_description",
    "PredictedTable": "_predict_table",
    "DataSource": "_description",
    "describe_model": "_model_files",
    "load_model": "_model_files",
    "predict_table": "_predict_table",
    "save": "_model_files",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
