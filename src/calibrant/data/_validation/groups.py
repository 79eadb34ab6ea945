"""Input validation of `groups`: the patient, household or session that each row belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.data._validation.labels_and_weights import factorize
from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["code_groups", "read_groups"]


def code_groups(groups: Any, n_rows: int) -> tuple[NDArray[np.intp], tuple[Any, ...]]:
    """Return the number of each row's group, from 0, and the groups in the order of their numbers.

    Examples
    --------
    >>> code_groups(["b", "a", "b"], 3)
    (array([1, 0, 1]), ('a', 'b'))
    >>> code_groups(["b", None], 2)
    Traceback (most recent call last):
    calibrant.exceptions.DataError: groups has missing values (first at row 1); drop those rows or name their groups.
    """
    try:
        coded = factorize(groups)
    except DataError as error:
        raise DataError("groups must hold a name or an integer for each row.") from error
    if len(coded.codes) != n_rows:
        raise DataError(f"groups has {len(coded.codes)} rows, X {n_rows}; pass one group for each row.")
    if (coded.codes < 0).any():
        first = int(np.flatnonzero(coded.codes < 0)[0])
        raise DataError(f"groups has missing values (first at row {first}); drop those rows or name their groups.")
    names = np.asarray(coded.categories, dtype=object)
    found, numbers = np.unique(coded.codes, return_inverse=True)
    return numbers, tuple(names[found].tolist())


def read_groups(groups: Any, n_rows: int, rows: NDArray[np.intp] | None = None) -> NDArray[np.intp] | None:
    """Return the number of the group of each row, or of some rows, numbered from 0 without gaps; None where none is.

    Examples
    --------
    >>> read_groups(["c", "a", "b"], 3, np.array([0, 2]))
    array([1, 0])
    """
    if groups is None:
        return None
    numbers = code_groups(groups, n_rows)[0]
    return numbers if rows is None else np.unique(numbers[rows], return_inverse=True)[1]
