"""Mean losses by the core, for one column of two classes and for tables of several."""

from __future__ import annotations

import numpy as np

from calibrant import _core
from calibrant.metrics._validation.prediction_rows import Predictions, threads_for

__all__ = ["mean_squared_error", "surprise"]


def mean_squared_error(read: Predictions, own_only: bool = False) -> float:
    """Give the mean over rows of the squared errors of all classes, or of each row's own class.

    Examples
    --------
    >>> from calibrant.metrics._validation.predictions import read_predictions
    >>> mean_squared_error(read_predictions([0, 1], [0.5, 0.5]))
    0.5
    """
    threads = threads_for(read.n_rows)
    if read.is_one_column:
        rows = read.two_class()
        times = 1.0 if own_only else 2.0
        return float(times * _core.squared_errors(rows.proba, rows.positive, rows.weight, threads) / read.total)
    table = np.ascontiguousarray(read.table)
    return float(_core.squared_errors_of_classes(table, read.label, read.weights, own_only, threads) / read.total)


def surprise(read: Predictions, least: float = 0.0) -> tuple[float, float, float]:
    """Sum -ln p, p the probability of each row's class, where it is not 0; give the weight where it is 0, and 1.

    Parameters
    ----------
    read : Predictions
        The rows.
    least : float
        Probabilities are brought into [least, 1 - least] first.

    Returns
    -------
    float, float, float
        The sum over rows, and the weight of the rows whose p is 0 and of those whose p is 1.

    Examples
    --------
    >>> from calibrant.metrics._validation.predictions import read_predictions
    >>> surprise(read_predictions([0, 1, 1, 1], [0.0, 0.0, 1.0, 1.0]))
    (0.0, 1.0, 3.0)
    """
    threads = threads_for(read.n_rows)
    if read.is_one_column:
        rows = read.two_class()
        return _core.surprise(rows.proba, rows.positive, rows.weight, least, threads)
    return _core.surprise_of_classes(np.ascontiguousarray(read.table), read.label, read.weights, least, threads)
