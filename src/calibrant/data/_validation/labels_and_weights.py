"""Input validation of classes, weights and groups; classes are sorted, and their declared order breaks ties."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from calibrant._numbers import as_unmasked_floats
from calibrant._params import Choice, check_param
from calibrant._repr import short_repr
from calibrant.data._frames.values import CategoryCodes, column_kind, nominal_codes, without_mask
from calibrant.data._validation.class_columns import caller_level
from calibrant.exceptions import CalibrantWarning, DataError, DataTypeError, ManyClassesWarning

# 100,000 integer labels of a narrow range take 0.5 ms by a table and 36 ms by a sort; 1,000 take 20 µs by either.
_SORTED_ROWS, _NARROW_RANGE = 1_000, 2**16
_EXACT_FLOAT = 2**53  # every integer up to this is a float64
_VAST = 2**63  # beyond the integers of 64 bits
_MANY_CLASSES = 1_000  # a tree of 20,000 rows and as many classes takes minutes
# The sum of 2**31 such weights, its square and the product of three weights are floats, and none is 0.
_SMALLEST_WEIGHT, _LARGEST_WEIGHT = 1e-100, 1e100


@dataclass(frozen=True)
class Labels:
    """Classes as codes.

    ``classes`` is sorted as by `numpy.unique`, and ``codes`` index it. ``declared`` holds positions in ``classes`` in
    the declared order of the classes (sorted order if not declared), by which ties are broken. ``n_declared`` is the
    number of declared classes, including those without rows.
    """

    classes: NDArray[Any]
    codes: NDArray[np.int32]
    declared: tuple[int, ...]
    n_declared: int


def code_labels(y: Any, n_rows: int | None = None, rows: NDArray[np.integer[Any]] | None = None) -> Labels:
    """Validate and code the classes of all rows, or of ``rows`` as if there were no others.

    Examples
    --------
    >>> labels = code_labels(["no", "yes", "no"])
    >>> labels.classes.tolist(), labels.codes.tolist()
    (['no', 'yes'], [0, 1, 0])
    """
    coded = factorize(y)
    _check_labels(coded, n_rows)
    if rows is not None:
        coded = replace(coded, codes=coded.codes[rows])
    column_kind(np.array([*coded.categories, None], dtype=object), "y")  # raises if the classes are of several types
    used = _has_rows(coded, rows is not None)
    seen = [value for value, is_used in zip(coded.categories, used, strict=True) if is_used]
    classes, rank = np.unique(np.asarray(seen), return_inverse=True)
    new_code = np.full(len(coded.categories), -1, dtype=np.int32)
    new_code[used] = rank
    if len(classes) > _MANY_CLASSES:
        _warn_of_many_classes(y, len(classes), len(coded.codes))
    codes = coded.codes if (new_code == np.arange(len(new_code))).all() else new_code[coded.codes]
    n_declared = len(coded.categories) if coded.declared else len(seen)
    return Labels(classes, codes, tuple(rank.tolist()), n_declared)


def _warn_of_many_classes(y: Any, n_classes: int, n_rows: int) -> None:
    name = getattr(y, "name", None) or "y"
    warnings.warn(
        f"{name!r} has {n_classes:,} classes in {n_rows:,} rows, so fitting may take minutes: is it an id, an amount "
        "or free text? Choose another class column, or group its values.",
        ManyClassesWarning,
        stacklevel=caller_level(),
    )


def _has_rows(coded: CategoryCodes, is_subset: bool) -> NDArray[np.bool_]:
    """Return a mask of the categories that have a row."""
    n_categories = len(coded.categories)
    if coded.declared or is_subset:
        return np.asarray(np.bincount(coded.codes, minlength=n_categories) > 0)
    return np.ones(n_categories, dtype=np.bool_)


def factorize(y: Any) -> CategoryCodes:
    """Return codes and categories of labels, groups or folds, with -1 for missing ones; only their type is checked.

    Examples
    --------
    >>> factorize(["no", None, "yes"]).codes
    array([ 0, -1,  1], dtype=int32)
    """
    if y is None:
        raise DataError("y is None: this estimator requires y to be passed, but the target y is None.")
    if type(y).__name__ == "Categorical":
        y = _as_series(y)
    series = nw.from_native(_arrow_column(y), series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return _array_codes(_label_array(y))
    column_kind(series, "y")
    if series.dtype.is_temporal():
        return _array_codes(_dates(series))
    numeric = series.dtype.is_numeric()
    return _array_codes(_label_array(series.to_numpy())) if numeric else nominal_codes(series, "y")


def _array_codes(array: NDArray[Any]) -> CategoryCodes:
    """Return codes as `numpy.unique` does, so that the classes keep the type of the array."""
    column_kind(array, "y")
    if array.dtype.kind == "O" or (array.dtype.kind in "fMm" and (array != array).any()):
        return nominal_codes(array, "y")
    if array.dtype.kind == "b":
        return _bool_codes(array)
    if array.dtype.kind in "iuf" and len(array) > _SORTED_ROWS:
        low, high = int(array.min()), int(array.max())
        if high - low < _NARROW_RANGE and (array.dtype.kind != "f" or max(-low, high) < _EXACT_FLOAT):
            return _narrow_codes(array, low, high)
    values, codes = np.unique(array, return_inverse=True)
    return CategoryCodes(codes.astype(np.int32), tuple(values))


def _bool_codes(array: NDArray[np.bool_]) -> CategoryCodes:
    """Return codes of booleans as `numpy.unique` does, without sorting."""
    values = tuple(value for value in (np.False_, np.True_) if (array == value).any())
    return CategoryCodes(array.astype(np.int32) if len(values) == 2 else np.zeros(len(array), dtype=np.int32), values)


def _narrow_codes(array: NDArray[Any], low: int, high: int) -> CategoryCodes:
    """Return codes of integers of a narrow range as `numpy.unique` does, by a table instead of sorting."""
    if high - low <= 1:
        values = np.array([low] if low == high else [low, high], dtype=array.dtype)
        return CategoryCodes((array if low == 0 else array != low).astype(np.int32), tuple(values))
    wide = array if array.dtype == np.uint64 else array.astype(np.int64, copy=False)
    offsets = (wide - wide.dtype.type(low)).astype(np.intp, copy=False)
    occurs = np.bincount(offsets, minlength=high - low + 1) > 0
    values = (np.flatnonzero(occurs).astype(wide.dtype) + wide.dtype.type(low)).astype(array.dtype)
    return CategoryCodes((np.cumsum(occurs, dtype=np.int32) - 1).astype(np.int32)[offsets], tuple(values))


def _dates(series: nw.Series[Any]) -> NDArray[Any]:
    """Return dates as NumPy's, except those with a time zone and times of day, which stay Python objects."""
    if isinstance(series.dtype, nw.Time) or getattr(series.dtype, "time_zone", None) is not None:
        return np.array(series.to_list(), dtype=object)
    return np.asarray(series.to_numpy())


def _as_series(y: Any) -> Any:
    import pandas as pd

    return pd.Series(y)


def _arrow_column(y: Any) -> Any:
    """Return a pyarrow Array as the ChunkedArray that narwhals supports."""
    if type(y).__module__.startswith("pyarrow") and hasattr(y, "dictionary_encode") and not hasattr(y, "chunks"):
        import pyarrow as pa

        return pa.chunked_array([y])
    return y


def _label_array(y: Any) -> NDArray[Any]:
    array = without_mask(y) if isinstance(y, np.ma.MaskedArray) else np.asarray(y)
    if array.dtype.kind in "US" and not isinstance(y, np.ndarray):
        array = np.asarray(y, dtype=object)
    if array.dtype.kind == "c":
        raise DataError(
            "Complex data not supported: y holds complex numbers; pass one class for each row: a string, an "
            "integer or a boolean."
        )
    try:
        array = np.asarray(column_or_1d(array, warn=True))
        if array.dtype.kind == "f":
            _check_finite(array)
            if isinstance(y, list | tuple) and np.abs(array).max(initial=0.0) >= _VAST:
                check_integers(y)
            if not (array == np.rint(array)).all():  # integral floats are classes; for others scikit-learn raises
                check_classification_targets(array[~np.isnan(array)])
    except ValueError as error:
        raise DataError(f"{error} Pass one class for each row.") from error
    return array


def check_integers(values: Iterable[Any]) -> None:
    """Raise if an integer has more bits than NumPy's: in floats it merges with others, scikit-learn cannot split it."""
    vast = [value for value in values if isinstance(value, int) and abs(value) >= _VAST]
    if vast:
        raise DataError(
            f"y holds the integer {short_repr(vast[-1])}, which has more than 64 bits; such classes are not "
            "supported here. Pass classes as strings."
        )


def _check_finite(array: NDArray[Any]) -> None:
    if np.isinf(array).any():
        row = int(np.flatnonzero(np.isinf(array))[0])
        raise DataError(f"Input y contains infinity or a value too large for dtype('float64'). (first at row {row}).")


def _check_labels(coded: CategoryCodes, n_rows: int | None) -> None:
    if len(coded.codes) and coded.codes.min() < 0:
        missing = np.flatnonzero(coded.codes < 0)
        raise DataError(
            f"y has {len(missing)} missing label(s) (first at row {missing[0]}); drop those rows before fitting: "
            "keep = y.notna(); X[keep], y[keep]. Input y contains NaN."
        )
    if n_rows is not None and len(coded.codes) != n_rows:
        raise DataError(
            f"y has {len(coded.codes)} labels for {n_rows} rows: inconsistent numbers of samples. Pass one per row."
        )
    if len(coded.codes) == 0:
        raise DataError("y has 0 sample(s) while a minimum of 1 is required.")


def check_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Return the weights of the rows as floats; raise if one is negative, not finite or vast, or all are 0.

    Examples
    --------
    >>> check_weights([1, 2.5], 2)
    array([1. , 2.5])
    >>> check_weights([1, -1], 2)
    Traceback (most recent call last):
    calibrant.exceptions.DataError: sample_weight has 1 negative value(s) (first at row 1); weights must be >= 0.
    >>> check_weights([1, 1e300], 2)
    Traceback (most recent call last):
    calibrant.exceptions.DataError: sample_weight has 1 value(s) above 1e+100 or below 1e-100 (first at row 1: 1e+300);
    sums and products of such weights overflow or vanish. Divide the weights by their mean; a negligible one is 0.
    """
    if sample_weight is None:
        return None
    try:
        weights = as_unmasked_floats(sample_weight)
        weights = np.full(n_rows, weights) if weights.ndim == 0 else weights
    except (TypeError, ValueError) as error:
        raise DataTypeError(
            "sample_weight must hold numbers, not complex ones; pass one weight for each row."
        ) from error
    if weights.shape != (n_rows,):
        raise DataError(f"sample_weight has shape {weights.shape}; expected ({n_rows},), one weight for each row.")
    for is_wrong, what in ((~np.isfinite(weights), "NaN or infinite"), (weights < 0, "negative")):
        if is_wrong.any():
            first = np.flatnonzero(is_wrong)[0]
            raise DataError(
                f"sample_weight has {is_wrong.sum()} {what} value(s) (first at row {first}); weights must be >= 0."
            )
    if not (weights > 0).any():
        raise DataError("sample_weight is zero for every row; at least one weight must be above 0.")
    check_weight_sizes(weights)
    return weights


def check_weight_sizes(weights: NDArray[np.float64], name: str = "sample_weight") -> None:
    """Raise if a weight above 0 is so large or small that sums and products of weights overflow or vanish."""
    is_wrong = (weights > _LARGEST_WEIGHT) | ((weights < _SMALLEST_WEIGHT) & (weights > 0))
    if is_wrong.any():
        first = np.flatnonzero(is_wrong)[0]
        sizes = f"above {_LARGEST_WEIGHT:g} or below {_SMALLEST_WEIGHT:g}"
        raise DataError(
            f"{name} has {is_wrong.sum()} value(s) {sizes} (first at row {first}: {weights[first]:g}); sums and "
            "products of such weights overflow or vanish. Divide the weights by their mean; a negligible one is 0."
        )


def code_groups(groups: Any, n_rows: int) -> tuple[NDArray[np.intp], tuple[Any, ...]]:
    """Return the number of each row's group, from 0, and the groups in the order of their numbers.

    Examples
    --------
    >>> code_groups(["b", "a", "b"], 3)
    (array([1, 0, 1]), ('a', 'b'))
    >>> code_groups(["b", None], 2)
    Traceback (most recent call last):
    calibrant.exceptions.DataError: groups has missing values (first at row 1); drop those rows or name their groups.
    """
    try:
        coded = factorize(groups)
    except DataError as error:
        raise DataError("groups must hold a name or an integer for each row.") from error
    if len(coded.codes) != n_rows:
        raise DataError(f"groups has {len(coded.codes)} rows, X {n_rows}; pass one group for each row.")
    if (coded.codes < 0).any():
        first = int(np.flatnonzero(coded.codes < 0)[0])
        raise DataError(f"groups has missing values (first at row {first}); drop those rows or name their groups.")
    names = np.asarray(coded.categories, dtype=object)
    found, numbers = np.unique(coded.codes, return_inverse=True)
    return numbers, tuple(names[found].tolist())


def read_groups(groups: Any, n_rows: int, rows: NDArray[np.intp] | None = None) -> NDArray[np.intp] | None:
    """Return the number of the group of each row, or of some rows, numbered from 0 without gaps; None where none is.

    Examples
    --------
    >>> read_groups(["c", "a", "b"], 3, np.array([0, 2]))
    array([1, 0])
    """
    if groups is None:
        return None
    numbers = code_groups(groups, n_rows)[0]
    return numbers if rows is None else np.unique(numbers[rows], return_inverse=True)[1]


WeightKind: TypeAlias = Literal["frequency", "probability"]

WEIGHT_KIND = Choice("frequency", "probability")

_LEAST_MEAN = 0.1  # of frequencies: ten rows that count as one are few, and weights that sum to 1 are far below it
_ROUNDING = 1e-6  # of a sum that is 1


def can_be_frequencies(weights: NDArray[np.float64]) -> bool:
    """Return whether weights can be numbers of rows: their mean is not far below 1, and they do not sum to 1.

    Examples
    --------
    >>> can_be_frequencies(np.array([1.0, 2.0, 0.5])), can_be_frequencies(np.full(50, 0.02))
    (True, False)
    """
    total, n_rows = float(weights.sum()), np.count_nonzero(weights)
    return not (total < _LEAST_MEAN * n_rows or (n_rows > 1 and abs(total - 1.0) < _ROUNDING))


def warn_of_weights(weights: NDArray[np.float64] | None) -> None:
    """Warn where weights are read as frequencies and cannot be.

    Examples
    --------
    >>> warn_of_weights(np.array([1.0, 2.0]))
    """
    if weights is None or can_be_frequencies(weights):
        return
    n_rows, total = np.count_nonzero(weights), float(weights.sum())
    warnings.warn(
        f"sample_weight of {n_rows:,} rows sums to {total:.3g}, so as frequencies they count as {total:.3g} row(s): "
        "too few for anything to be learned or known. Divide the weights by their mean, and pass "
        'weight_kind="probability" where a weight is the number of cases that a row represents.',
        CalibrantWarning,
        stacklevel=caller_level(),
    )


def as_frequencies(weights: NDArray[np.float64] | None, kind: WeightKind) -> NDArray[np.float64] | None:
    """Return positive weights as frequencies; warn of those that are passed as such and cannot be.

    Probability weights are scaled so that their sum is the effective number of rows, (sum w)^2 / sum w^2 (Kish 1965).

    Examples
    --------
    >>> as_frequencies(np.array([0.25, 0.25, 0.5]), "probability").round(3)
    array([0.667, 0.667, 1.333])
    """
    check_param("weight_kind", kind, WEIGHT_KIND)
    if weights is None or kind == "frequency":
        warn_of_weights(weights)
        return weights
    return np.asarray(weights * (weights.sum() / (weights**2).sum()))
