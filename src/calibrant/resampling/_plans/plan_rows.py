"""Input validation of the plans: the number of rows, their classes to stratify by, and their groups."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.multiclass import type_of_target

from calibrant._sklearn import num_samples
from calibrant.data._internal import code_groups, factorize
from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PlanRows", "read_plan_rows"]


@dataclass(frozen=True, eq=False)
class PlanRows:
    """Validated rows to split; ``strata`` is None where y is absent or continuous, ``arguments`` are X, y and groups.

    Classes and groups are numbered from 0; ``group_names`` holds the groups by their numbers. ``are_classes`` is False
    where the strata are equal numbers to predict.
    """

    n_rows: int
    strata: NDArray[np.intp] | None = None
    groups: NDArray[np.intp] | None = None
    group_names: tuple[Any, ...] = ()
    arguments: tuple[Any, Any, Any] = (None, None, None)
    are_classes: bool = True

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.group_names)

    def stratified(self, is_stratified: bool) -> NDArray[np.intp] | None:
        """Return the strata if the plan is stratified, else None."""
        return self.strata if is_stratified else None

    def rarest_class(self) -> tuple[Any, int]:
        """Return the class with the fewest rows, the first of several, and their number; without classes all rows.

        Fractional types hold numbers to predict, also where all are whole numbers.
        """
        if self.strata is None or not self.are_classes or np.asarray(self.arguments[1]).dtype.kind == "f":
            return None, self.n_rows
        _, first, n_rows = np.unique(self.strata, return_index=True, return_counts=True)
        rarest = n_rows.argmin()
        return np.asarray(self.arguments[1]).ravel()[[first[rarest]]].tolist()[0], int(n_rows[rarest])


def read_plan_rows(X: Any, y: Any = None, groups: Any = None, *, codes: NDArray[Any] | None = None) -> PlanRows:
    """Validate what a plan splits; `codes` are those of `factorize(y)` where the caller has them already.

    Examples
    --------
    >>> rows = read_plan_rows([[1], [2], [3]], ["b", "a", "b"], groups=["x", "y", "x"])
    >>> rows.n_rows, rows.strata.tolist(), rows.groups.tolist(), rows.group_names
    (3, [1, 0, 1], [0, 1, 0], ('x', 'y'))
    """
    n_rows = int(num_samples(y if X is None else X))
    strata = None if y is None else _strata(y, codes)
    if strata is not None and len(strata) != n_rows:
        raise DataError(f"y has {len(strata)} rows, X {n_rows}; pass one class for each row.")
    if groups is None:
        return PlanRows(n_rows, strata, arguments=(X, y, None))
    numbers, names = code_groups(groups, n_rows)
    return PlanRows(n_rows, strata, numbers, names, (X, y, groups))


def _strata(y: Any, codes: NDArray[Any] | None) -> NDArray[np.intp] | None:
    """Return the number of each row's class; None for a continuous target."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it warns of many classes, which do no harm here
        kind = type_of_target(y)
    if kind not in ("binary", "multiclass"):
        return None
    return np.asarray(factorize(y).codes if codes is None else codes, dtype=np.intp)
