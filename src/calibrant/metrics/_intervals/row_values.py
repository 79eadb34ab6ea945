"""The value of each row whose mean, or a function of it, is a metric."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from calibrant.metrics._validation.prediction_rows import Predictions
from calibrant.metrics._validation.prior import read_prior

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ROW_VALUES"]

_MOST_EPSILON = 0.005  # of `avll`


def _squared(read: Predictions) -> NDArray[np.float64]:
    if read.is_one_column:
        return np.asarray(2.0 * _own_squared(read))
    return np.asarray(np.einsum("ij,ij->i", read.table, read.table) - 2.0 * read.of_own_class() + 1.0)


def _own_squared(read: Predictions) -> NDArray[np.float64]:
    return np.asarray((1.0 - read.of_own_class()) ** 2)


def _surprise(read: Predictions) -> NDArray[np.float64]:
    with np.errstate(divide="ignore"):
        return np.asarray(0.0 - np.log(read.of_own_class()))


def _spherical(read: Predictions) -> NDArray[np.float64]:
    return np.asarray(read.of_own_class() / np.sqrt(np.einsum("ij,ij->i", read.proba, read.proba)))


def _bounded_surprise(read: Predictions) -> NDArray[np.float64]:
    """Give the surprise in bits with 0 and 1 replaced, by the shares of classes that the rows have as they are."""
    shares, own = read_prior(None, read, None), read.of_own_class()
    epsilon = min(_MOST_EPSILON, 0.5 * float(shares[shares > 0].min()))
    return np.asarray(-np.log(np.where((own > 0.0) & (own < 1.0), own, np.clip(own, epsilon, 1.0 - epsilon))))


ROW_VALUES: dict[str, Callable[[Predictions], NDArray[np.float64]]] = {
    "squared": _squared,
    "own_squared": _own_squared,
    "surprise": _surprise,
    "spherical": _spherical,
    "bounded_surprise": _bounded_surprise,
}
