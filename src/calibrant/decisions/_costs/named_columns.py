"""Class probabilities in the order of the classes of costs, whatever the order of the columns of a frame."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._numbers import as_floats
from calibrant.data._internal import caller_level, classes_of_columns, column_names, named_classes, order_columns
from calibrant.exceptions import CalibrantWarning, DataTypeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["columns_by_name"]


def columns_by_name(proba: Any, labels: tuple[Any, ...] | None) -> NDArray[np.float64]:
    """Return probabilities as an array, the columns of a frame in the order of the labels.

    Where the costs have no labels, the names of a frame's columns in sorted order are the classes. A frame of one
    column holds the probability of either of two classes, which its name determines.

    Examples
    --------
    >>> import pandas
    >>> columns_by_name(pandas.DataFrame({"yes": [0.2], "no": [0.8]}), ("no", "yes"))
    array([[0.8, 0.2]])
    """
    try:
        values = as_floats(proba)
    except (TypeError, ValueError) as error:
        raise DataTypeError(
            "proba must hold numbers: a column for each class, or one column for the last of two."
        ) from error
    names = column_names(proba)
    if not names:
        return values
    classes = list(labels) if labels is not None else _sorted_names(proba)
    found = classes_of_columns("proba", names, classes)
    if len(names) == 1:
        return 1.0 - values[:, 0] if found is not None and found[0] != classes[-1] else values[:, 0]
    return order_columns(values, found, classes)


def _sorted_names(proba: Any) -> list[Any]:
    """Return the names of columns in sorted order, with a warning where that is not the order of the columns."""
    classes = named_classes(proba)
    if classes and classes != column_names(proba):
        warnings.warn(
            f"costs do not name the classes; they are taken to be the columns of proba in sorted order, {classes}. "
            "Pass a CostMatrix with labels=, or an array.",
            CalibrantWarning,
            stacklevel=caller_level(),
        )
    return classes
