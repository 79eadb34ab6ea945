"""Errors of predicted numbers (Witten, Frank & Hall 2011, Table 5.8)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._numbers import as_floats
from calibrant._params import Real, check_param
from calibrant.data._internal import check_weights
from calibrant.exceptions import DataError, DataTypeError
from calibrant.metrics._docstrings import document_metric

__all__ = [
    "correlation",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_squared_error",
    "mean_squared_percentage_error",
    "relative_mean_absolute_error",
    "relative_root_mean_squared_error",
    "relative_squared_error",
    "root_mean_squared_error",
]


@document_metric
def mean_squared_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Return the mean squared error: 0 is best.

    %(parameters_numbers)s

    %(returns)s
        The mean squared error.

    Examples
    --------
    >>> mean_squared_error([500, 300], [450, 310])
    1300.0
    """
    return _mean(y_true, y_pred, sample_weight, lambda actual, predicted: (predicted - actual) ** 2)


@document_metric
def root_mean_squared_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Return the root mean squared error, in the units of the numbers: 0 is best.

    %(parameters_numbers)s

    %(returns)s
        The root mean squared error.

    Examples
    --------
    >>> root_mean_squared_error([1, 2], [4, 5])
    3.0
    """
    return math.sqrt(mean_squared_error(y_true, y_pred, sample_weight=sample_weight))


@document_metric
def mean_absolute_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Return the mean absolute error: 0 is best.

    %(parameters_numbers)s

    %(returns)s
        The mean absolute error.

    Examples
    --------
    >>> mean_absolute_error([500, 300], [450, 310])
    30.0
    """
    return _mean(y_true, y_pred, sample_weight, lambda actual, predicted: np.abs(predicted - actual))


@document_metric
def relative_squared_error(y_true: Any, y_pred: Any, *, training_mean: float, sample_weight: Any = None) -> float:
    """Return the squared error relative to that of the training mean: 0 is best, 1 no better than the mean.

    %(parameters_numbers)s
    %(training_mean)s

    %(returns_ratio)s

    Examples
    --------
    >>> relative_squared_error([1, 3], [1, 2], training_mean=2)
    0.5
    """
    check_param("training_mean", training_mean, Real())
    return _ratio(y_true, y_pred, sample_weight, training_mean, np.square)


@document_metric
def relative_root_mean_squared_error(
    y_true: Any, y_pred: Any, *, training_mean: float, sample_weight: Any = None
) -> float:
    """Return the root of `relative_squared_error`: 0 is best.

    %(parameters_numbers)s
    %(training_mean)s

    %(returns)s
        The root of the ratio.

    Examples
    --------
    >>> relative_root_mean_squared_error([1, 3], [0, 2], training_mean=2)
    1.0
    """
    return math.sqrt(relative_squared_error(y_true, y_pred, training_mean=training_mean, sample_weight=sample_weight))


@document_metric
def relative_mean_absolute_error(y_true: Any, y_pred: Any, *, training_mean: float, sample_weight: Any = None) -> float:
    """Return the absolute error relative to that of the training mean: 0 is best, 1 no better than the mean.

    %(parameters_numbers)s
    %(training_mean)s

    %(returns_ratio)s

    Examples
    --------
    >>> relative_mean_absolute_error([1, 3], [1, 2], training_mean=2)
    0.5
    """
    check_param("training_mean", training_mean, Real())
    return _ratio(y_true, y_pred, sample_weight, training_mean, np.abs)


@document_metric
def mean_absolute_percentage_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Return the mean absolute error relative to the actual number of each row: 0 is best.

    %(parameters_numbers)s

    %(returns_fraction)s

    Examples
    --------
    >>> round(mean_absolute_percentage_error([500, 200], [450, 220]), 12)  # 10 % of each
    0.1
    """
    return _mean(y_true, y_pred, sample_weight, lambda actual, predicted: np.abs(_relative_errors(actual, predicted)))


@document_metric
def mean_squared_percentage_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Return the mean squared error relative to the actual number of each row: 0 is best.

    %(parameters_numbers)s

    %(returns_fraction)s

    Examples
    --------
    >>> round(mean_squared_percentage_error([500, 200], [450, 220]), 4)
    0.01
    """
    return _mean(y_true, y_pred, sample_weight, lambda actual, predicted: _relative_errors(actual, predicted) ** 2)


@document_metric
def correlation(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Return the correlation of predicted and actual numbers: from -1 to 1 (best), whatever their scale.

    %(parameters_numbers)s

    %(returns)s
        The correlation; NaN where either does not vary.

    Examples
    --------
    >>> round(correlation([1, 2, 3], [10, 20, 30]), 12)
    1.0
    """
    actual, predicted, weight = _read(y_true, y_pred, sample_weight)
    actual = actual - np.average(actual, weights=weight)
    predicted = predicted - np.average(predicted, weights=weight)
    spread = math.sqrt(float(weight @ actual**2) * float(weight @ predicted**2))
    return float(np.clip(weight @ (actual * predicted) / spread, -1.0, 1.0)) if spread > 0 else math.nan


def _mean(y_true: Any, y_pred: Any, sample_weight: Any, loss: Callable[..., NDArray[np.float64]]) -> float:
    actual, predicted, weight = _read(y_true, y_pred, sample_weight)
    return float(np.average(loss(actual, predicted), weights=weight))


def _ratio(y_true: Any, y_pred: Any, sample_weight: Any, mean: float, size: np.ufunc) -> float:
    actual, predicted, weight = _read(y_true, y_pred, sample_weight)
    error, of_mean = float(weight @ size(predicted - actual)), float(weight @ size(mean - actual))
    if of_mean == 0.0:
        return math.inf if error > 0 else math.nan
    return error / of_mean


def _relative_errors(actual: NDArray[np.float64], predicted: NDArray[np.float64]) -> NDArray[np.float64]:
    errors = predicted - actual
    with np.errstate(divide="ignore"):
        return np.divide(errors, actual, out=np.zeros_like(errors), where=errors != 0)


def _read(y_true: Any, y_pred: Any, sample_weight: Any) -> tuple[NDArray[np.float64], ...]:
    """Validate the numbers and return those of rows of weight above 0, with the weights."""
    actual, predicted = _numbers("y_true", y_true), _numbers("y_pred", y_pred)
    if len(actual) != len(predicted):
        raise DataError(f"y_true has {len(actual)} rows, y_pred {len(predicted)}; pass one prediction a row.")
    weight = check_weights(sample_weight, len(actual))
    weight = np.ones(len(actual)) if weight is None else weight
    rows = np.flatnonzero(weight)
    for name, values in (("y_true", actual), ("y_pred", predicted)):
        wrong = np.flatnonzero(~np.isfinite(values[rows]))
        if len(wrong):
            raise DataError(f"{name} has {len(wrong)} NaN or infinite value(s) (first at row {rows[wrong[0]]}).")
    return actual[rows], predicted[rows], weight[rows]


def _numbers(name: str, values: Any) -> NDArray[np.float64]:
    try:
        numbers = as_floats(values)
    except (TypeError, ValueError) as error:
        raise DataTypeError(f"{name} must hold numbers, one for each row.") from error
    if numbers.ndim != 1 or len(numbers) == 0:
        raise DataError(f"{name} has shape {numbers.shape}; expected one number for each row, at least one row.")
    return numbers
