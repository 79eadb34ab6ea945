"""The H-measure (Hand 2009): the expected loss that a ranking saves under a distribution of costs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import betainc

from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._metric import Metric
from calibrant.metrics._ranking.rankings import positive_ranking
from calibrant.metrics._validation.options import check_options
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["H_MEASURE", "h_measure"]


@document_metric
def h_measure(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    alpha: float | None = None,
    beta: float | None = None,
) -> float:
    """Return the fraction of the expected loss that a ranking saves over a constant prediction: from 0 to 1 (best).

    A false positive costs c and a false negative 1 - c, where c has a beta distribution; for each c the best threshold
    is used. The area under the ROC curve does the same with a distribution of c that depends on the classifier, so
    it measures each classifier by a different standard (Hand 2009).

    %(parameters_positive)s
    alpha, beta : float, optional
        The shape of the distribution of c; by default 1 plus the frequency of the positive and of the negative class
        (Hand & Anagnostopoulos 2014), so that the most likely costs balance the frequencies.

    %(returns_two_classes)s

    Examples
    --------
    >>> h_measure([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]), h_measure([0, 0, 1, 1], [0.5, 0.5, 0.5, 0.5])
    (1.0, 0.0)
    """
    check_options("h_measure", alpha=alpha, beta=beta)
    return _h_measure(read_predictions(y_true, y_proba, sample_weight, pos_label, labels), alpha, beta)


def _h_measure(predictions: Predictions, alpha: float | None = None, beta: float | None = None) -> float:
    ranking = positive_ranking(predictions, "h_measure")
    weight, positive, _ = ranking.hull()
    base_rate = ranking.positive / ranking.weight
    if base_rate in (0.0, 1.0):
        return math.nan
    shape = (1.0 + base_rate if alpha is None else alpha, 2.0 - base_rate if beta is None else beta)
    constant = _expected_loss(np.array([ranking.weight]), np.array([ranking.positive]), *shape)
    return max(0.0, 1.0 - _expected_loss(weight, positive, *shape) / constant)


def _expected_loss(weight: NDArray[np.float64], positive: NDArray[np.float64], alpha: float, beta: float) -> float:
    """Sum the expected loss over blocks of rows, each predicted positive where c is below its frequency."""
    frequency = positive / weight
    per_negative = alpha / (alpha + beta) * betainc(alpha + 1.0, beta, frequency)
    per_positive = beta / (alpha + beta) * (1.0 - betainc(alpha, beta + 1.0, frequency))
    return float(((weight - positive) * per_negative + positive * per_positive).sum())


H_MEASURE = Metric("h_measure", h_measure, _h_measure, "higher", 0.0, 1.0, {"Hand 2009": "H"}, classes="two")
