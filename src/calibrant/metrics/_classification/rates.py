"""Rates of the predicted class, such as precision, recall or their means."""

from __future__ import annotations

from functools import partial
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from calibrant.metrics._classification.confusion import (
    f_beta_of,
    g_mean_of,
    is_predicted,
    rate_of,
    sensitivity_specificity_of,
)
from calibrant.metrics._docstrings import Averaged, Decision
from calibrant.metrics._metric import CARUANA, WITTEN, judge_rows, metric
from calibrant.metrics._validation.predictions import Predictions


@metric("higher", 0.0, 1.0, {WITTEN: "precision"}, classes="two", judge=partial(rate_of, name="precision"))
def precision(y_true: Any, y_proba: Any, **options: Unpack[Averaged]) -> float:
    """Return the fraction of the rows predicted to be positive that are: from 0 to 1 (best).

    It is also known as the positive predictive value.

    %(parameters_positive)s
    %(threshold)s
    %(average)s

    %(returns)s
        The fraction; NaN where no row is predicted to be positive.

    Examples
    --------
    >>> round(precision(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7]), 4)
    0.6667
    >>> of_three = ["a", "b", "c"], [[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.5, 0.2, 0.3]]
    >>> precision(*of_three, average="macro")  # the mean of 1/2, 1 and 0
    0.5
    """
    return judge_rows("precision", y_true, y_proba, options)


def _found_positives(
    predictions: Predictions, threshold: float | None = None, inclusive: bool = False
) -> NDArray[np.float64]:
    """Return whether each positive row is predicted to be; NaN for negative ones."""
    is_found = is_predicted(predictions, threshold, inclusive)
    return np.where(predictions.label == predictions.positive, is_found, np.nan)


@metric(
    "higher", 0.0, 1.0, {WITTEN: "recall"}, classes="two", hits=_found_positives, judge=partial(rate_of, name="recall")
)
def recall(y_true: Any, y_proba: Any, **options: Unpack[Averaged]) -> float:
    """Return the fraction of the positive rows that are predicted to be: from 0 to 1 (best).

    It is also known as `sensitivity` and as the true positive rate.

    %(parameters_positive)s
    %(threshold)s
    %(average)s

    %(returns)s
        The fraction; NaN where no row is positive.

    Examples
    --------
    >>> round(recall(["no", "yes", "yes", "yes"], [0.1, 0.8, 0.4, 0.7], threshold=0.5), 4)
    0.6667
    """
    return judge_rows("recall", y_true, y_proba, options)


@metric(
    "higher",
    0.0,
    1.0,
    {WITTEN: "sensitivity"},
    classes="two",
    hits=_found_positives,
    judge=partial(rate_of, name="sensitivity"),
)
def sensitivity(y_true: Any, y_proba: Any, **options: Unpack[Averaged]) -> float:
    """Return the fraction of the positive rows that are predicted to be: from 0 to 1 (best).

    It is another name of `recall`, the one that medicine uses.

    %(parameters_positive)s
    %(threshold)s
    %(average)s

    %(returns)s
        The fraction; NaN where no row is positive.

    Examples
    --------
    >>> sensitivity(["ill", "well", "ill", "well"], [0.8, 0.3, 0.4, 0.1], pos_label="ill")
    0.5
    """
    return judge_rows("sensitivity", y_true, y_proba, options)


def _found_negatives(
    predictions: Predictions, threshold: float | None = None, inclusive: bool = False
) -> NDArray[np.float64]:
    """Return whether each negative row is predicted to be; NaN for positive ones."""
    is_found = ~is_predicted(predictions, threshold, inclusive)
    return np.where(predictions.label != predictions.positive, is_found, np.nan)


@metric(
    "higher",
    0.0,
    1.0,
    {WITTEN: "specificity"},
    classes="two",
    hits=_found_negatives,
    judge=partial(rate_of, name="specificity"),
)
def specificity(y_true: Any, y_proba: Any, **options: Unpack[Averaged]) -> float:
    """Return the fraction of the negative rows that are predicted to be: from 0 to 1 (best).

    It is 1 less the false positive rate.

    %(parameters_positive)s
    %(threshold)s
    %(average)s

    %(returns)s
        The fraction; NaN where every row is positive.

    Examples
    --------
    >>> specificity(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7])
    0.5
    """
    return judge_rows("specificity", y_true, y_proba, options)


@metric(
    "higher",
    0.0,
    1.0,
    {"Altman & Bland 1994": "negative predictive value"},
    classes="two",
    judge=partial(rate_of, name="npv"),
)
def npv(y_true: Any, y_proba: Any, **options: Unpack[Averaged]) -> float:
    """Return the fraction of the rows predicted to be negative that are: from 0 to 1 (best).

    It is known as the negative predictive value.

    %(parameters_positive)s
    %(threshold)s
    %(average)s

    %(returns)s
        The fraction; NaN where every row is predicted to be positive.

    Examples
    --------
    >>> npv(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.3])
    0.5
    """
    return judge_rows("npv", y_true, y_proba, options)


_f1 = partial(f_beta_of, who="f1")


@metric("higher", 0.0, 1.0, {CARUANA: "FSC", WITTEN: "F-measure"}, classes="two", judge=_f1)
def f1(y_true: Any, y_proba: Any, **options: Unpack[Averaged]) -> float:
    """Return the harmonic mean of precision and recall, 2 TP / (2 TP + FP + FN): from 0 to 1 (best).

    %(parameters_positive)s
    %(threshold)s
    %(average)s

    %(returns_f)s

    Examples
    --------
    >>> f1(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7])
    0.8
    >>> of_three = ["a", "b", "c"], [[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.5, 0.2, 0.3]]
    >>> round(f1(*of_three, average="macro"), 4)  # the mean of 2/3, 1 and 0
    0.5556
    """
    return judge_rows("f1", y_true, y_proba, options)


@metric("higher", 0.0, 1.0, {"Van Rijsbergen 1979": "1 - E"}, classes="two", judge=f_beta_of)
def f_beta(y_true: Any, y_proba: Any, *, beta: float = 1.0, **options: Unpack[Averaged]) -> float:
    """Return the weighted harmonic mean of precision and recall: from 0 to 1 (best).

    %(parameters_positive)s
    beta : float
        How many times as much recall counts as precision.
    %(threshold)s
    %(average)s

    %(returns_f)s

    Examples
    --------
    >>> round(f_beta(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7], beta=2), 4)
    0.9091
    """
    return judge_rows("f_beta", y_true, y_proba, options, beta=beta)


@metric("higher", 0.0, 1.0, {WITTEN: "sensitivity x specificity"}, classes="two", judge=sensitivity_specificity_of)
def sensitivity_specificity(y_true: Any, y_proba: Any, **options: Unpack[Decision]) -> float:
    """Return the product of sensitivity and specificity: from 0 to 1 (best).

    %(parameters_positive)s
    %(threshold)s

    %(returns)s
        The product; NaN where a class has no row.

    Examples
    --------
    >>> sensitivity_specificity(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7])
    0.5
    """
    return judge_rows("sensitivity_specificity", y_true, y_proba, options)


@metric("higher", 0.0, 1.0, {"Kubat & Matwin 1997": "g"}, judge=g_mean_of)
def g_mean(y_true: Any, y_proba: Any, **options: Unpack[Decision]) -> float:
    """Return the geometric mean, over classes, of the recall of each: from 0 to 1 (best).

    With two classes it is the root of `sensitivity_specificity`. Classes without a row are left out.

    %(parameters)s
    %(threshold)s

    %(returns)s
        The geometric mean.

    Examples
    --------
    >>> round(g_mean(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7]), 4)
    0.7071
    """
    return judge_rows("g_mean", y_true, y_proba, options)
