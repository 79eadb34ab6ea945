"""How many positives are found, and how many negatives left alone, at a threshold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from calibrant._params import Choice, Nothing, Real, check_param
from calibrant.exceptions import ParameterError
from calibrant.metrics._classification.confusion import confusion_of, two_by_two
from calibrant.metrics._metric import Metric
from calibrant.metrics._validation.predictions import Predictions, read_predictions

__all__ = [
    "F1",
    "F_BETA",
    "G_MEAN",
    "SENSITIVITY_SPECIFICITY",
    "f1",
    "f_beta",
    "g_mean",
    "sensitivity_specificity",
]

_AVERAGES = Choice("macro", "weighted", "micro") | Nothing()


def f1(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    threshold: float | None = None,
    inclusive: bool = False,
    average: str | None = None,
) -> float:
    """Give the harmonic mean of precision and recall, 2 TP / (2 TP + FP + FN): from 0 to 1 (best).

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
    threshold : float, optional
        Decide for the positive class above this probability; by default for the class of the largest one, ties to the
        lower class.
    inclusive : bool
        Decide for the positive class at the threshold itself, too.
    average : {"macro", "weighted", "micro"}, optional
        Judge every class against all others instead of the positive one: the mean over classes; that weighted by
        the rows of each class, as Weka gives it; or from the sums of all counts, which is the accuracy. Classes that
        have no row and are not decided for are left out; one that has rows or is decided for, but never rightly,
        has 0. A threshold then cannot be told.

    Returns
    -------
    float
        The mean; NaN where there is no positive row and none is decided for.

    Examples
    --------
    >>> f1(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7])
    0.8
    >>> f1(["a", "b", "c"], [[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.5, 0.2, 0.3]], average="macro")  # 2/3, 1 and 0
    0.5555555555555555
    """
    return _f1(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels),
        threshold,
        inclusive,
        average,
    )


def f_beta(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    beta: float = 1.0,
    threshold: float | None = None,
    inclusive: bool = False,
    average: str | None = None,
) -> float:
    """Give the weighted harmonic mean of precision and recall: from 0 to 1 (best).

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
    beta : float
        How many times as much recall counts as precision.
    threshold : float, optional
        Decide for the positive class above this probability; by default for the class of the largest one, ties to the
        lower class.
    inclusive : bool
        Decide for the positive class at the threshold itself, too.
    average : {"macro", "weighted", "micro"}, optional
        Judge every class against all others instead of the positive one: the mean over classes; that weighted by
        the rows of each class, as Weka gives it; or from the sums of all counts, which is the accuracy. Classes that
        have no row and are not decided for are left out; one that has rows or is decided for, but never rightly,
        has 0. A threshold then cannot be told.

    Returns
    -------
    float
        The mean; NaN where there is no positive row and none is decided for.

    Examples
    --------
    >>> round(f_beta(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7], beta=2), 4)
    0.9091
    """
    return _f_beta(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels),
        beta,
        threshold,
        inclusive,
        average,
    )


def _f_beta(
    read: Predictions,
    beta: float = 1.0,
    threshold: float | None = None,
    inclusive: bool = False,
    average: str | None = None,
    who: str = "f_beta",
) -> float:
    check_param("beta", beta, Real(0))
    check_param("average", average, _AVERAGES)
    if average is not None:
        return _f_of_classes(read, beta, threshold, average)
    tp, fp, fn, _ = two_by_two(read, who, threshold, inclusive)
    whole = (1.0 + beta**2) * tp + beta**2 * fn + fp
    return (1.0 + beta**2) * tp / whole if whole > 0 else math.nan


def _f_of_classes(read: Predictions, beta: float, threshold: float | None, average: str) -> float:
    if threshold is not None:
        raise ParameterError("threshold is for one class against all others; drop it, or drop average=.")
    counts = confusion_of(read, None, False)
    hits, actual, decided = np.diagonal(counts), counts.sum(axis=1), counts.sum(axis=0)
    if average == "micro":
        return float(hits.sum() / actual.sum())
    whole = beta**2 * actual + decided
    found = whole > 0
    each = (1.0 + beta**2) * hits[found] / whole[found]
    return float(np.average(each, weights=actual[found] if average == "weighted" else None))


def _f1(
    read: Predictions, threshold: float | None = None, inclusive: bool = False, average: str | None = None
) -> float:
    return _f_beta(read, 1.0, threshold, inclusive, average, "f1")


def sensitivity_specificity(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    threshold: float | None = None,
    inclusive: bool = False,
) -> float:
    """Give the share of positives that are found times that of negatives that are left alone: from 0 to 1 (best).

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
    threshold : float, optional
        Decide for the positive class above this probability; by default for the class of the largest one, ties to the
        lower class.
    inclusive : bool
        Decide for the positive class at the threshold itself, too.

    Returns
    -------
    float
        The product; NaN where a class has no row.

    Examples
    --------
    >>> sensitivity_specificity(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7])
    0.5
    """
    return _sensitivity_specificity(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels),
        threshold,
        inclusive,
    )


def _sensitivity_specificity(read: Predictions, threshold: float | None = None, inclusive: bool = False) -> float:
    tp, fp, fn, tn = two_by_two(read, "sensitivity_specificity", threshold, inclusive)
    pairs = (tp + fn) * (fp + tn)
    return tp * tn / pairs if pairs > 0 else math.nan


def g_mean(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    threshold: float | None = None,
    inclusive: bool = False,
) -> float:
    """Give the geometric mean, over classes, of the share of their rows that is decided rightly: from 0 to 1 (best).

    With two classes it is the root of `sensitivity_specificity`. Classes without a row are left out.

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
    threshold : float, optional
        Decide for the positive class above this probability; by default for the class of the largest one, ties to the
        lower class.
    inclusive : bool
        Decide for the positive class at the threshold itself, too.

    Returns
    -------
    float
        The mean.

    Examples
    --------
    >>> round(g_mean(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7]), 4)
    0.7071
    """
    return _g_mean(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels),
        threshold,
        inclusive,
    )


def _g_mean(read: Predictions, threshold: float | None = None, inclusive: bool = False) -> float:
    counts = confusion_of(read, threshold, inclusive)
    rows = counts.sum(axis=1)
    shares = np.diagonal(counts)[rows > 0] / rows[rows > 0]
    return float(np.prod(shares) ** (1.0 / len(shares)))


_WFH = "Witten, Frank & Hall 2011"
F1 = Metric(
    "f1",
    f1,
    _f1,
    "higher",
    0.0,
    1.0,
    {"Caruana & Niculescu-Mizil 2006": "FSC", _WFH: "F-measure"},
    classes="two",
)
F_BETA = Metric("f_beta", f_beta, _f_beta, "higher", 0.0, 1.0, {"Van Rijsbergen 1979": "1 - E"}, classes="two")
SENSITIVITY_SPECIFICITY = Metric(
    "sensitivity_specificity",
    sensitivity_specificity,
    _sensitivity_specificity,
    "higher",
    0.0,
    1.0,
    {_WFH: "sensitivity x specificity"},
    classes="two",
)
G_MEAN = Metric("g_mean", g_mean, _g_mean, "higher", 0.0, 1.0, {"Kubat & Matwin 1997": "g"})
