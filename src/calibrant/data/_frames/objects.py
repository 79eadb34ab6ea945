"""Columns of Python objects: their kind, missing values, codes, and dates as numbers."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.exceptions import DataTypeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._tables.table import Kind

__all__ = ["is_missing", "object_codes", "object_kind", "object_measure", "object_numbers", "to_python", "without_mask"]

_NUMBERS = (int, float, np.integer, np.floating, Decimal)
_TIMES = (date, time, timedelta, np.datetime64, np.timedelta64)
_MICROSECOND = timedelta(microseconds=1)


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
    """Return what the first object that is not missing measures, "" if all are missing.

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
