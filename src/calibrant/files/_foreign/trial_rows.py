"""A trial prediction by an estimator of another package: one that cannot predict is refused when it is loaded."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from calibrant.exceptions import ModelFileError

# Steps that take values we cannot guess: rows of numbers may be rejected by a sound estimator that has one.
_CHOOSY = {"ColumnTransformer", "FunctionTransformer", "SimpleImputer"}
_MOST_COLUMNS = 100_000


def check_predicts(estimator: Any) -> None:
    """Raise if a fitted estimator fails to predict a row that fits it, or asks for more memory than there is.

    Compiled code is safe by other checks; this one refuses files whose arrays do not fit each other.
    """
    predict = getattr(estimator, "predict_proba", getattr(estimator, "predict", None))
    if predict is None or not _is_fitted(estimator):
        return
    error: Exception | None = None
    for number in (1.0, 0.0):  # logarithms reject 0, and categories by number may reject 1
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                predict(_row(estimator, number))
        except Exception as raised:  # whatever the packages raise
            error = raised
        else:
            return
    if isinstance(error, ValueError | TypeError) and _has_choosy_step(estimator):
        return
    raise ModelFileError(f"holds an estimator that cannot predict ({type(error).__name__}: {error!s:.200})") from error


def _is_fitted(estimator: Any) -> bool:
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return False
    except Exception as error:
        raise ModelFileError(f"holds an estimator that cannot be used ({error!s:.200})") from error
    return True


def _row(estimator: Any, number: float) -> Any:
    """Return a row of a number, with the names and categories of columns where the estimator knows them."""
    n_columns = int(estimator.n_features_in_)
    if not 1 <= n_columns <= _MOST_COLUMNS:
        raise ValueError(f"{n_columns} columns")
    values: list[Any] = [number] * n_columns
    _set_categories(estimator, values, range(n_columns))
    names = getattr(estimator, "feature_names_in_", None)
    categories = getattr(getattr(estimator, "_Booster", None), "pandas_categorical", None)
    if hasattr(estimator, "get_booster"):  # XGBoost takes arrays in any case
        return np.array([values])
    import pandas as pd

    frame = pd.DataFrame([values], columns=range(n_columns) if names is None else names)
    for name, known in zip(frame.columns, categories or (), strict=False):  # LightGBM counts them, wherever they are
        frame[name] = pd.Categorical(known[:1], categories=known)
    return frame if names is not None or categories else frame.to_numpy()


def _set_categories(step: Any, values: list[Any], columns: Sequence[int]) -> None:
    """Set the first category that a step, or one inside it, knows of each of its columns."""
    while hasattr(step, "steps"):
        step = step.steps[0][1]
    for name, inner, _ in getattr(step, "transformers_", ()):
        _set_categories(inner, values, step._transformer_to_input_indices[name])
    for column, known in zip(columns, getattr(step, "categories_", ()), strict=False):
        values[column] = known[0]


def _has_choosy_step(estimator: Any) -> bool:
    """Return whether an estimator is or has a step that may take other values than numbers and known categories."""
    steps = [step for _, step in getattr(estimator, "steps", ())] or [estimator]
    return any(type(step).__name__ in _CHOOSY for step in steps)
