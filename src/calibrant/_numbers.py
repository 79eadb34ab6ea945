"""Arrays of real numbers made of what a caller passes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.exceptions import DataTypeError


def as_floats(values: Any) -> NDArray[np.float64]:
    """Return numbers as an array; raise a DataTypeError, which is a TypeError, for complex and for vast ones.

    NumPy only warns of complex numbers, and drops their imaginary parts.

    Examples
    --------
    >>> as_floats([1, 2])
    array([1., 2.])
    >>> as_floats(np.array([1j]))
    Traceback (most recent call last):
    calibrant.exceptions.DataTypeError: Complex data not supported: numbers must be real. Pass their real parts.
    """
    # Also of an object that allows no function of NumPy but conversion
    dtype = getattr(values, "dtype", None)
    if (np.asarray(values).dtype.kind == "c") if dtype is None else np.iscomplexobj(values):
        raise DataTypeError("Complex data not supported: numbers must be real. Pass their real parts.")
    try:
        return np.asarray(values, dtype=np.float64)
    except OverflowError as error:
        raise DataTypeError("numbers must be floats; got an int too large for one. Pass smaller numbers.") from error


def as_unmasked_floats(values: Any) -> NDArray[np.float64]:
    """Return numbers as an array, with NaN for those that a masked array masks.

    Examples
    --------
    >>> as_unmasked_floats(np.ma.masked_less([1, -1], 0))
    array([ 1., nan])
    """
    if isinstance(values, np.ma.MaskedArray) and not np.iscomplexobj(values):
        return np.asarray(np.ma.filled(np.ma.asarray(values, dtype=np.float64), np.nan))
    return as_floats(values)
