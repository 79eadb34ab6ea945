"""The rows that methods are tried on, validated once: outcomes, weights and groups; rows of weight 0 dropped."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import indexable

from calibrant._numbers import as_floats
from calibrant._sklearn import num_samples
from calibrant.calibration._internal import take_rows
from calibrant.data._internal import Labels, check_weights, code_labels
from calibrant.exceptions import DataError, DataTypeError
from calibrant.resampling._plans.plan_rows import PlanRows, read_plan_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TrialData", "read_trial_data"]


@dataclass(frozen=True, eq=False)
class TrialData:
    """Rows of weight above 0 with their outcomes; `X`, `y` and `groups` as they were passed."""

    X: Any
    y: Any
    outcome: NDArray[Any]  # the number of each row's class in `classes`, or the number to predict
    labels: Labels | None  # None for regression
    weight: NDArray[np.float64] | None  # None where all weights are 1
    groups: Any
    rows: NDArray[np.intp]  # the position of each row among all rows passed
    n_passed: int

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.outcome)

    @property
    def classes(self) -> NDArray[Any] | None:
        """The classes, sorted; None for regression."""
        return None if self.labels is None else self.labels.classes

    def plan_rows(self) -> PlanRows:
        """Return the rows as plans split them, without coding the classes again where the codes are the same."""
        rows = read_plan_rows(self.X, self.y, self.groups, codes=self._codes())
        return replace(rows, are_classes=self.labels is not None)

    def _codes(self) -> NDArray[Any] | None:
        """Return the classes numbered as declared, or None where that has gaps which `labels` does not show."""
        labels = self.labels
        if labels is None or self.n_passed > self.n_rows or labels.n_declared > len(labels.classes):
            return None
        return np.asarray(np.argsort(labels.declared)[labels.codes])


def read_trial_data(X: Any, y: Any, sample_weight: Any, groups: Any, *, is_regression: bool) -> TrialData:
    """Validate outcomes and weights; each method validates the table itself.

    Examples
    --------
    >>> data = read_trial_data([[1], [2], [3]], ["b", "a", "b"], [1, 0, 2], None, is_regression=False)
    >>> data.X, data.outcome.tolist(), data.classes.tolist(), data.rows.tolist()
    ([[1], [3]], [0, 0], ['b'], [0, 2])
    """
    X = indexable(X)[0]
    n_rows = int(num_samples(X))
    weight = check_weights(sample_weight, n_rows)
    kept = np.arange(n_rows) if weight is None or weight.all() else np.flatnonzero(weight)
    labels = None if is_regression else code_labels(y, n_rows, None if len(kept) == n_rows else kept)
    outcome = _read_numbers(y, n_rows)[kept] if labels is None else labels.codes
    if groups is not None and num_samples(groups) != n_rows:
        raise DataError(f"groups has {num_samples(groups)} rows, X {n_rows}; pass one group for each row.")
    if len(kept) < n_rows:
        X, y = take_rows(X, kept), take_rows(y, kept)
        groups = None if groups is None else take_rows(groups, kept)
    weight = None if weight is None or (weight[kept] == 1).all() else weight[kept]
    return TrialData(X, y, outcome, labels, weight, groups, kept, n_rows)


def _read_numbers(y: Any, n_rows: int) -> NDArray[np.float64]:
    try:
        numbers = as_floats(y)
    except (TypeError, ValueError) as error:
        raise DataTypeError("y must hold the numbers to predict, one for each row.") from error
    if numbers.shape != (n_rows,) or not np.isfinite(numbers).all():
        raise DataError(f"y must hold {n_rows} finite numbers, one for each row of X; got shape {numbers.shape}.")
    return numbers
