"""The class of each column of a frame of probabilities: by name, or by position where the names are defaults."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.exceptions import CalibrantWarning, DataError


def column_names(table: Any) -> list[Any]:
    """Return the column names of a frame of pandas, polars or pyarrow; none for an array or a series.

    Examples
    --------
    >>> import polars
    >>> column_names(polars.DataFrame({"yes": [0.3], "no": [0.7]})), column_names(np.eye(2))
    (['yes', 'no'], [])
    """
    names = getattr(table, "column_names", None) or getattr(table, "columns", None)
    return [] if names is None or callable(names) else list(names)


def named_classes(table: Any) -> list[Any]:
    """Return the sorted column names of a frame where they are not its library's defaults, else none.

    Examples
    --------
    >>> import polars
    >>> named_classes(polars.DataFrame(np.eye(2))), named_classes(polars.DataFrame({"yes": [0.3], "no": [0.7]}))
    ([], ['no', 'yes'])
    """
    names = column_names(table)
    if _are_positions(names) or _are_default_texts(names):
        return []
    are_numbers = all(isinstance(_number(name), float) for name in names)
    return sorted(names, key=_number if are_numbers else str)


def classes_of_columns(what: str, names: list[Any], classes: list[Any], *, may_add: bool = False) -> list[Any] | None:
    """Return the class of each column by the names of the columns, or None where they are taken by position.

    Names that are the classes, as values or as text, are matched in any order. Default names (0, 1, ...; "column_0",
    ...) are positions. Names of which only some are classes, or are so only without regard to case and spaces, raise;
    any others are taken by position with a warning.

    Parameters
    ----------
    what : str
        The name of the argument, for messages.
    names : list
        The column names; empty for an array.
    classes : list
        The classes.
    may_add : bool
        Whether names may be those of further classes, which have no rows.

    Returns
    -------
    list or None
        The class of each column, or None for the order of `classes`.

    Examples
    --------
    >>> classes_of_columns("y_proba", ["1", "0"], [0, 1]), classes_of_columns("y_proba", [0, 1], ["a", "b"])
    ([1, 0], None)
    >>> classes_of_columns("y_proba", ["Yes", "No"], ["no", "yes"])
    Traceback (most recent call last):
    calibrant.exceptions.DataError: y_proba has columns ['Yes', 'No'] where the classes are ['no', 'yes']; name the \
columns exactly like the classes, each once, or pass an array.
    """
    if not names or _are_positions(names):
        return None
    found = _matched(names, classes, may_add=may_add)
    if found is not None or _are_default_texts(names):
        return found
    listed = f"{what} has columns {names} where the classes are {classes}"
    if not {_folded(name) for name in names}.isdisjoint(map(_folded, classes)):
        raise DataError(f"{listed}; name the columns exactly like the classes, each once, or pass an array.")
    if len(names) in (1, len(classes)):  # with any other number of columns the caller raises
        warnings.warn(
            f"{listed}; the columns are taken by position. Name them like the classes, or pass an array.",
            CalibrantWarning,
            stacklevel=caller_level(),
        )
    return None


def order_columns(table: NDArray[np.float64], found: list[Any] | None, classes: list[Any]) -> NDArray[np.float64]:
    """Return the columns in the order of the classes, from the class of each; None leaves them as they are.

    Examples
    --------
    >>> order_columns(np.array([[0.2, 0.8]]), ["yes", "no"], ["no", "yes"])
    array([[0.8, 0.2]])
    """
    if found is None or found == classes:
        return table
    return np.ascontiguousarray(table[:, [found.index(name) for name in classes]])


def _matched(names: list[Any], classes: list[Any], *, may_add: bool) -> list[Any] | None:
    """Return the class of each name: the same value, the same text or the same number."""
    if len(set(names)) == len(names) and (may_add and set(classes) < set(names)):
        known = {name: name for name in classes}
        return [known.get(name, name) for name in names]
    for key in _KEYS:
        by_key, keys = {key(name): name for name in classes}, [key(name) for name in names]
        is_one = len(names) == 1 and keys[0] in by_key  # one column is that of either class
        if len(by_key) == len(classes) and (is_one or (len(keys) == len(by_key) and set(keys) == by_key.keys())):
            return [by_key[each] for each in keys]
    return None


def _number(name: Any) -> Any:
    try:
        return float(name)
    except (TypeError, ValueError):
        return str(name)


_KEYS: tuple[Callable[[Any], Any], ...] = (lambda name: name, str, _number)


def _are_positions(names: list[Any]) -> bool:
    """Return whether names are 0, 1, ..., as pandas numbers columns; False and True are classes."""
    return names == list(range(len(names))) and not any(isinstance(name, bool | np.bool_) for name in names)


def _are_default_texts(names: list[Any]) -> bool:
    """Return whether names are those that polars makes up, or the numbers of pandas written as text."""
    return names == [""] or any(
        names == [f"{prefix}{position}" for position in range(len(names))] for prefix in ("column_", "")
    )


def _folded(name: Any) -> str:
    """Return a name without case and spaces."""
    return "".join(str(name).split()).casefold()


def caller_level() -> int:
    """Return the stack level at which a warning of the calling function points at code outside of this package.

    Examples
    --------
    >>> caller_level() >= 1
    True
    """
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "calibrant":
        level, frame = level + 1, frame.f_back
    return level
