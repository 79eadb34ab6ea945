"""The spherical score (Roby 1965): the cosine between the probabilities and what came true."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant.metrics._metric import Metric
from calibrant.metrics._validation.prediction_rows import TwoClass, parts
from calibrant.metrics._validation.predictions import Predictions, read_predictions

__all__ = ["SPHERICAL", "spherical"]


def spherical(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """Give the mean of p_y divided by the length of the vector of probabilities: from 0 to 1 (best).

    A proper score that, unlike the logarithm, is never infinite and, unlike Brier's, is not a distance.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The class that a single column gives the probability of; by default the last sorted one.
    labels : sequence, optional
        The classes in the order of the columns.

    Returns
    -------
    float
        The mean.

    Examples
    --------
    >>> spherical(["no", "yes"], [[1.0, 0.0], [0.6, 0.4]])
    0.7773500981126146
    """
    return _spherical(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    )


def _spherical(read: Predictions) -> float:
    if read.is_one_column:
        return _of_two(read.two_class()) / read.total
    return read.mean(read.of_own_class() / np.sqrt(np.einsum("ij,ij->i", read.table, read.table)))


def _of_two(rows: TwoClass) -> float:
    total = 0.0
    for part in parts(len(rows.proba)):
        p = rows.proba[part]
        scores = np.where(rows.positive[part], p, 1.0 - p) / np.sqrt(p * p + (1.0 - p) * (1.0 - p))
        total += float((scores if rows.weight is None else scores * rows.weight[part]).sum())
    return total


SPHERICAL = Metric("spherical", spherical, _spherical, "higher", 0.0, 1.0, {"Roby 1965": "spherical score"})
