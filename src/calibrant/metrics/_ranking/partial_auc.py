"""The area under the part of the ROC curve with few false positives (McClish 1989)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._metric import Metric
from calibrant.metrics._ranking.rankings import positive_ranking
from calibrant.metrics._validation.options import check_options
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import read_predictions

__all__ = ["PARTIAL_AUC", "partial_auc"]


@document_metric
def partial_auc(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    max_fpr: float = 0.1,
    standardized: bool = True,
) -> float:
    """Return the area under the ROC curve up to a false positive rate: standardized to 1 (best), 0.5 if random.

    McClish (1989) subtracts the area of a random ranking and divides by what is left of a perfect one, so that values
    of different rates compare; scikit-learn's ``roc_auc_score(max_fpr=)`` is the same. Rows of equal probability are a
    straight piece of the curve.

    %(parameters_positive)s
    max_fpr : float
        The largest false positive rate.
    standardized : bool
        Whether to standardize the area, or to return the area itself, at most `max_fpr`.

    %(returns_two_classes)s

    Examples
    --------
    >>> rows = [0, 1, 1, 0, 0, 1], [0.2, 0.9, 0.3, 0.4, 0.1, 0.6]
    >>> round(partial_auc(*rows, max_fpr=0.5, standardized=False), 4)  # 2/3 up to a rate of 1/3, then 1
    0.3889
    >>> round(partial_auc(*rows, max_fpr=0.5), 4)
    0.8519
    """
    check_options("partial_auc", max_fpr=max_fpr, standardized=standardized)
    return _partial_auc(read_predictions(y_true, y_proba, sample_weight, pos_label, labels), max_fpr, standardized)


def _partial_auc(predictions: Predictions, max_fpr: float = 0.1, standardized: bool = True) -> float:
    _, weight, positive = positive_ranking(predictions, "partial_auc").groups()
    if np.unique(predictions.label == predictions.positive).size < 2:
        return math.nan
    true, false = (np.append(0.0, np.cumsum(each)) for each in (positive, np.maximum(weight - positive, 0.0)))
    tpr, fpr = true / true[-1], false / false[-1]
    ends = np.minimum(fpr, max_fpr)
    heights = np.where(fpr <= max_fpr, tpr, np.interp(max_fpr, fpr, tpr))
    area = float(np.trapezoid(heights, ends))
    least = max_fpr**2 / 2.0
    return 0.5 * (1.0 + (area - least) / (max_fpr - least)) if standardized else area


PARTIAL_AUC = Metric(
    "partial_auc", partial_auc, _partial_auc, "higher", 0.0, 1.0, {"McClish 1989": "partial area"}, classes="two"
)
