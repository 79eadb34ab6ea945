"""One column of any library as an array: numbers as floats, nominal values as codes and categories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from calibrant.data._frames.objects import (
    is_missing,
    object_codes,
    object_kind,
    object_measure,
    object_numbers,
    to_python,
)
from calibrant.exceptions import DataTypeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._tables.table import Kind

__all__ = ["CategoryCodes", "column_kind", "column_measure", "holds_objects", "nominal_codes", "numeric_values"]

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
    """Return what a numeric column holds: numbers, dates, durations or times of day; "" if all objects are missing."""
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
