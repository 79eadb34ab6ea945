"""Scores as columns: whether they are probabilities, and the one score of two classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["are_probabilities", "is_of_difference", "one_column"]

_LARGEST = float(np.finfo(np.float64).max)
_SUM = 1e-4  # how far the sum of a row of probabilities may be from 1: models that compute in single precision pass


def are_probabilities(table: NDArray[np.float64]) -> bool:
    """Return whether scores can be probabilities: all in [0, 1], and rows of several columns sum to 1.

    Examples
    --------
    >>> are_probabilities(np.array([[0.2], [1.0]])), are_probabilities(np.array([[0.2, 0.9]]))
    (True, False)
    """
    if table.min() < 0.0 or table.max() > 1.0:
        return False
    return table.ndim == 1 or table.shape[1] == 1 or bool((np.abs(table.sum(axis=1) - 1.0) <= _SUM).all())


def one_column(table: NDArray[np.float64], of_difference: bool | None = None) -> NDArray[np.float64]:
    """Return one score for two classes: the column itself, the second probability, or the difference of two margins.

    `of_difference` determines which of the last two it is, as decided in ``fit``; None decides by these scores.

    Examples
    --------
    >>> one_column(np.array([[0.25, 0.75]])), one_column(np.array([[-1.0, 2.0]]))
    (array([0.75]), array([3.]))
    >>> one_column(np.array([[0.25, 0.75]]), of_difference=True)
    array([0.5])
    """
    if table.shape[1] == 1:
        return np.ascontiguousarray(table[:, 0])
    if not (is_of_difference(table) if of_difference is None else of_difference):
        return np.ascontiguousarray(table[:, 1])
    with np.errstate(over="ignore"):
        return np.asarray(np.clip(table[:, 1] - table[:, 0], -_LARGEST, _LARGEST))


def is_of_difference(table: NDArray[np.float64]) -> bool:
    """Return whether the one score of two classes is the difference of two columns.

    Examples
    --------
    >>> is_of_difference(np.array([[0.25, 0.75]])), is_of_difference(np.array([[-1.0, 2.0]]))
    (False, True)
    """
    return table.shape[1] == 2 and not are_probabilities(table)
