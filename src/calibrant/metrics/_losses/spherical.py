"""The spherical score (Roby 1965): the cosine between the probabilities and the indicator of the actual class."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._metric import Metric
from calibrant.metrics._validation.predictions import BinaryRows, Predictions, row_chunks
from calibrant.metrics._validation.read_predictions import read_predictions

__all__ = ["SPHERICAL", "spherical"]


@document_metric
def spherical(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """Return the mean of p_y divided by the Euclidean norm of the probabilities: from 0 to 1 (best).

    It is a proper score that, unlike the log-loss, is always finite and, unlike the Brier score, is not a distance.

    %(parameters)s

    %(returns)s
        The mean score.

    Examples
    --------
    >>> round(spherical(["no", "yes"], [[1.0, 0.0], [0.6, 0.4]]), 4)
    0.7774
    """
    return _spherical(read_predictions(y_true, y_proba, sample_weight, pos_label, labels))


def _spherical(predictions: Predictions) -> float:
    if predictions.is_one_column:
        return _sum_of_two_classes(predictions.binary_rows()) / predictions.total
    norm = np.sqrt(np.einsum("ij,ij->i", predictions.table, predictions.table))
    return predictions.mean(predictions.true_class_proba() / norm)


def _sum_of_two_classes(rows: BinaryRows) -> float:
    total = 0.0
    for chunk in row_chunks(len(rows.proba)):
        p = rows.proba[chunk]
        scores = np.where(rows.positive[chunk], p, 1.0 - p) / np.sqrt(p * p + (1.0 - p) * (1.0 - p))
        total += float((scores if rows.weight is None else scores * rows.weight[chunk]).sum())
    return total


SPHERICAL = Metric("spherical", spherical, _spherical, "higher", 0.0, 1.0, {"Roby 1965": "spherical score"})
