"""Input validation for prediction; an array of floats is passed to the core unchanged."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.data._frames.columns import MAX_ROWS, match_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._frames.schema import Schema

__all__ = ["Rows", "read_rows"]

# The number of rows, and a matrix of floats or a list of columns.
Rows = tuple[int, "NDArray[Any] | list[NDArray[Any]]"]

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def read_rows(X: Any, schema: Schema, who: str, *, has_names: bool) -> Rows:
    """Match rows to the schema of ``fit``; warn, as scikit-learn does, if only one of the tables has names.

    Examples
    --------
    >>> from calibrant.data._frames.columns import fit_columns
    >>> read_rows([[5], [6]], fit_columns([[1], [2]]).schema, "it", has_names=False)
    (2, [array([5., 6.])])
    """
    if is_float_matrix(X, schema):
        rows, named = (len(X), X), False
    else:
        columns = match_columns(X, schema, who)
        rows, named = (columns.n_rows, list(columns.arrays)), columns.feature_names is not None
    if named != has_names:
        message = "X does not have valid feature names, but {} was fitted with feature names"
        if named:
            message = "X has feature names, but {} was fitted without feature names"
        warnings.warn(message.format(who), UserWarning, stacklevel=4)
    return rows


def is_float_matrix(X: Any, schema: Schema) -> bool:
    """Return whether X is an array that input validation would leave unchanged."""
    return (
        type(X) is np.ndarray
        and X.dtype in _FLOATS
        and X.ndim == 2
        and X.shape[1] == len(schema.features)
        and 0 < len(X) <= MAX_ROWS
        and X.flags.aligned
        and schema.is_numbers
        and all(stride % X.itemsize == 0 for stride in X.strides)
    )
