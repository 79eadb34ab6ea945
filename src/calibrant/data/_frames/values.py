"""One column as numbers or as category codes: of an array, of Python objects, of a frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from calibrant.data._tables.table import Kind
from calibrant.exceptions import DataTypeError

_NUMBERS = (int, float, np.integer, np.floating, Decimal)
_TIMES = (date, time, timedelta, np.datetime64, np.timedelta64)
_MICROSECOND = timedelta(microseconds=1)
_LEAST_TEXTS, _LEAST_WORDS = 20, 3  # of a column of free text; fewer rows seldom repeat anything
_COUNTED_TEXTS = 1_000


def object_kind(column: NDArray[Any], name: str) -> Kind:
    """Return the kind of a column of objects; raise if it mixes types, apart from missing values.

    Examples
    --------
    >>> object_kind(np.array([1, None], dtype=object), "a"), object_kind(np.array(["x"], dtype=object), "b")
    ('numeric', 'nominal')
    """
    types: dict[str, int] = {}
    for row, value in enumerate(column):
        types.setdefault(_type_name(value), row)
    types.pop("missing", None)
    if len(types) > 1 or "other" in types:
        raise DataTypeError(_mixed_message(column, name, types))
    return "nominal" if types.keys() & {"strings", "booleans"} else "numeric"


def object_measure(column: NDArray[Any]) -> str:
    """Return the measure of the first object that is not missing, "" if all are missing.

    Examples
    --------
    >>> object_measure(np.array([None, date(1970, 1, 2)], dtype=object))
    'dates'
    """
    value = next((value for value in column if not is_missing(value)), None)
    if isinstance(value, date | np.datetime64):
        return "dates"
    if isinstance(value, timedelta | np.timedelta64):
        return "durations"
    return "" if value is None else "times of day" if isinstance(value, time) else "numbers"


def object_numbers(column: NDArray[Any], name: str) -> NDArray[np.float64]:
    """Return objects as floats: missing values as NaN, dates and times as microseconds.

    Examples
    --------
    >>> object_numbers(np.array([date(1970, 1, 2), None], dtype=object), "since")
    array([8.64e+10,      nan])
    """
    try:
        return np.array([np.nan if is_missing(value) else _number(value) for value in column], dtype=np.float64)
    except OverflowError as error:
        raise DataTypeError(f"column {name!r} holds an integer too large for a float; rescale the column.") from error


def object_codes(column: NDArray[Any]) -> tuple[NDArray[np.int32], tuple[Any, ...]]:
    """Return the codes and the sorted values of objects, with -1 for missing values.

    Examples
    --------
    >>> object_codes(np.array(["b", None, "a"], dtype=object))
    (array([ 1, -1,  0], dtype=int32), ('a', 'b'))
    """
    values = sorted({to_python(value) for value in column if not is_missing(value)})
    code_of = {value: code for code, value in enumerate(values)}
    codes = [-1 if is_missing(value) else code_of[to_python(value)] for value in column]
    return np.array(codes, dtype=np.int32), tuple(values)


def is_missing(value: object) -> bool:
    """Return whether a value is missing: None, NaN, NaT or pandas' NA.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing(0)
    (True, True, False)
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return isinstance(value, float | np.floating) and bool(value != value)


def to_python(value: Any) -> Any:
    """Return NumPy scalars as Python values and integral floats as ints, so that all libraries give equal categories.

    Examples
    --------
    >>> to_python(np.float64(3.0)), to_python("a")
    (3, 'a')
    """
    value = value.item() if isinstance(value, np.generic) else value
    return int(value) if isinstance(value, float) and value.is_integer() else value


def without_mask(array: Any) -> NDArray[Any]:
    """Return a masked array as objects, with None for masked values.

    Examples
    --------
    >>> without_mask(np.ma.masked_array([1.5, 2.5], mask=[False, True]))
    array([1.5, None], dtype=object)
    """
    objects = np.ma.getdata(array).astype(object)
    objects[np.ma.getmaskarray(array)] = None
    return objects


def _type_name(value: object) -> str:
    if is_missing(value):
        return "missing"
    if isinstance(value, str):
        return "strings"
    if isinstance(value, bool | np.bool_):
        return "booleans"
    if isinstance(value, _NUMBERS):
        return "numbers"
    return "dates or times" if isinstance(value, _TIMES) else "other"


def _mixed_message(column: NDArray[Any], name: str, types: dict[str, int]) -> str:
    if "other" in types:
        row = types["other"]
        kind = type(column[row]).__name__
        return (
            f"column {name!r} holds a value of type {kind} at row {row}: each argument must be a string or a real "
            "number. Drop the column, or convert it to strings or numbers."
        )
    examples = " and ".join(f"{column[row]!r:.60} at row {row}" for row in sorted(types.values())[:2])
    return f"column {name!r} mixes {' and '.join(types)} ({examples}); convert it to strings or to numbers."


def _number(value: Any) -> float:
    return _microseconds(value) if isinstance(value, _TIMES) else float(value)


def _microseconds(value: Any) -> float:
    """Return the microseconds of a duration, of a date since 1970, or of a time of day since midnight."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        unit = "M8[us]" if isinstance(value, np.datetime64) else "m8[us]"
        return float(value.astype(unit).astype(np.int64))
    if isinstance(value, datetime):
        value -= datetime(1970, 1, 1, tzinfo=None if value.tzinfo is None else UTC)
    elif isinstance(value, date):
        value = timedelta(days=value.toordinal() - date(1970, 1, 1).toordinal())
    elif isinstance(value, time):
        value = timedelta(hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond)
    return float(value / _MICROSECOND)


# A narwhals Series or a one-dimensional array.
AnyColumn = Any

_SUPPORTED = "a column must hold numbers, dates, booleans, strings or categories."


@dataclass(frozen=True)
class CategoryCodes:
    """Codes into categories, -1 for missing values; ``declared`` if the column itself lists its categories."""

    codes: NDArray[np.int32]
    categories: tuple[Any, ...]
    declared: bool = False


def column_kind(column: AnyColumn, name: str) -> Kind:
    """Return whether a column is numeric or nominal by its type; of objects the values are inspected."""
    if isinstance(column, np.ndarray):
        return _array_kind(column, name)
    dtype = column.dtype
    if dtype.is_numeric() or dtype.is_temporal():
        return "numeric"
    if isinstance(dtype, nw.String | nw.Categorical | nw.Enum | nw.Boolean):
        return "nominal"
    if isinstance(dtype, nw.Object | nw.Unknown) and not _is_sparse(column):
        return object_kind(_objects(column), name)
    raise DataTypeError(_type_message(column, name))


def column_measure(column: AnyColumn) -> str:
    """Return the measure of a numeric column: numbers, dates, durations, times of day; "" if all are missing."""
    if isinstance(column, np.ndarray):
        measures = {"M": "dates", "m": "durations"}
        return object_measure(column) if column.dtype.kind == "O" else measures.get(column.dtype.kind, "numbers")
    dtype = column.dtype
    if isinstance(dtype, nw.Object | nw.Unknown):
        return object_measure(_objects(column))
    if isinstance(dtype, nw.Date | nw.Datetime):
        return "dates"
    if isinstance(dtype, nw.Duration):
        return "durations"
    return "times of day" if isinstance(dtype, nw.Time) else "numbers"


def holds_objects(column: AnyColumn) -> bool:
    """Return whether a column is of Python objects; narwhals calls those of pandas strings where the first ones are."""
    if isinstance(column, np.ndarray):
        return bool(column.dtype.kind == "O")
    return isinstance(column.dtype, nw.Object | nw.Unknown) or str(getattr(column.to_native(), "dtype", "")) == "object"


def numeric_values(column: AnyColumn, name: str) -> NDArray[np.floating[Any]]:
    """Return a column as float32 or float64, with NaN for missing values; dates and times as microseconds."""
    if isinstance(column, np.ndarray):
        return _array_numbers(column, name)
    dtype = column.dtype
    if isinstance(dtype, nw.Date | nw.Datetime):
        column = column.dt.timestamp("us")
    elif isinstance(dtype, nw.Duration):
        column = column.dt.total_microseconds()
    elif isinstance(dtype, nw.Object | nw.Unknown | nw.Time):
        return object_numbers(_objects(column), name)
    elif not isinstance(dtype, nw.Float32 | nw.Float64):
        column = column.cast(nw.Float64)
    return _as_float(column.to_numpy())


def nominal_codes(column: AnyColumn, name: str) -> CategoryCodes:
    """Return the codes and categories of a column, in declared order if it declares them, else sorted."""
    if isinstance(column, np.ndarray):
        return _array_codes(column)
    dtype = column.dtype
    if isinstance(dtype, nw.Boolean):
        return CategoryCodes(_as_codes(column.cast(nw.Int32).fill_null(-1).to_numpy()), (False, True), declared=True)
    if dtype.is_integer():
        return _known_codes(column.fill_null(0).to_numpy(), ~column.is_null().to_numpy())
    if dtype.is_numeric() or dtype.is_temporal():
        return _array_codes(numeric_values(column, name))
    if isinstance(dtype, nw.Object | nw.Unknown):
        return _array_codes(_objects(column))
    return _NATIVE_CODES[column.implementation](column.to_native())


def is_free_text(coded: CategoryCodes) -> bool:
    """Return whether a column is free text: 20 known values or more, most of them distinct, of 3 words on average.

    Categories that are declared are never text.

    Examples
    --------
    >>> remarks = np.array([f"parcel {i} came late" for i in range(30)], dtype=object)
    >>> is_free_text(nominal_codes(remarks, "remark")), is_free_text(nominal_codes(remarks[:3].repeat(10), "remark"))
    (True, False)
    """
    n_distinct = len(coded.categories)
    if coded.declared or n_distinct < _LEAST_TEXTS / 2 or not isinstance(coded.categories[0], str):
        return False
    return are_free_texts(coded.categories, int(np.count_nonzero(coded.codes >= 0)))


def are_free_texts(distinct: Sequence[str], n_known: int) -> bool:
    """Return whether distinct strings are free text: of 20 rows or more, most of them distinct, 3 words on average."""
    if n_known < _LEAST_TEXTS or 2 * len(distinct) <= n_known:
        return False
    some = distinct[:: -(-len(distinct) // _COUNTED_TEXTS)]
    return sum(len(text.split()) for text in some) >= _LEAST_WORDS * len(some)


def text_values(column: AnyColumn) -> list[str | None]:
    """Return the strings of a column, with None for missing values."""
    if not isinstance(column, np.ndarray):
        column = _objects(column)
    return [None if is_missing(value) else str(value) for value in column.tolist()]


def _objects(column: AnyColumn) -> NDArray[Any]:
    values = column.to_list()
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects


def _as_float(values: NDArray[Any]) -> NDArray[np.floating[Any]]:
    if values.dtype in (np.float32, np.float64):
        is_regular = values.flags.aligned and values.strides[0] % values.itemsize == 0
        return values if is_regular else values.copy()
    narrow = values.dtype.kind == "f" and values.dtype.itemsize < 4
    with np.errstate(over="ignore"):  # a long double beyond float64 becomes infinite
        return values.astype(np.float32 if narrow else np.float64)


def _as_codes(codes: Any) -> NDArray[np.int32]:
    return np.ascontiguousarray(codes, dtype=np.int32)


# --- arrays -------------------------------------------------------------------------------------------------------


def _array_kind(column: NDArray[Any], name: str) -> Kind:
    kind = column.dtype.kind
    if kind == "O":
        return object_kind(column, name)
    if kind not in "iufMmbUT":
        raise DataTypeError(f"column {name!r} is of type {column.dtype}; {_SUPPORTED}")
    return "nominal" if kind in "bUT" else "numeric"


def _array_numbers(column: NDArray[Any], name: str) -> NDArray[np.floating[Any]]:
    if column.dtype.kind == "O":
        return object_numbers(column, name)
    if column.dtype.kind not in "Mm":
        return _as_float(column)
    ticks = column.astype(f"{column.dtype.kind}8[us]").astype(np.int64).astype(np.float64)
    return np.where(np.isnat(column), np.nan, ticks)


def _array_codes(column: NDArray[Any]) -> CategoryCodes:
    if column.dtype.kind == "b":
        return CategoryCodes(_as_codes(column), (False, True), declared=True)
    if column.dtype.kind in "OT":
        codes, values = object_codes(column.astype(object))
        return CategoryCodes(codes, values, declared=set(map(type, values)) == {bool})
    return _known_codes(column, column == column)


def _known_codes(column: NDArray[Any], known: NDArray[np.bool_]) -> CategoryCodes:
    codes = np.full(len(column), -1, dtype=np.int32)
    values, codes[known] = np.unique(column[known], return_inverse=True)
    return CategoryCodes(codes, tuple(map(to_python, values.tolist())))


# --- frames -------------------------------------------------------------------------------------------------------


def _pandas_codes(series: Any) -> CategoryCodes:
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype):
        return _declared(_as_codes(series.cat.codes), series.cat.categories.tolist())
    if isinstance(series.dtype, pd.ArrowDtype):
        import pyarrow as pa

        return _arrow_codes(pa.chunked_array([pa.array(series)]))
    codes, values = pd.factorize(series, sort=True)
    return CategoryCodes(_as_codes(codes), tuple(values.tolist()))


def _polars_codes(series: Any) -> CategoryCodes:
    import polars as pl

    declared = isinstance(series.dtype, pl.Enum)
    if not declared:
        series = series.cast(pl.String)
        series = series.cast(pl.Enum(series.drop_nulls().unique().sort()))
    codes = series.to_physical().cast(pl.Int32).fill_null(-1).to_numpy()
    return CategoryCodes(_as_codes(codes), tuple(series.dtype.categories.to_list()), declared=declared)


def _arrow_codes(column: Any) -> CategoryCodes:
    import pyarrow as pa

    declared = pa.types.is_dictionary(column.type)
    if not declared:
        column = column.dictionary_encode()
    column = column.unify_dictionaries().combine_chunks()
    chunk = column if isinstance(column, pa.DictionaryArray) else column.chunk(0)
    codes = _as_codes(chunk.indices.cast(pa.int32()).fill_null(-1).to_numpy(zero_copy_only=False))
    values = chunk.dictionary.to_pylist()
    return _declared(codes, values) if declared else _sorted(codes, values)


def _declared(codes: NDArray[np.int32], values: Sequence[Any]) -> CategoryCodes:
    """Return codes in declared order, without the null and repeated values that a dictionary may hold."""
    values = [to_python(value) for value in values]
    code_of = {value: code for code, value in enumerate(dict.fromkeys(v for v in values if not is_missing(v)))}
    if len(code_of) < len(values):
        codes = np.array([-1 if is_missing(v) else code_of[v] for v in values] + [-1], dtype=np.int32)[codes]
    return CategoryCodes(codes, tuple(code_of), declared=True)


def _sorted(codes: NDArray[np.int32], values: Sequence[Any]) -> CategoryCodes:
    order = sorted(range(len(values)), key=values.__getitem__)
    new_code = np.empty(len(values) + 1, dtype=np.int32)
    new_code[order] = np.arange(len(values))
    new_code[-1] = -1
    return CategoryCodes(new_code[codes], tuple(values[i] for i in order))


_NATIVE_CODES: dict[nw.Implementation, Callable[[Any], CategoryCodes]] = {
    nw.Implementation.PANDAS: _pandas_codes,
    nw.Implementation.POLARS: _polars_codes,
    nw.Implementation.PYARROW: _arrow_codes,
}


def _is_sparse(column: AnyColumn) -> bool:
    return str(getattr(column.to_native(), "dtype", "")).startswith("Sparse")


def _type_message(column: AnyColumn, name: str) -> str:
    if _is_sparse(column):
        return f"column {name!r} is sparse; make it dense with X.sparse.to_dense() (or X.toarray() for a matrix)."
    return f"column {name!r} is of type {column.dtype}; {_SUPPORTED}"
