"""The value of each row that a metric is the mean, or a function of the mean, of."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calibrant.metrics._classification.costs import least_costs, row_costs, row_profits
from calibrant.metrics._losses.log_losses import avll_epsilon
from calibrant.metrics._losses.squared_errors import brier_divisor
from calibrant.metrics._metric import Metric
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.prior import read_prior

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ROW_VALUES", "RowValues", "row_values_of"]


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


# The row value that each metric is the mean of, and its factor.
_MEANS = {
    **dict.fromkeys(("mse", "ql"), ("squared", 1.0)),
    "mse01": ("own_squared", 1.0),
    **dict.fromkeys(("log_loss", "mxe", "nce"), ("log_loss", 1.0)),
    "log_loss_bits": ("log_loss", 1.0 / math.log(2.0)),
    "spherical": ("spherical", 1.0),
}


class RowValues(NamedTuple):
    """The value of each row, NaN where a row does not count, and whether the metric is their sum, not their mean."""

    values: NDArray[np.float64]
    is_sum: bool = False


def row_values_of(metric: Metric, predictions: Predictions, options: Mapping[str, Any]) -> RowValues | None:
    """Return the values that a metric is the weighted mean, or sum, of; None for a metric that is neither.

    Examples
    --------
    >>> from calibrant.metrics import METRICS
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> rows = read_predictions([0, 1, 1], [0.2, 0.7, 0.4])
    >>> row_values_of(METRICS["recall"], rows, {}).values, row_values_of(METRICS["auc"], rows, {})
    (array([nan,  1.,  0.]), None)
    """
    if metric.id == "profit":
        return RowValues(row_profits(predictions, **options), is_sum=True)
    if metric.id == "cost":
        given = dict(options)
        costs = least_costs if given.pop("decide", "likeliest") == "cheapest" else row_costs
        return RowValues(costs(predictions, **given))
    if metric.hits is not None:
        is_known = options.keys() <= inspect.signature(metric.hits).parameters.keys()
        return RowValues(metric.hits(predictions, **options)) if is_known else None
    if options:
        return None
    if metric.id == "brier":
        return RowValues(ROW_VALUES["squared"](predictions) / brier_divisor(predictions.n_classes))
    if metric.id not in _MEANS:
        return None
    name, factor = _MEANS[metric.id]
    return RowValues(factor * ROW_VALUES[name](predictions))
