"""One column of any library into an array: numbers as floats, nominal values as codes and their categories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from calibrant.exceptions import DataTypeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._table import Kind

__all__ = ["Coded", "column_kind", "nominal_codes", "numeric_values"]

# What a column may be handed over as: a narwhals Series, or a one-dimensional array.
AnyColumn = Any


@dataclass(frozen=True)
class Coded:
    """Codes into categories, -1 where missing; ``declared`` where the column itself lists its categories."""

    codes: NDArray[np.int32]
    categories: tuple[Any, ...]
    declared: bool = False


def column_kind(column: AnyColumn, name: str) -> Kind:
    """Say whether a column is numeric or nominal by its type, looking at the values only where it is ``object``."""
    if isinstance(column, np.ndarray):
        return _array_kind(column, name)
    dtype = column.dtype
    if dtype.is_numeric() or dtype.is_temporal():
        return "numeric"
    if isinstance(dtype, nw.String | nw.Categorical | nw.Enum | nw.Boolean):
        return "nominal"
    if isinstance(dtype, nw.Object | nw.Unknown) and not _is_sparse(column):
        return _array_kind(np.asarray(column.to_list(), dtype=object), name)
    raise DataTypeError(_type_message(column, name))


def numeric_values(column: AnyColumn, name: str) -> NDArray[np.floating[Any]]:
    """Give the numbers of a column as float32 or float64, NaN where missing; times as microseconds since 1970."""
    if isinstance(column, np.ndarray):
        return _array_numbers(column, name)
    dtype = column.dtype
    if isinstance(dtype, nw.Date | nw.Datetime):
        column = column.dt.timestamp("us")
    elif isinstance(dtype, nw.Duration):
        column = column.dt.total_microseconds()
    elif isinstance(dtype, nw.Object | nw.Unknown):
        return _array_numbers(np.asarray(column.to_list(), dtype=object), name)
    elif not isinstance(dtype, nw.Float32 | nw.Float64):
        column = column.cast(nw.Float64)
    return _as_float(column.to_numpy())


def nominal_codes(column: AnyColumn, name: str) -> Coded:
    """Give the codes and categories of a column: as declared where it declares them, else the sorted values seen."""
    if isinstance(column, np.ndarray):
        return _array_codes(column)
    dtype = column.dtype
    if isinstance(dtype, nw.Boolean):
        return Coded(_as_codes(column.cast(nw.Int32).fill_null(-1).to_numpy()), (False, True), declared=True)
    if dtype.is_numeric() or dtype.is_temporal():
        return _array_codes(numeric_values(column, name))
    if isinstance(dtype, nw.Object | nw.Unknown):
        return _array_codes(np.asarray(column.to_list(), dtype=object))
    return _NATIVE_CODES[column.implementation](column.to_native())


def _as_float(values: NDArray[Any]) -> NDArray[np.floating[Any]]:
    if values.dtype in (np.float32, np.float64):
        return values
    narrow = values.dtype.kind == "f" and values.dtype.itemsize < 4
    return values.astype(np.float32 if narrow else np.float64)


def _as_codes(codes: Any) -> NDArray[np.int32]:
    return np.ascontiguousarray(codes, dtype=np.int32)


# --- arrays -------------------------------------------------------------------------------------------------------


def _array_kind(column: NDArray[Any], name: str) -> Kind:
    if column.dtype.kind in "iuf":
        return "numeric"
    if column.dtype.kind in "bUT":
        return "nominal"
    if column.dtype.kind != "O":
        raise DataTypeError(f"column {name!r} is of type {column.dtype}; {_WANTED}")
    families: dict[str, int] = {}
    for row, value in enumerate(column):
        families.setdefault(_family(value), row)
    families.pop("hole", None)
    if len(families) > 1 or "other" in families:
        raise DataTypeError(_mixed_message(column, name, families))
    return "nominal" if families and "number" not in families else "numeric"


def _family(value: object) -> str:
    if _is_hole(value):
        return "hole"
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool | np.bool_):
        return "truth value"
    return "number" if isinstance(value, int | float | np.integer | np.floating | Decimal) else "other"


def _is_hole(value: object) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and value != value


def _mixed_message(column: NDArray[Any], name: str, families: dict[str, int]) -> str:
    shown = " and ".join(f"{column[row]!r:.60} at row {row}" for row in sorted(families.values())[:2])
    if "other" in families:
        row = families["other"]
        kind = type(column[row]).__name__
        return f"column {name!r} holds a {kind} at row {row}: each argument must be a string or a real number."
    return f"column {name!r} mixes {' and '.join(families)}s ({shown}); make it all strings or all numbers."


def _array_numbers(column: NDArray[Any], name: str) -> NDArray[np.floating[Any]]:
    if column.dtype.kind != "O":
        return _as_float(column)
    try:
        return np.array([np.nan if _is_hole(value) else float(value) for value in column], dtype=np.float64)
    except OverflowError as error:
        raise DataTypeError(f"column {name!r} holds an integer too large for a float; divide the column.") from error


def _array_codes(column: NDArray[Any]) -> Coded:
    if column.dtype.kind == "b":
        return Coded(_as_codes(column), (False, True), declared=True)
    if column.dtype.kind != "O":
        known = column == column
        full = np.full(len(column), -1, dtype=np.int32)
        values, full[known] = np.unique(column[known], return_inverse=True)
        return Coded(full, tuple(map(_plain, values.tolist())))
    place = {value: code for code, value in enumerate(sorted({_plain(v) for v in column if not _is_hole(v)}))}
    codes = _as_codes([-1 if _is_hole(value) else place[_plain(value)] for value in column])
    return Coded(codes, tuple(place), declared=set(map(type, place)) == {bool})


def _plain(value: Any) -> Any:
    """Give NumPy scalars and whole floats as plain Python values, so that libraries agree on them."""
    value = value.item() if isinstance(value, np.generic) else value
    return int(value) if isinstance(value, float) and value.is_integer() else value


# --- frames -------------------------------------------------------------------------------------------------------


def _pandas_codes(series: Any) -> Coded:
    if series.dtype.name == "category":
        return Coded(_as_codes(series.cat.codes), tuple(map(_plain, series.cat.categories.tolist())), declared=True)
    import pandas as pd

    codes, values = pd.factorize(series, sort=True)
    return Coded(_as_codes(codes), tuple(values.tolist()))


def _polars_codes(series: Any) -> Coded:
    import polars as pl

    declared = isinstance(series.dtype, pl.Enum)
    if not declared:
        series = series.cast(pl.String)
        series = series.cast(pl.Enum(series.drop_nulls().unique().sort()))
    codes = series.to_physical().cast(pl.Int32).fill_null(-1).to_numpy()
    return Coded(_as_codes(codes), tuple(series.dtype.categories.to_list()), declared=declared)


def _arrow_codes(column: Any) -> Coded:
    import pyarrow as pa

    declared = pa.types.is_dictionary(column.type)
    if not declared:
        column = column.dictionary_encode()
    column = column.unify_dictionaries().combine_chunks()
    chunk = column if isinstance(column, pa.DictionaryArray) else column.chunk(0)
    codes = _as_codes(chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False))
    values = chunk.dictionary.to_pylist()
    return Coded(codes, tuple(values), declared=True) if declared else _sorted(codes, values)


def _sorted(codes: NDArray[np.int32], values: Sequence[Any]) -> Coded:
    order = sorted(range(len(values)), key=values.__getitem__)
    place = np.empty(len(values) + 1, dtype=np.int32)
    place[order] = np.arange(len(values))
    place[-1] = -1
    return Coded(place[codes], tuple(values[i] for i in order))


_NATIVE_CODES: dict[nw.Implementation, Callable[[Any], Coded]] = {
    nw.Implementation.PANDAS: _pandas_codes,
    nw.Implementation.POLARS: _polars_codes,
    nw.Implementation.PYARROW: _arrow_codes,
}

_WANTED = "a column must hold numbers, dates, truth values, strings or categories."


def _is_sparse(column: AnyColumn) -> bool:
    return str(getattr(column.to_native(), "dtype", "")).startswith("Sparse")


def _type_message(column: AnyColumn, name: str) -> str:
    if _is_sparse(column):
        return f"column {name!r} is sparse; make it dense with X.sparse.to_dense() (or X.toarray() for a matrix)."
    return f"column {name!r} is of type {column.dtype}; {_WANTED}"
