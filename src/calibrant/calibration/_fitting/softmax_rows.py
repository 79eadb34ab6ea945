"""Softmax of the rows of a table, faster for two columns: reductions over an axis of length 2 are slow in numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import log_softmax, softmax

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["log_softmax_rows", "softmax_rows", "spread_of_rows"]


def softmax_rows(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the softmax of each row, to the bit that of scipy.

    Examples
    --------
    >>> softmax_rows(np.log([[0.2, 0.6], [3.0, 1.0]]))
    array([[0.25, 0.75],
           [0.75, 0.25]])
    """
    if logits.shape[1] != 2:
        return np.asarray(softmax(logits, axis=1))
    powers = np.exp(logits - np.maximum(logits[:, 0], logits[:, 1])[:, np.newaxis])
    return np.asarray(powers / (powers[:, 0] + powers[:, 1])[:, np.newaxis])


def log_softmax_rows(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logarithm of the softmax of each row, to the bit that of scipy.

    Examples
    --------
    >>> np.exp(log_softmax_rows(np.log([[0.2, 0.6]])))
    array([[0.25, 0.75]])
    """
    if logits.shape[1] != 2:
        return np.asarray(log_softmax(logits, axis=1))
    highest = np.maximum(logits[:, 0], logits[:, 1])
    highest[~np.isfinite(highest)] = 0.0
    below = logits - highest[:, np.newaxis]
    powers = np.exp(below)
    with np.errstate(divide="ignore"):
        return np.asarray(below - np.log(powers[:, 0] + powers[:, 1])[:, np.newaxis])


def spread_of_rows(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the difference between the greatest and the least value of each row.

    Examples
    --------
    >>> spread_of_rows(np.array([[3.0, 5.0], [4.0, 1.0]]))
    array([2., 3.])
    """
    if values.shape[1] != 2:
        return np.asarray(np.ptp(values, axis=1))
    return np.abs(values[:, 0] - values[:, 1])
