"""Input validation for `fit`: columns, classes and weights, without the rows of weight 0."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.data._frames.columns import Columns, Nominal, extend_columns, fit_columns
from calibrant.data._frames.schema import Schema
from calibrant.data._validation.groups import read_groups
from calibrant.data._validation.labels_and_weights import Labels, check_weights, code_labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TrainingRows", "read_more_training_rows", "read_training_rows"]


@dataclass(frozen=True)
class TrainingRows:
    """Validated training rows; ``weights`` is None where all are 1, ``groups`` where rows do not belong together."""

    columns: Columns
    labels: Labels
    weights: NDArray[np.float64] | None
    groups: NDArray[np.intp] | None = None


def read_training_rows(
    X: Any, y: Any, sample_weight: Any = None, *, nominal: Nominal = "auto", groups: Any = None
) -> TrainingRows:
    """Validate a table, its classes, its weights and the groups of its rows.

    Examples
    --------
    >>> rows = read_training_rows([[1.0], [2.0], [9.0]], ["b", "a", "c"], [1, 2, 0])
    >>> rows.columns.n_rows, rows.labels.classes.tolist(), rows.weights
    (2, ['a', 'b'], array([1., 2.]))
    """
    return _read(lambda rows: fit_columns(X, nominal, rows), y, sample_weight, groups)


def read_more_training_rows(X: Any, y: Any, sample_weight: Any, schema: Schema, who: str) -> TrainingRows:
    """Validate further training rows against the schema of earlier ones; new categories are added to it.

    Examples
    --------
    >>> schema = fit_columns([["red"], ["blue"]]).schema
    >>> read_more_training_rows([["red"], ["green"]], [0, 1], None, schema, "it").columns.arrays[0]
    array([1, 2], dtype=int32)
    """
    return _read(lambda rows: extend_columns(X, schema, who, rows), y, sample_weight)


def _read(
    read: Callable[[NDArray[np.intp] | None], Columns], y: Any, sample_weight: Any, groups: Any = None
) -> TrainingRows:
    columns = read(None)
    weights = check_weights(sample_weight, columns.n_rows)
    numbers = read_groups(groups, columns.n_rows, None if weights is None else np.flatnonzero(weights))
    if weights is None or weights.all():
        labels = code_labels(y, columns.n_rows)
    else:
        rows = np.flatnonzero(weights)
        labels = code_labels(y, columns.n_rows, rows)
        columns, weights = read(rows), weights[rows]
    if weights is not None and (weights == 1).all():
        weights = None
    return TrainingRows(columns, labels, weights, numbers)
