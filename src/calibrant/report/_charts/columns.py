"""Columns of numbers and texts as JSON writes them: short, and without what JSON does not have."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["column_values", "harmless", "read_column"]

_DIGITS = 6
_MOST_DIGITS = 15  # of a 64-bit float


def read_column(values: Any) -> NDArray[Any]:
    """Return a column as an array, of floats if it has numbers; None is a missing number.

    Examples
    --------
    >>> read_column([1, None]), read_column(["a"])
    (array([ 1., nan]), array(['a'], dtype=object))
    """
    array = np.asarray(values)
    if array.dtype.kind in "iufb":
        return array.astype(np.float64, copy=False)
    if all(value is None or isinstance(value, int | float | np.number | np.bool_) for value in array.ravel()):
        return array.astype(np.float64)
    return array.astype(object)


# Of JavaScript's Object.prototype: Vega looks values up in objects that have them
_PROPERTIES = {
    *("__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__", "constructor"),
    *("hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf"),
}


def column_values(values: NDArray[Any]) -> list[Any]:
    """Return the values of a column for JSON: whole numbers as they are, others to six digits of their range.

    What is not finite is None.

    Examples
    --------
    >>> column_values(np.array([1 / 3, np.nan, np.inf])), column_values(np.array([1234567.0, 2.0]))
    ([0.333333, None, None], [1234567, 2])
    >>> column_values(np.array([1000000.12345678, 1000001.0]))
    [1000000.12346, 1000001.0]
    """
    if values.dtype.kind != "f":
        return [None if value is None else harmless(str(value)) for value in values]
    finite = values[np.isfinite(values)]
    if bool((finite == np.floor(finite)).all()) and bool((np.abs(finite) < 2.0**53).all()):
        return [int(value) if math.isfinite(value) else None for value in values.tolist()]
    digits = _digits(finite)
    return [_rounded(value, digits) for value in values.tolist()]


def _digits(finite: NDArray[np.float64]) -> int:
    """Return the number of significant digits: more where a column varies little around a large number."""
    span = float(np.ptp(finite)) or float(np.abs(finite).max())
    excess = math.floor(math.log10(float(np.abs(finite).max()) / span)) if span else 0
    return min(_DIGITS + max(0, excess), _MOST_DIGITS)


def _rounded(value: float, digits: int) -> float | int | None:
    if not math.isfinite(value):
        return None
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded in (0.0, 1.0) else rounded


def harmless(text: str) -> str:
    """Return a text, with an invisible character more where Vega would take it for a property of every object."""
    return f"{text}\u200b" if text in _PROPERTIES else text
