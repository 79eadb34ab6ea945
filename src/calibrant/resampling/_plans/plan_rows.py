"""The door of the plans: how many rows there are, their classes to stratify by, and the groups that stay together."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.multiclass import type_of_target

from calibrant._sklearn import num_samples
from calibrant.data._internal import factorize
from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PlanRows", "read_plan_rows"]


@dataclass(frozen=True, eq=False)
class PlanRows:
    """Rows to divide.

    Parameters
    ----------
    n_rows : int
        Their number.
    strata : array of shape (n_rows,) or None
        The number of each row's class; None where y is absent or holds measurements.
    groups : array of shape (n_rows,) or None
        The number of each row's group.
    names : tuple
        The groups by their numbers.
    given : tuple of three
        X, y and groups as they came.
    """

    n_rows: int
    strata: NDArray[np.intp] | None = None
    groups: NDArray[np.intp] | None = None
    names: tuple[Any, ...] = ()
    given: tuple[Any, Any, Any] = (None, None, None)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.names)

    def stratified(self, wanted: bool) -> NDArray[np.intp] | None:
        """Give the classes where they are wanted."""
        return self.strata if wanted else None


def read_plan_rows(X: Any, y: Any = None, groups: Any = None) -> PlanRows:
    """Check what a plan is to divide.

    Examples
    --------
    >>> rows = read_plan_rows([[1], [2], [3]], ["b", "a", "b"], groups=["x", "y", "x"])
    >>> rows.n_rows, rows.strata.tolist(), rows.groups.tolist(), rows.names
    (3, [1, 0, 1], [0, 1, 0], ('x', 'y'))
    """
    n_rows = int(num_samples(y if X is None else X))
    strata = None if y is None else _strata(y)
    if strata is not None and len(strata) != n_rows:
        raise DataError(f"y has {len(strata)} rows, X {n_rows}; pass one class for each row.")
    if groups is None:
        return PlanRows(n_rows, strata, given=(X, y, None))
    try:
        coded = factorize(groups)
    except DataError as error:
        raise DataError("groups must hold a name or a whole number for each row.") from error
    if len(coded.codes) != n_rows:
        raise DataError(f"groups has {len(coded.codes)} rows, X {n_rows}; pass one group for each row.")
    if (coded.codes < 0).any():
        first = int(np.flatnonzero(coded.codes < 0)[0])
        raise DataError(f"groups has missing values (first at row {first}); give each row a group or drop it.")
    names = np.asarray(coded.categories, dtype=object)
    found, numbers = np.unique(coded.codes, return_inverse=True)
    return PlanRows(n_rows, strata, numbers, tuple(names[found].tolist()), (X, y, groups))


def _strata(y: Any) -> NDArray[np.intp] | None:
    """Give the number of each row's class; measurements have none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # many classes: then they hardly matter, and do no harm
        kind = type_of_target(y)
    if kind not in ("binary", "multiclass"):
        return None
    return np.asarray(factorize(y).codes, dtype=np.intp)
