"""Areas that summarise a ranking: under the ROC curve, a part of it, or by costs (Hand 2009)."""

from __future__ import annotations

import itertools
import math
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from calibrant.exceptions import ParameterError
from calibrant.metrics._docstrings import Common
from calibrant.metrics._metric import CARUANA, CHAWLA, metric, read_rows
from calibrant.metrics._validation.predictions import BinaryRows, Predictions, rank


@metric("higher", 0.0, 1.0, {CARUANA: "ROC", CHAWLA: "AUROC", "Hand & Till 2001": "M"})
def auc(y_true: Any, y_proba: Any, *, average: str = "one_vs_rest", **common: Unpack[Common]) -> float:
    """Return the area under the ROC curve: from 0 to 1 (best), 0.5 for a random ranking.

    It is the fraction of pairs of a positive and a negative row in which the positive one has the higher probability,
    counting half of the ties: the Mann-Whitney statistic.

    %(parameters_each_class)s
    average : {"one_vs_rest", "one_vs_one", "one_vs_rest_equal", "one_vs_one_weighted"}
        With more than two classes: the mean of the areas of each class against all others, weighted by the frequency
        of the class, as Weka computes it; or the unweighted mean over all pairs of classes of the two areas that the
        rows of those classes have (Hand & Till 2001). The other two differ in the weights: the same for every class,
        and the rows of both classes for every pair (Ferri, Hernandez-Orallo & Modroiu 2009).

    %(returns_two_classes)s

    Examples
    --------
    >>> auc([0, 1, 1, 0], [0.2, 0.9, 0.2, 0.1])  # three pairs in order, one tied
    0.875
    """
    predictions = read_rows("auc", y_true, y_proba, common, average=average)
    if predictions.is_binary:
        if predictions.n_classes > 2 and "one_vs_one" in average:
            raise ParameterError(
                f"average={average!r} uses every pair of classes; leave out pos_label, which names one."
            )
        return predictions.ranking().auc()
    found = np.flatnonzero(predictions.class_weights()).tolist()
    if len(found) < 2:
        return math.nan
    if "rest" in average:
        weights = None if average == "one_vs_rest_equal" else predictions.class_weights()[found]
        return float(np.average([predictions.ranking(k).auc() for k in found], weights=weights))
    # Both orders of a pair: each class's probability ranks the pair once (Hand & Till 2001).
    pairs = list(itertools.permutations(found, 2))
    of_class, is_weighted = predictions.class_weights(), average == "one_vs_one_weighted"
    of_pairs = [of_class[list(pair)].sum() for pair in pairs] if is_weighted else None
    return float(np.average([_pair_area(predictions, *pair) for pair in pairs], weights=of_pairs))


def _pair_area(predictions: Predictions, one: int, other: int) -> float:
    """Return the area of one class against another, ranked by the probability of the first."""
    rows = np.flatnonzero((predictions.label == one) | (predictions.label == other))
    weight = None if predictions.weights is None else predictions.weights[rows]
    proba = np.ascontiguousarray(predictions.column(one)[rows])
    return rank(BinaryRows(proba, predictions.label[rows] == one, weight)).auc()


@metric("higher", -1.0, 1.0, {"Hand & Till 2001": "Gini coefficient"})
def gini(y_true: Any, y_proba: Any, **common: Unpack[Common]) -> float:
    """Return twice the area under the ROC curve less 1: from -1 to 1 (best), 0 for a random ranking.

    With more than two classes the area is that of `auc`, each class against all others.

    %(parameters_each_class)s

    %(returns_two_classes)s

    Examples
    --------
    >>> gini([0, 1, 1, 0], [0.2, 0.9, 0.2, 0.1])
    0.75
    """
    predictions = read_rows("gini", y_true, y_proba, common)
    return 2.0 * auc(predictions, None) - 1.0


@metric("higher", 0.0, 1.0, {"Smirnov 1939": "D"}, classes="two")
def ks(y_true: Any, y_proba: Any, **common: Unpack[Common]) -> float:
    """Return the Kolmogorov-Smirnov statistic, the largest distance between the distributions of both classes.

    It is the largest difference, over thresholds, between the fractions of positive and of negative rows above the
    threshold: from 0 to 1 (best).

    %(parameters_positive)s

    %(returns_two_classes)s

    Examples
    --------
    >>> ks([0, 1, 1, 0], [0.2, 0.9, 0.2, 0.1])
    0.5
    """
    predictions = read_rows("ks", y_true, y_proba, common)
    return predictions.positive_ranking("ks").greatest_gap()


@metric("higher", 0.0, 1.0, {"McClish 1989": "partial area"}, classes="two")
def partial_auc(
    y_true: Any, y_proba: Any, *, max_fpr: float = 0.1, standardized: bool = True, **common: Unpack[Common]
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
    predictions = read_rows("partial_auc", y_true, y_proba, common, max_fpr=max_fpr, standardized=standardized)
    _, weight, positive = predictions.positive_ranking("partial_auc").groups()
    if np.unique(predictions.label == predictions.positive).size < 2:
        return math.nan
    true, false = (np.append(0.0, np.cumsum(each)) for each in (positive, np.maximum(weight - positive, 0.0)))
    tpr, fpr = true / true[-1], false / false[-1]
    # Points beyond the limit collapse onto it with the interpolated height, so one trapezium sum serves.
    ends = np.minimum(fpr, max_fpr)
    heights = np.where(fpr <= max_fpr, tpr, np.interp(max_fpr, fpr, tpr))
    area = float(np.trapezoid(heights, ends))
    least = max_fpr**2 / 2.0
    # McClish (1989): the area of a random ranking maps to 0.5, that of a perfect one to 1.
    return 0.5 * (1.0 + (area - least) / (max_fpr - least)) if standardized else area


@metric("higher", 0.0, 1.0, {"Hand 2009": "H"}, classes="two")
def h_measure(
    y_true: Any, y_proba: Any, *, alpha: float | None = None, beta: float | None = None, **common: Unpack[Common]
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
    predictions = read_rows("h_measure", y_true, y_proba, common, alpha=alpha, beta=beta)
    ranking = predictions.positive_ranking("h_measure")
    # On the convex hull: a threshold on it is the best for some cost (Hand 2009).
    weight, positive, _ = ranking.hull()
    base_rate = ranking.positive / ranking.weight
    if base_rate in (0.0, 1.0):
        return math.nan
    # Hand & Anagnostopoulos (2014): Beta(1 + pi_1, 1 + pi_0), whose mode is at the base rate.
    shape = (1.0 + base_rate if alpha is None else alpha, 2.0 - base_rate if beta is None else beta)
    constant = _expected_loss(np.array([ranking.weight]), np.array([ranking.positive]), *shape)
    return max(0.0, 1.0 - _expected_loss(weight, positive, *shape) / constant)


def _expected_loss(weight: NDArray[np.float64], positive: NDArray[np.float64], alpha: float, beta: float) -> float:
    """Sum the expected loss over blocks of rows, each predicted positive where c is below its frequency."""
    frequency = positive / weight
    # Integrals of a beta density times c or 1 - c are incomplete beta functions of the next order.
    per_negative = alpha / (alpha + beta) * betainc(alpha + 1.0, beta, frequency)
    per_positive = beta / (alpha + beta) * (1.0 - betainc(alpha, beta + 1.0, frequency))
    return float(((weight - positive) * per_negative + positive * per_positive).sum())
