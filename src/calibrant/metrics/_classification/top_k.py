"""Accuracy of the most likely classes, more than one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._metric import Metric
from calibrant.metrics._validation.options import check_options
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TOP_K_ACCURACY", "is_in_top", "top_k_accuracy"]


@document_metric
def top_k_accuracy(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    k: int = 2,
) -> float:
    """Return the fraction of rows whose actual class is among the k most likely ones: from 0 to 1 (best).

    With k = 1 it is the accuracy. Ties are broken in favor of the lower class.

    %(parameters)s
    k : int
        The number of classes; from the number of all classes on, the value is 1.

    %(returns)s
        The fraction.

    Examples
    --------
    >>> top_k_accuracy(["a", "b", "c", "c"], [[0.5, 0.3, 0.2], [0.4, 0.3, 0.3], [0.5, 0.4, 0.1], [0.1, 0.3, 0.6]], k=2)
    0.75
    """
    check_options("top_k_accuracy", k=k)
    return _top_k_accuracy(read_predictions(y_true, y_proba, sample_weight, pos_label, labels), k)


def _top_k_accuracy(predictions: Predictions, k: int = 2) -> float:
    return predictions.mean(is_in_top(predictions, k))


def is_in_top(predictions: Predictions, k: int = 2) -> NDArray[np.float64]:
    """Return 1 for each row whose actual class is among the k most likely ones, and 0 for others.

    Examples
    --------
    >>> is_in_top(read_predictions([0, 2], [[0.4, 0.3, 0.3], [0.4, 0.3, 0.3]], labels=[0, 1, 2]))
    array([1., 0.])
    """
    proba, own = predictions.proba, predictions.true_class_proba()[:, None]
    rank = np.argsort(np.argsort(predictions.classes, kind="stable"))
    is_before = (proba > own) | ((proba == own) & (rank < rank[predictions.label][:, None]))
    return np.asarray(is_before.sum(axis=1) < k, dtype=np.float64)


TOP_K_ACCURACY = Metric(
    *("top_k_accuracy", top_k_accuracy, _top_k_accuracy, "higher", 0.0, 1.0),
    papers={"Russakovsky et al. 2015": "1 - top-k error"},
    hits=is_in_top,
)
