"""Rows that a blend is measured on: their columns, classes, weights and groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.blending._members.estimator import EstimatorModel
from calibrant.blending._members.member import BlendRows
from calibrant.calibration._internal import take_rows
from calibrant.data._internal import check_weights, code_labels, read_groups
from calibrant.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from calibrant.blending._pool.blend import Blend
    from calibrant.data._internal import Rows

__all__ = ["MeasuredRows", "check_passed", "foreign_members", "read_measured_rows"]


@dataclass(frozen=True, eq=False)
class MeasuredRows:
    """Validated rows with their actual classes; ``X`` has them as passed."""

    columns: Sequence[NDArray[Any]]
    codes: NDArray[np.intp]
    weight: NDArray[np.float64]
    groups: NDArray[np.intp] | None
    X: Any = None

    @property
    def rows(self) -> Rows:
        """The number of rows and their columns."""
        return len(self.codes), list(self.columns)

    @property
    def to_predict(self) -> BlendRows:
        """The rows as the members of a blend take them."""
        return BlendRows(self.rows, self.X)


def read_measured_rows(model: Any, X: Any, y: Any, sample_weight: Any, groups: Any) -> MeasuredRows:
    """Validate rows of known classes against the columns and classes of a fitted classifier; drop those of weight 0."""
    n_rows, columns = model._rows(X)
    weight = check_weights(sample_weight, n_rows)
    kept = np.arange(n_rows) if weight is None else np.flatnonzero(weight)
    arrays = columns if isinstance(columns, list) else list(np.asarray(columns, dtype=np.float64).T)
    return MeasuredRows(
        [np.ascontiguousarray(array[kept]) for array in arrays],
        _codes(y, n_rows, kept, model.classes_),
        np.ones(len(kept)) if weight is None else weight[kept],
        read_groups(groups, n_rows, kept),
        X if len(kept) == n_rows else take_rows(X, kept),
    )


def _codes(y: Any, n_rows: int, kept: NDArray[np.intp], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the class of each row as a position in the fitted classes."""
    labels = code_labels(y, n_rows, kept)
    position_of = {label: position for position, label in enumerate(classes.tolist())}
    unknown = [label for label in labels.classes.tolist() if label not in position_of]
    if unknown:
        raise DataError(
            f"y has the class {unknown[0]!r}, which fit has not seen; its classes are "
            f"{', '.join(map(repr, classes.tolist()[:10]))}. Leave such rows out."
        )
    return np.array([position_of[label] for label in labels.classes.tolist()], dtype=np.intp)[labels.codes]


def foreign_members(blend: Blend) -> list[str]:
    """Return the members that are estimators of other libraries."""
    return [member.family for member in blend.members if isinstance(member.model, EstimatorModel)]


def check_passed(X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> None:
    """Raise if rows are passed without classes, or weights or groups without rows."""
    if (X is None) != (y is None):
        raise ParameterError("X and y must be passed together; got one of them. Pass both, or neither.")
    if X is None and not (sample_weight is None and groups is None):
        raise ParameterError("sample_weight and groups must be passed with X and y; those of `fit` are kept.")
