"""Mean losses computed by the core, for one column of two classes and for a column for each class."""

from __future__ import annotations

import numpy as np

from calibrant import _core
from calibrant.metrics._validation.predictions import Predictions, threads_for

__all__ = ["mean_squared_error", "surprise"]


def mean_squared_error(predictions: Predictions, own_only: bool = False) -> float:
    """Return the mean over rows of the squared errors summed over classes, or of the actual class alone.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> mean_squared_error(read_predictions([0, 1], [0.5, 0.5]))
    0.5
    """
    threads = threads_for(predictions.n_rows)
    if predictions.is_one_column:
        rows = predictions.binary_rows()
        n_errors = 1.0 if own_only else 2.0  # both classes have the same squared error
        total = _core.squared_errors(rows.proba, rows.positive, rows.weight, threads)
        return float(n_errors * total / predictions.total)
    table = np.ascontiguousarray(predictions.table)
    total = _core.squared_errors_of_classes(table, predictions.label, predictions.weights, own_only, threads)
    return float(total / predictions.total)


def surprise(predictions: Predictions, least: float = 0.0) -> tuple[float, float, float]:
    """Return the sum of -ln p of the actual classes where p is not 0, and the weights of the rows with p = 0 and 1.

    Parameters
    ----------
    predictions : Predictions
        The rows.
    least : float
        Probabilities are clipped to [least, 1 - least] first.

    Returns
    -------
    float, float, float
        The sum over rows, the weight of the rows whose p is 0, and of those whose p is 1.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> surprise(read_predictions([0, 1, 1, 1], [0.0, 0.0, 1.0, 1.0]))
    (0.0, 1.0, 3.0)
    """
    threads = threads_for(predictions.n_rows)
    if predictions.is_one_column:
        rows = predictions.binary_rows()
        return _core.log_loss_sums(rows.proba, rows.positive, rows.weight, least, threads)
    table = np.ascontiguousarray(predictions.table)
    return _core.log_loss_sums_of_classes(table, predictions.label, predictions.weights, least, threads)
