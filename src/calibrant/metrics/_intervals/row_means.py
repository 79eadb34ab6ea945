"""Metrics that are the mean, or the sum, of a value of each row: that value."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calibrant.metrics._classification.costs import least_costs, row_costs, row_profits
from calibrant.metrics._intervals.row_values import ROW_VALUES
from calibrant.metrics._losses.squared_errors import brier_divisor
from calibrant.metrics._metric import Metric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.metrics._validation.predictions import Predictions

__all__ = ["RowValues", "row_values_of"]

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
