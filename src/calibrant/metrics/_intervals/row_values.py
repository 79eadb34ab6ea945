"""Values of each row whose mean, or a function of it, is a metric."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from calibrant.metrics._losses.log_losses import avll_epsilon
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.prior import read_prior

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ROW_VALUES"]


def _squared(predictions: Predictions) -> NDArray[np.float64]:
    if predictions.is_one_column:
        return np.asarray(2.0 * _own_squared(predictions))
    return np.asarray(
        np.einsum("ij,ij->i", predictions.table, predictions.table) - 2.0 * predictions.true_class_proba() + 1.0
    )


def _own_squared(predictions: Predictions) -> NDArray[np.float64]:
    return np.asarray((1.0 - predictions.true_class_proba()) ** 2)


def _log_loss(predictions: Predictions) -> NDArray[np.float64]:
    with np.errstate(divide="ignore"):
        return np.asarray(0.0 - np.log(predictions.true_class_proba()))


def _spherical(predictions: Predictions) -> NDArray[np.float64]:
    return np.asarray(
        predictions.true_class_proba() / np.sqrt(np.einsum("ij,ij->i", predictions.proba, predictions.proba))
    )


def _bounded_log_loss(predictions: Predictions) -> NDArray[np.float64]:
    """Return -ln p with 0 and 1 replaced as `avll` does, by the class frequencies of all rows in every replicate."""
    epsilon, own = avll_epsilon(read_prior(None, predictions, None)), predictions.true_class_proba()
    return np.asarray(-np.log(np.where((own > 0.0) & (own < 1.0), own, np.clip(own, epsilon, 1.0 - epsilon))))


ROW_VALUES: dict[str, Callable[[Predictions], NDArray[np.float64]]] = {
    "squared": _squared,
    "own_squared": _own_squared,
    "log_loss": _log_loss,
    "spherical": _spherical,
    "bounded_log_loss": _bounded_log_loss,
}
