"""NumPy arrays and scalars as JSON documents."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["build_array", "describe_array", "describe_scalar", "fits_document"]

_MAX_BYTES = 2**20  # of an array in a document; a larger one is told apart by its digest but not kept
_MAX_LISTED = 100  # values that a person may want to read
_PLAIN = "biuf"  # kinds whose values JSON has
_RAW = "biufcMmUS"  # kinds whose bytes are the values


def fits_document(array: NDArray[Any]) -> bool:
    """Return whether an array can be kept in a document.

    Examples
    --------
    >>> fits_document(np.arange(3)), fits_document(np.zeros(3, dtype="f8,i4")), fits_document(np.zeros(10**7))
    (True, False, False)
    """
    return array.dtype.kind in f"{_RAW}O" and array.dtype.names is None and array.nbytes <= _MAX_BYTES


def describe_array(array: NDArray[Any], describe: Callable[[Any], Any]) -> dict[str, Any]:
    """Return an array as a document: a few numbers as a list, else the bytes in base 64, little-endian.

    Examples
    --------
    >>> describe_array(np.array([[1, 2]]), lambda value: value)
    {'array': [1, 2], 'dtype': '<i8', 'shape': [1, 2]}
    """
    kind = array.dtype.kind
    if kind == "O":
        values: Any = [describe(each) for each in array.ravel().tolist()]
    elif kind in _PLAIN and array.size <= _MAX_LISTED:
        values = [describe(each) for each in array.astype(np.float64 if kind == "f" else array.dtype).ravel().tolist()]
    else:
        values = base64.b64encode(array.astype(array.dtype.newbyteorder("<")).tobytes()).decode()
    dtype = "object" if kind == "O" else array.dtype.newbyteorder("<").str
    return {"array": values, "dtype": dtype} | ({} if array.ndim == 1 else {"shape": list(array.shape)})


def describe_scalar(scalar: np.generic, describe: Callable[[Any], Any]) -> Any:
    """Return a NumPy scalar as a document: Python's number or string where that is equal and as precise.

    Examples
    --------
    >>> describe_scalar(np.int64(3), lambda value: value)
    3
    >>> describe_scalar(np.float32(0.5), lambda value: value)
    {'scalar': 0.5, 'dtype': '<f4'}
    """
    if isinstance(scalar, np.bool_ | np.integer | np.float64 | np.str_):
        return describe(scalar.item())
    document = describe_array(np.asarray(scalar), describe)
    values = document["array"]
    return {"scalar": values[0] if isinstance(values, list) else values, "dtype": document["dtype"]}


def build_array(values: Any, dtype: str, shape: list[int]) -> NDArray[Any]:
    """Return the array of a described list of built values, or of bytes in base 64.

    Examples
    --------
    >>> build_array([1, 2], "<i8", [2])
    array([1, 2])
    """
    if isinstance(values, str):
        return np.frombuffer(base64.b64decode(values, validate=True), dtype=dtype).reshape(shape).copy()
    array = np.empty(len(values), dtype=dtype)
    array[:] = values
    return array.reshape(shape)
