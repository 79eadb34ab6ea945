"""Names of rows, such as their clusters, as codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.data._internal import factorize
from calibrant.exceptions import DataError, DataTypeError
from calibrant.metrics._validation.predictions import Predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import CategoryCodes

__all__ = ["read_codes"]


def read_codes(name: str, values: Any, predictions: Predictions) -> tuple[NDArray[np.intp], list[Any]]:
    """Validate a name for each row, such as its cluster; return codes of the rows of weight above 0, and the names.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> read_codes("groups", ["x", "y", "x"], read_predictions([0, 1, 1], [0.2, 0.7, 0.6]))
    (array([0, 1, 0]), ['x', 'y'])
    """
    coded = _coded(name, values)
    if len(coded.codes) != predictions.n_input_rows:
        raise DataError(
            f"{name} has {len(coded.codes)} rows, y_proba {predictions.n_input_rows}; pass one for each row."
        )
    codes = coded.codes[predictions.rows]
    if (codes < 0).any():
        first = predictions.rows[np.flatnonzero(codes < 0)[0]]
        raise DataError(f"{name} has {(codes < 0).sum()} missing value(s) (first at row {first}); drop those rows.")
    found, numbers = np.unique(codes, return_inverse=True)
    names = np.asarray(coded.categories).tolist()
    return numbers, [names[code] for code in found.tolist()]


def _coded(name: str, values: Any) -> CategoryCodes:
    """Code the names; periods of time are named by their text."""
    if str(getattr(values, "dtype", "")).startswith("period["):
        values = [str(period) if period == period else None for period in values]  # NaT is not equal to itself
    try:
        return factorize(values)
    except (DataError, DataTypeError) as error:
        is_sequence = np.ndim(values) == 1
        expected = "a string, a whole number, a date or a period" if is_sequence else "a sequence as long as y_true"
        raise DataError(f"{name} must name the group of each row: {expected}; got {_kind(values)}.") from error


def _kind(values: Any) -> str:
    kind = type(values).__name__
    return f"{kind} of shape {np.shape(values)}" if np.ndim(values) else repr(values)
