"""Discrimination between classes: the area under the ROC curve, and the Gini and Kolmogorov-Smirnov statistics."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from calibrant.exceptions import ParameterError
from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._metric import Metric
from calibrant.metrics._papers import CARUANA, CHAWLA
from calibrant.metrics._ranking.rankings import positive_ranking
from calibrant.metrics._validation.options import check_options
from calibrant.metrics._validation.predictions import BinaryRows, Predictions, rank
from calibrant.metrics._validation.read_predictions import read_predictions

__all__ = ["AUC", "GINI", "KS", "auc", "gini", "ks"]


@document_metric
def auc(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    average: str = "one_vs_rest",
) -> float:
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
    check_options("auc", average=average)
    return _auc(read_predictions(y_true, y_proba, sample_weight, pos_label, labels), average)


def _auc(predictions: Predictions, average: str = "one_vs_rest") -> float:
    if predictions.is_binary:
        _check_average(predictions, average)
        return predictions.ranking().auc()
    found = np.flatnonzero(predictions.class_weights()).tolist()
    if len(found) < 2:
        return math.nan
    return _one_vs_rest(predictions, found, average) if "rest" in average else _one_vs_one(predictions, found, average)


def _check_average(predictions: Predictions, average: str) -> None:
    if predictions.n_classes > 2 and "one_vs_one" in average:
        raise ParameterError(f"average={average!r} uses every pair of classes; leave out pos_label, which names one.")


def _one_vs_rest(predictions: Predictions, found: list[int], average: str) -> float:
    weights = None if average == "one_vs_rest_equal" else predictions.class_weights()[found]
    return float(np.average([predictions.ranking(k).auc() for k in found], weights=weights))


def _one_vs_one(predictions: Predictions, found: list[int], average: str) -> float:
    pairs = list(itertools.permutations(found, 2))
    weights = None
    if average == "one_vs_one_weighted":
        weights = [predictions.class_weights()[list(pair)].sum() for pair in pairs]
    return float(np.average([_pair_area(predictions, *pair) for pair in pairs], weights=weights))


def _pair_area(predictions: Predictions, one: int, other: int) -> float:
    """Return the area of one class against another, ranked by the probability of the first."""
    rows = np.flatnonzero((predictions.label == one) | (predictions.label == other))
    weight = None if predictions.weights is None else predictions.weights[rows]
    proba = np.ascontiguousarray(predictions.column(one)[rows])
    return rank(BinaryRows(proba, predictions.label[rows] == one, weight)).auc()


@document_metric
def gini(y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None) -> float:
    """Return twice the area under the ROC curve less 1: from -1 to 1 (best), 0 for a random ranking.

    With more than two classes the area is that of `auc`, each class against all others.

    %(parameters_each_class)s

    %(returns_two_classes)s

    Examples
    --------
    >>> gini([0, 1, 1, 0], [0.2, 0.9, 0.2, 0.1])
    0.75
    """
    return _gini(read_predictions(y_true, y_proba, sample_weight, pos_label, labels))


def _gini(predictions: Predictions) -> float:
    return 2.0 * _auc(predictions) - 1.0


@document_metric
def ks(y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None) -> float:
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
    return _ks(read_predictions(y_true, y_proba, sample_weight, pos_label, labels))


def _ks(predictions: Predictions) -> float:
    return positive_ranking(predictions, "ks").greatest_gap()


AUC = Metric("auc", auc, _auc, "higher", 0.0, 1.0, {CARUANA: "ROC", CHAWLA: "AUROC", "Hand & Till 2001": "M"})
GINI = Metric("gini", gini, _gini, "higher", -1.0, 1.0, {"Hand & Till 2001": "Gini coefficient"})
KS = Metric("ks", ks, _ks, "higher", 0.0, 1.0, {"Smirnov 1939": "D"}, classes="two")
