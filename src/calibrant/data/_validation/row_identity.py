"""Rows recognised by their content: hashes, copies among them, fingerprints of whole tables."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from calibrant._repr import short_repr
from calibrant.data._frames.columns import Columns, fit_columns
from calibrant.data._validation.class_columns import caller_level
from calibrant.data._validation.estimator_rows import TrainingRows
from calibrant.data._validation.labels_and_weights import check_weights, code_groups
from calibrant.exceptions import CalibrantError, CalibrantWarning, DataError

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


# The multiplier and the shift of SplitMix64 (Steele, Lea & Flood 2014), which spread every bit over all.
_FACTOR, _SHIFT = np.uint64(0xBF58476D1CE4E5B9), np.uint64(29)


def hash_codes(columns: Sequence[NDArray[Any]], n_rows: int) -> NDArray[np.uint64]:
    """Return a hash of each row of whole numbers, or of numbers by their bits; two that differ collide rarely.

    Examples
    --------
    >>> hashes = hash_codes([np.array([1, 2, 1]), np.array([0.5, 0.5, 0.5])], 3)
    >>> hashes[0] == hashes[2], hashes[0] == hashes[1]
    (np.True_, np.False_)
    """
    found = np.zeros(n_rows, dtype=np.uint64)
    for column in columns:
        # 0.0 is added because -0.0 equals 0.0 with other bits
        bits = (
            (column.astype(np.float64) + 0.0).view(np.uint64) if column.dtype.kind == "f" else column.astype(np.uint64)
        )
        found = (found ^ (bits + np.uint64(1))) * _FACTOR
        found ^= found >> _SHIFT
    return found


_MIN_ROWS = 100  # below, copies may be chance
_MIN_VALUES = 30  # of a continuous column
_MIN_SHARE = 0.1  # of the rows; real tables with continuous columns hardly ever have a hundredth


def count_copies(columns: list[NDArray[Any]], codes: NDArray[Any]) -> int:
    """Return the number of rows that repeat an earlier one, class included; 0 if few, or if no column is continuous.

    Examples
    --------
    >>> values = np.random.default_rng(0).random(100)[np.arange(150) % 100]
    >>> codes = np.zeros(150, dtype=int)
    >>> count_copies([values], codes), count_copies([values.round(1)], codes)
    (50, 0)
    """
    hashes = hash_codes([*columns, codes], len(codes))
    if len(hashes) - len(np.unique(hashes)) < _MIN_SHARE * len(hashes):
        return 0  # before every column is sorted
    return copies_among(hashes, [np.unique(each) for each in columns if each.dtype.kind == "f"])


def copies_among(hashes: NDArray[np.uint64], values: Sequence[NDArray[np.float64]]) -> int:
    """Return the number of repeated rows by the hashes of rows and the distinct values of numeric columns.

    A column is continuous where it has many values, one of its own for more than half of the distinct rows, most of
    them with more than one decimal; a column without others needs more than three, because rounded numbers repeat by
    chance.

    Examples
    --------
    >>> copies_among(np.array([1, 2, 1], dtype=np.uint64), [np.array([0.5, 1.5])])
    0
    """
    n_distinct, n_decimals = len(np.unique(hashes)), 1 if len(values) > 1 else 3
    many = [each for each in values if len(each) >= _MIN_VALUES and 2 * len(each) > n_distinct]
    is_continuous = any((np.round(each, n_decimals) != each).mean() > 0.5 for each in many)
    return len(hashes) - n_distinct if is_continuous else 0


def warn_of_copies(X: Any, codes: NDArray[Any]) -> None:
    """Warn where many rows are exact copies of others; tables that cannot be read as columns are not checked.

    Examples
    --------
    >>> warn_of_copies([[0.1], [0.7], [0.7]], np.array([0, 1, 1]))
    """
    if len(codes) < _MIN_ROWS:
        return
    try:
        columns = list(fit_columns(X).arrays)
    except (CalibrantError, TypeError, ValueError):
        return
    warn_of_number(count_copies(columns, codes), len(codes))


def warn_of_number(n_copies: int, n_rows: int, *, has_weight_kind: bool = True) -> None:
    """Warn of a number of copies that makes held-out rows look better than new ones.

    `has_weight_kind` is whether the caller has this parameter, which is then named as a remedy.

    Examples
    --------
    >>> warn_of_number(2, 1000)
    """
    if n_rows < _MIN_ROWS or n_copies < _MIN_SHARE * n_rows:
        return
    remedy = (
        'or drop the copies and pass their number as sample_weight with weight_kind="probability", which keeps a row '
        "whole."
        if has_weight_kind
        else "or drop the copies."
    )
    warnings.warn(
        f"{n_copies:,} of {n_rows:,} rows are exact copies of others, though columns are continuous: oversampled rows? "
        "Held out in one fold or bag and fitted in another, copies make everything look better than it is. Pass "
        f"groups= with the same group for all copies of a row; {remedy}",
        CalibrantWarning,
        stacklevel=caller_level(),
    )


@dataclass(frozen=True, eq=False)
class MergedRows:
    """The columns, class codes and weights of rows that differ.

    For estimators whose solvers depend on the order of rows: a row of weight 2 is then the row twice to the last bit.
    """

    arrays: tuple[NDArray[Any], ...]
    codes: NDArray[np.intp]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, rows: TrainingRows) -> MergedRows:
        """Return the rows that differ in a value or in their class, sorted by a hash of both.

        Examples
        --------
        >>> from calibrant.data._validation.estimator_rows import read_training_rows
        >>> MergedRows.of(read_training_rows([[1.0], [2.0], [1.0]], ["a", "b", "a"])).weights.tolist()
        [1.0, 2.0]
        """
        codes, n_rows = rows.labels.codes.astype(np.intp), rows.columns.n_rows
        hashes = hash_codes([*rows.columns.arrays, codes], n_rows)
        order = np.argsort(hashes, kind="stable")
        is_first = np.append(True, np.diff(hashes[order]) != 0)
        weights = np.ones(n_rows) if rows.weights is None else rows.weights[order]
        kept = order[is_first]
        merged = np.add.reduceat(weights, np.flatnonzero(is_first))
        return cls(tuple(values[kept] for values in rows.columns.arrays), codes[kept], merged)
