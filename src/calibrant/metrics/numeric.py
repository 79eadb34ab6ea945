"""Errors of predicted numbers (Witten, Frank & Hall 2011, Table 5.8)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._params import Real, check_param
from calibrant.data._internal import check_weights
from calibrant.exceptions import DataError, DataTypeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "correlation",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_squared_error",
    "mean_squared_percentage_error",
    "relative_absolute_error",
    "relative_squared_error",
    "root_mean_squared_error",
    "root_relative_squared_error",
]


def mean_squared_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Give the mean of the squared errors: 0 is best.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The actual numbers.
    y_pred : sequence of length n_rows
        The predicted ones.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.

    Returns
    -------
    float
        The mean.

    Examples
    --------
    >>> mean_squared_error([500, 300], [450, 310])
    1300.0
    """
    return _mean(y_true, y_pred, sample_weight, lambda actual, predicted: (predicted - actual) ** 2)


def root_mean_squared_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Give the root of the mean of the squared errors, in the units of the numbers: 0 is best.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The actual numbers.
    y_pred : sequence of length n_rows
        The predicted ones.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.

    Returns
    -------
    float
        The root.

    Examples
    --------
    >>> root_mean_squared_error([1, 2], [4, 5])
    3.0
    """
    return math.sqrt(mean_squared_error(y_true, y_pred, sample_weight=sample_weight))


def mean_absolute_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Give the mean of the errors without their signs: 0 is best.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The actual numbers.
    y_pred : sequence of length n_rows
        The predicted ones.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.

    Returns
    -------
    float
        The mean.

    Examples
    --------
    >>> mean_absolute_error([500, 300], [450, 310])
    30.0
    """
    return _mean(y_true, y_pred, sample_weight, lambda actual, predicted: np.abs(predicted - actual))


def relative_squared_error(y_true: Any, y_pred: Any, *, training_mean: float, sample_weight: Any = None) -> float:
    """Give the squared errors as a share of those of the training mean: 0 is best, 1 no better than it.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The actual numbers.
    y_pred : sequence of length n_rows
        The predicted ones.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    training_mean : float
        The mean of the actual numbers of the training data: what one would predict who knows nothing else.

    Returns
    -------
    float
        The share; NaN where every actual number is the training mean and the predictions are too.

    Examples
    --------
    >>> relative_squared_error([1, 3], [1, 2], training_mean=2)
    0.5
    """
    check_param("training_mean", training_mean, Real())
    return _ratio(y_true, y_pred, sample_weight, training_mean, np.square)


def root_relative_squared_error(y_true: Any, y_pred: Any, *, training_mean: float, sample_weight: Any = None) -> float:
    """Give the root of `relative_squared_error`: 0 is best.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The actual numbers.
    y_pred : sequence of length n_rows
        The predicted ones.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    training_mean : float
        The mean of the actual numbers of the training data: what one would predict who knows nothing else.

    Returns
    -------
    float
        The root.

    Examples
    --------
    >>> root_relative_squared_error([1, 3], [0, 2], training_mean=2)
    1.0
    """
    return math.sqrt(relative_squared_error(y_true, y_pred, training_mean=training_mean, sample_weight=sample_weight))


def relative_absolute_error(y_true: Any, y_pred: Any, *, training_mean: float, sample_weight: Any = None) -> float:
    """Give the errors without their signs as a share of those of the training mean: 0 is best.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The actual numbers.
    y_pred : sequence of length n_rows
        The predicted ones.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    training_mean : float
        The mean of the actual numbers of the training data: what one would predict who knows nothing else.

    Returns
    -------
    float
        The share; NaN where every actual number is the training mean and the predictions are too.

    Examples
    --------
    >>> relative_absolute_error([1, 3], [1, 2], training_mean=2)
    0.5
    """
    check_param("training_mean", training_mean, Real())
    return _ratio(y_true, y_pred, sample_weight, training_mean, np.abs)


def mean_absolute_percentage_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Give the mean of the errors without their signs, each as a share of the actual number: 0 is best.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The actual numbers.
    y_pred : sequence of length n_rows
        The predicted ones.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.

    Returns
    -------
    float
        The mean, as a share; infinite where an actual number is 0 and the prediction is not.

    Examples
    --------
    >>> mean_absolute_percentage_error([500, 200], [450, 220])  # 10 % of either
    0.1
    """
    return _mean(y_true, y_pred, sample_weight, lambda actual, predicted: np.abs(_share(actual, predicted)))


def mean_squared_percentage_error(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Give the mean of the squared errors, each as a share of the actual number: 0 is best.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The actual numbers.
    y_pred : sequence of length n_rows
        The predicted ones.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.

    Returns
    -------
    float
        The mean, as a share; infinite where an actual number is 0 and the prediction is not.

    Examples
    --------
    >>> round(mean_squared_percentage_error([500, 200], [450, 220]), 4)
    0.01
    """
    return _mean(y_true, y_pred, sample_weight, lambda actual, predicted: _share(actual, predicted) ** 2)


def correlation(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Give the correlation of predicted and actual numbers: from -1 to 1 (best), whatever their scale.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The actual numbers.
    y_pred : sequence of length n_rows
        The predicted ones.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.

    Returns
    -------
    float
        The correlation; NaN where one of both does not vary.

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
    errors, of_mean = float(weight @ size(predicted - actual)), float(weight @ size(mean - actual))
    if of_mean == 0.0:
        return math.inf if errors > 0 else math.nan
    return errors / of_mean


def _share(actual: NDArray[np.float64], predicted: NDArray[np.float64]) -> NDArray[np.float64]:
    errors = predicted - actual
    with np.errstate(divide="ignore"):
        return np.divide(errors, actual, out=np.zeros_like(errors), where=errors != 0)


def _read(y_true: Any, y_pred: Any, sample_weight: Any) -> tuple[NDArray[np.float64], ...]:
    """Check the numbers of the rows that count, and give a weight for each."""
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


def _numbers(name: str, given: Any) -> NDArray[np.float64]:
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataTypeError(f"{name} must hold numbers, one for each row.") from error
    if values.ndim != 1 or len(values) == 0:
        raise DataError(f"{name} has shape {values.shape}; expected one number for each row, and a row or more.")
    return values
