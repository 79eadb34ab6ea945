"""What methods are tried on: rows that count, their outcomes, weights and groups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import indexable

from calibrant._sklearn import num_samples
from calibrant.calibration._internal import take_rows
from calibrant.data._internal import check_weights, code_labels
from calibrant.exceptions import DataError, DataTypeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Case", "read_case"]


@dataclass(frozen=True, eq=False)
class Case:
    """Rows of weight above 0 with their outcomes.

    Parameters
    ----------
    X, y
        The rows and their outcomes as they were given.
    outcome : array of shape (n_rows,)
        The number of each row's class in `classes`, or the number to be predicted.
    classes : array or None
        The classes, sorted; None where numbers are predicted.
    weight : array of shape (n_rows,) or None
        How often each row counts; None where each counts once.
    groups
        The group of each row as given, or None.
    rows : array of shape (n_rows,)
        Where each row stood among all that were given.
    n_given : int
        How many were given.
    """

    X: Any
    y: Any
    outcome: NDArray[Any]
    classes: NDArray[Any] | None
    weight: NDArray[np.float64] | None
    groups: Any
    rows: NDArray[np.intp]
    n_given: int

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.outcome)

    def only(self, rows: NDArray[np.intp]) -> Case:
        """Give some of the rows as if there were no others, the classes as they are."""
        return replace(
            self,
            X=take_rows(self.X, rows),
            y=take_rows(self.y, rows),
            outcome=self.outcome[rows],
            weight=None if self.weight is None else self.weight[rows],
            groups=None if self.groups is None else take_rows(self.groups, rows),
            rows=self.rows[rows],
        )


def read_case(X: Any, y: Any, sample_weight: Any, groups: Any, *, is_regression: bool) -> Case:
    """Check outcomes and weights; the table is each method's to check.

    Examples
    --------
    >>> case = read_case([[1], [2], [3]], ["b", "a", "b"], [1, 0, 2], None, is_regression=False)
    >>> case.X, case.outcome.tolist(), case.classes.tolist(), case.rows.tolist()
    ([[1], [3]], [0, 0], ['b'], [0, 2])
    """
    X = indexable(X)[0]
    n_rows = int(num_samples(X))
    weight = check_weights(sample_weight, n_rows)
    kept = np.arange(n_rows) if weight is None or weight.all() else np.flatnonzero(weight)
    outcome, classes = (_numbers(y, n_rows), None) if is_regression else _classes(y, n_rows, kept)
    if is_regression:
        outcome = outcome[kept]
    if groups is not None and num_samples(groups) != n_rows:
        raise DataError(f"groups has {num_samples(groups)} rows, X {n_rows}; pass one group for each row.")
    if len(kept) < n_rows:
        X, y = take_rows(X, kept), take_rows(y, kept)
        groups = None if groups is None else take_rows(groups, kept)
    weight = None if weight is None or (weight[kept] == 1).all() else weight[kept]
    return Case(X, y, outcome, classes, weight, groups, kept, n_rows)


def _classes(y: Any, n_rows: int, kept: NDArray[np.intp]) -> tuple[NDArray[Any], NDArray[Any]]:
    labels = code_labels(y, n_rows, None if len(kept) == n_rows else kept)
    return labels.codes, labels.classes


def _numbers(y: Any, n_rows: int) -> NDArray[np.float64]:
    try:
        numbers = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataTypeError("y must hold the numbers to be predicted, one a row.") from error
    if numbers.shape != (n_rows,) or not np.isfinite(numbers).all():
        raise DataError(f"y must hold {n_rows} finite numbers, one for each row of X; got shape {numbers.shape}.")
    return numbers
