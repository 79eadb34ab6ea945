"""Fingerprints of rows: digests of their content that no library, process or machine changes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from calibrant._repr import short_repr
from calibrant.data._frames.columns import Columns, fit_columns
from calibrant.data._validation.groups import code_groups
from calibrant.data._validation.labels_and_weights import check_weights
from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["fingerprint_rows"]

_VERSION = b"calibrant rows 1"  # a change of the algorithm below must change it


def fingerprint_rows(
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    sample_weight: Any = None,
    positive: str = "null",
    by_row: Mapping[str, Any] | None = None,
) -> str:
    """Return the digest of rows: names, kinds, values and categories of columns, classes and their order, and so on.

    Frames of pandas, polars and pyarrow have the same fingerprint where their columns are read alike: numbers by
    value (integers as floats), strings, booleans and declared categories (a pandas categorical column as a polars Enum
    or an Arrow dictionary) by value and order. An array differs from a frame, whose columns have names, and float32
    from float64. Weights that are all 1 are as none. ``positive`` is the positive class as JSON.

    Examples
    --------
    >>> import pandas as pd
    >>> one = fingerprint_rows(pd.DataFrame({"a": [1, 2]}), ["no", "yes"])
    >>> one == fingerprint_rows(pd.DataFrame({"a": [1.0, 2.0]}), np.array(["no", "yes"]))
    True
    >>> one == fingerprint_rows(pd.DataFrame({"a": [1, 2]}), ["yes", "no"]), len(one)
    (False, 32)
    """
    digest = hashlib.sha256(_VERSION)
    columns = fit_columns(X)
    _add_columns(digest, "features", columns)
    outcome = _read_outcome(y)
    if outcome.n_rows != columns.n_rows:
        raise DataError(f"y has {outcome.n_rows:,} values for {columns.n_rows:,} rows; pass one for each row.")
    _add_columns(digest, "classes", outcome)
    if groups is not None:
        numbers, names = code_groups(groups, columns.n_rows)
        _add_text(digest, "groups", _category_texts(names))
        _add_array(digest, np.asarray(numbers, dtype="<i8"))
    weight = check_weights(sample_weight, columns.n_rows)
    if weight is not None and not (weight == 1).all():
        _add_text(digest, "weights", [])
        _add_floats(digest, weight)
    _add_text(digest, "positive", [positive])
    for name, values in sorted((by_row or {}).items()):
        _add_columns(digest, f"by row {name}", _read_outcome(values))
    return digest.hexdigest()[:32]


def _read_outcome(y: Any) -> Columns:
    """Return classes, or numbers to predict, as a table of one column."""
    series = nw.from_native(y, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        is_number = series.dtype.is_float()
        return fit_columns(series.alias("y").to_frame().to_native(), "auto" if is_number else "all")
    values = np.asarray(y)
    if values.ndim == 0:
        raise DataError(f"y must hold a class, or a number, for each row; got {short_repr(y)}.")
    values = np.asarray(y, dtype=object) if values.dtype.kind in "US" and not isinstance(y, np.ndarray) else values
    return fit_columns(values.reshape(len(values), -1), "auto" if values.dtype.kind == "f" else "all")


def _add_columns(digest: Any, what: str, columns: Columns) -> None:
    names = columns.feature_names or ()
    _add_text(digest, what, [str(columns.n_rows), *(names if what == "features" else ())])
    for feature, array in zip(columns.schema.features, columns.arrays, strict=True):
        if feature.kind == "numeric":
            _add_text(digest, "numbers", [feature.measure])
            _add_floats(digest, array)
        else:
            _add_text(digest, f"declared={feature.declared}", _category_texts(feature.categories))
            _add_array(digest, array.astype("<i4", copy=False))


def _category_texts(categories: Iterable[Any]) -> list[str]:
    values = (value.item() if isinstance(value, np.generic) else value for value in categories)
    return [f"{type(value).__name__} {value!r}" for value in values]


def _add_text(digest: Any, what: str, texts: list[str]) -> None:
    """Add texts with their number and lengths, so that no other texts look the same joined."""
    digest.update(json.dumps([what, texts], separators=(",", ":")).encode())


def _add_floats(digest: Any, values: NDArray[Any]) -> None:
    values = values.astype(values.dtype.newbyteorder("<"), copy=False)
    is_missing = np.isnan(values)
    if is_missing.any():  # a NaN has many bit patterns, and libraries use several
        values = np.where(is_missing, np.asarray(np.nan, dtype=values.dtype), values)
    _add_text(digest, values.dtype.str, [])
    _add_array(digest, values)


def _add_array(digest: Any, values: NDArray[Any]) -> None:
    digest.update(np.ascontiguousarray(values).data)
