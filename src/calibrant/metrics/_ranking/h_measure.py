"""The H-measure (Hand 2009): the loss that is saved over costs that are themselves uncertain."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import betainc

from calibrant._params import Nothing, Real, check_param
from calibrant.metrics._metric import Metric
from calibrant.metrics._ranking.rankings import positive_ranking
from calibrant.metrics._validation.predictions import Predictions, read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["H_MEASURE", "h_measure"]

_SHAPE = Real(0, closed="neither") | Nothing()


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
    """Give the part of the expected loss that a ranking saves over knowing nothing: from 0 to 1 (best).

    A false positive costs c and a false negative 1 - c, where c has a beta distribution; for each c the best threshold
    is taken. The area under the ROC curve does the same with a distribution of c that depends on the classifier, so
    that it judges each by another measure (Hand 2009).

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The positive class; by default the last sorted one of two. Where there are more it must be told, and all
        others are the negative class.
    labels : sequence, optional
        The classes in the order of the columns.
    alpha, beta : float, optional
        The shape of the distribution of c; by default 1 plus the share of the positive, and of the negative class
        (Hand & Anagnostopoulos 2014), so that those costs are likeliest which outweigh the shares.

    Returns
    -------
    float
        The measure; NaN where only one class has rows.

    Examples
    --------
    >>> h_measure([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]), h_measure([0, 0, 1, 1], [0.5, 0.5, 0.5, 0.5])
    (1.0, 0.0)
    """
    return _h_measure(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels), alpha, beta
    )


def _h_measure(read: Predictions, alpha: float | None = None, beta: float | None = None) -> float:
    check_param("alpha", alpha, _SHAPE)
    check_param("beta", beta, _SHAPE)
    ranking = positive_ranking(read, "h_measure")
    weight, positive, _ = ranking.hull()
    share = ranking.positive / ranking.weight
    if share in (0.0, 1.0):
        return math.nan
    shape = (1.0 + share if alpha is None else alpha, 2.0 - share if beta is None else beta)
    most = _loss(np.array([ranking.weight]), np.array([ranking.positive]), *shape)
    return max(0.0, 1.0 - _loss(weight, positive, *shape) / most)


def _loss(weight: NDArray[np.float64], positive: NDArray[np.float64], alpha: float, beta: float) -> float:
    """Sum the expected loss of rows in blocks, each called positive where c is below its share of positives."""
    share = positive / weight
    per_negative = alpha / (alpha + beta) * betainc(alpha + 1.0, beta, share)
    per_positive = beta / (alpha + beta) * (1.0 - betainc(alpha, beta + 1.0, share))
    return float(((weight - positive) * per_negative + positive * per_positive).sum())


H_MEASURE = Metric("h_measure", h_measure, _h_measure, "higher", 0.0, 1.0, {"Hand 2009": "H"}, classes="two")
