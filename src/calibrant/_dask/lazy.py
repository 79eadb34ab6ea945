"""Predictions of Dask frames and arrays: lazy, a partition at a time, by a fitted model that needs no cluster."""

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._dask.tasks import by_value

LAZY_METHODS = ("predict_proba", "predict_log_proba", "predict")


def is_dask(X: Any) -> bool:
    """Return whether a table is a Dask frame or array; nothing is imported.

    Examples
    --------
    >>> is_dask([[1.0]])
    False
    """
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(X, "to_delayed")


def is_streamed(X: Any) -> bool:
    """Return whether a table is read part by part in this process: a path, a LazyFrame or a pyarrow Dataset.

    Examples
    --------
    >>> import polars
    >>> is_streamed("rows.parquet"), is_streamed([[1.0]]), is_streamed(polars.DataFrame({"a": [1]}))
    (True, False, False)
    """
    is_lazy = hasattr(X, "collect_schema") and hasattr(X, "collect")  # a DataFrame of polars has the first, too
    return isinstance(X, str | os.PathLike) or is_lazy or hasattr(X, "get_fragments")


def predicts_lazily(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that predicts Dask collections lazily, files part by part, and all other tables as before."""

    @functools.wraps(method)
    def predict(self: Any, X: Any, *args: Any, **options: Any) -> Any:
        if is_dask(X):
            return _predict_collection(self, X, method.__name__, args, options)
        if is_streamed(X):
            # by name, because the sources stand above this package
            parts = importlib.import_module("calibrant.data._sources.open_source")
            names = getattr(self, "feature_names_in_", None)
            return parts.predict_parts(X, lambda part: method(self, part, *args, **options), names)
        return method(self, X, *args, **options)

    return predict


def _predict_collection(model: Any, X: Any, name: str, args: Any, options: Any) -> Any:
    from dask.delayed import delayed

    empty = _empty(model, name)
    # One task holds the model, as bytes: the scheduler need not load it, and each worker receives it once
    held = delayed(by_value(_identity, model), pure=False)()
    predict = by_value(_predict_partition, name, args, options, empty)
    if not hasattr(X, "chunks"):
        return X.map_partitions(predict, held, meta=_as_frame(empty, X._meta.index, model), enforce_metadata=False)
    da: Any = importlib.import_module("dask.array")
    whole, call = X.rechunk({1: -1}), delayed(predict, pure=False, traverse=False)
    blocks = [
        da.from_delayed(call(block, held), (n_rows, *empty.shape[1:]), meta=empty)
        for block, n_rows in zip(whole.to_delayed().ravel(), whole.chunks[0], strict=True)
    ]
    return da.concatenate(blocks, allow_unknown_chunksizes=True)


def _empty(model: Any, name: str) -> NDArray[Any]:
    """Return the predictions of no rows: their dtype and number of columns."""
    classes = getattr(model, "classes_", None)
    if name == "predict":
        return np.empty(0) if classes is None else classes[:0]
    model.predict_proba  # noqa: B018 (raises if the model has none)
    if classes is None:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(model)
    return np.empty((0, 0 if classes is None else len(classes)))


def _as_frame(predicted: NDArray[Any], index: Any, model: Any) -> Any:
    """Return predictions with the index of their rows, and the classes as columns of probabilities."""
    import pandas as pd

    if predicted.ndim == 1:
        return pd.Series(predicted, index=index)
    return pd.DataFrame(predicted, index=index, columns=list(model.classes_))


def _predict_partition(name: str, args: Any, options: Any, empty: NDArray[Any], part: Any, model: Any) -> Any:
    """Predict a partition, in the process of a worker."""
    predicted = getattr(model, name)(part, *args, **options) if len(part) else empty
    return _as_frame(predicted, part.index, model) if hasattr(part, "index") else predicted


def _identity(model: Any) -> Any:
    return model
