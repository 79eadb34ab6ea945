"""How well probabilities tell two rows of different classes apart: the area under the ROC curve and its kin."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from calibrant._params import Choice, check_param
from calibrant.exceptions import ParameterError
from calibrant.metrics._metric import Metric
from calibrant.metrics._ranking.rankings import positive_ranking
from calibrant.metrics._validation.prediction_rows import TwoClass, rank
from calibrant.metrics._validation.predictions import Predictions, read_predictions

__all__ = ["AUC", "GINI", "KS", "auc", "gini", "ks"]

_AVERAGES = Choice("one_vs_rest", "one_vs_one", "one_vs_rest_equal", "one_vs_one_weighted")


def auc(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    average: str = "one_vs_rest",
) -> float:
    """Give the area under the ROC curve: from 0 to 1 (best), 0.5 for a ranking by chance.

    The share of pairs of a positive and a negative row in which the positive has the higher probability, half of those
    with equal ones: Mann & Whitney's statistic.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The class that a single column gives the probability of, by default the last sorted one; of more than two
        classes the one to judge against all others.
    labels : sequence, optional
        The classes in the order of the columns.
    average : {"one_vs_rest", "one_vs_one", "one_vs_rest_equal", "one_vs_one_weighted"}
        With more than two classes: the mean of the areas of each class against all others, weighted by the share of
        the class, as Weka gives it; or the mean over all pairs of classes of the two areas that the rows of those
        classes have (Hand & Till 2001). The other two weigh the other way: every class alike, and every pair by the
        rows of its classes (Ferri, Hernandez-Orallo & Modroiu 2009).

    Returns
    -------
    float
        The area; NaN where only one class has rows.

    Examples
    --------
    >>> auc([0, 1, 1, 0], [0.2, 0.9, 0.2, 0.1])  # three pairs in order, one tied
    0.875
    """
    return _auc(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels), average
    )


def _auc(read: Predictions, average: str = "one_vs_rest") -> float:
    check_param("average", average, _AVERAGES)
    if read.is_of_one:
        _check_average(read, average)
        return read.ranking().auc()
    found = np.flatnonzero(read.class_weights()).tolist()
    if len(found) < 2:
        return math.nan
    return _one_vs_rest(read, found, average) if "rest" in average else _one_vs_one(read, found, average)


def _check_average(read: Predictions, average: str) -> None:
    if read.n_classes > 2 and "one_vs_one" in average:
        raise ParameterError(
            f"average={average!r} looks at every pair of classes; leave out pos_label, which names one."
        )


def _one_vs_rest(read: Predictions, found: list[int], average: str) -> float:
    weights = None if average == "one_vs_rest_equal" else read.class_weights()[found]
    return float(np.average([read.ranking(k).auc() for k in found], weights=weights))


def _one_vs_one(read: Predictions, found: list[int], average: str) -> float:
    pairs = list(itertools.permutations(found, 2))
    weights = [read.class_weights()[list(pair)].sum() for pair in pairs] if average == "one_vs_one_weighted" else None
    return float(np.average([_pair_area(read, *pair) for pair in pairs], weights=weights))


def _pair_area(read: Predictions, one: int, other: int) -> float:
    """Give the area of one class against another, by the probability of the first."""
    rows = np.flatnonzero((read.label == one) | (read.label == other))
    weight = None if read.weights is None else read.weights[rows]
    return rank(TwoClass(np.ascontiguousarray(read.column(one)[rows]), read.label[rows] == one, weight)).auc()


def gini(y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None) -> float:
    """Give twice the area under the ROC curve less 1: from -1 to 1 (best), 0 for a ranking by chance.

    With more than two classes the area is that of `auc`, one class against the rest.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The class that a single column gives the probability of, by default the last sorted one; of more than two
        classes the one to judge against all others.
    labels : sequence, optional
        The classes in the order of the columns.

    Returns
    -------
    float
        The coefficient; NaN where only one class has rows.

    Examples
    --------
    >>> gini([0, 1, 1, 0], [0.2, 0.9, 0.2, 0.1])
    0.75
    """
    return _gini(read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels))


def _gini(read: Predictions) -> float:
    return 2.0 * _auc(read) - 1.0


def ks(y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None) -> float:
    """Give Kolmogorov & Smirnov's statistic: the greatest distance between the distributions of the two classes.

    It is the greatest difference, over thresholds, between the shares of positive and of negative rows above it: from
    0 to 1 (best).

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

    Returns
    -------
    float
        The distance; NaN where only one class has rows.

    Examples
    --------
    >>> ks([0, 1, 1, 0], [0.2, 0.9, 0.2, 0.1])
    0.5
    """
    return _ks(read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels))


def _ks(read: Predictions) -> float:
    return positive_ranking(read, "ks").greatest_gap()


AUC = Metric(
    "auc",
    auc,
    _auc,
    "higher",
    0.0,
    1.0,
    {"Caruana & Niculescu-Mizil 2006": "ROC", "Chawla & Cieslak 2006": "AUROC", "Hand & Till 2001": "M"},
)
GINI = Metric("gini", gini, _gini, "higher", -1.0, 1.0, {"Hand & Till 2001": "Gini coefficient"})
KS = Metric("ks", ks, _ks, "higher", 0.0, 1.0, {"Smirnov 1939": "D"}, classes="two")
