"""F-measures, sensitivity and specificity of the predicted class."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.metrics._classification.confusion import Confusions, averaged, judge_confusion, ratio
from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._metric import Metric
from calibrant.metrics._papers import CARUANA, WITTEN
from calibrant.metrics._validation.options import check_options
from calibrant.metrics._validation.read_predictions import read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["F1", "F_BETA", "G_MEAN", "SENSITIVITY_SPECIFICITY", "f1", "f_beta", "g_mean", "sensitivity_specificity"]


@document_metric
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
    check_options("f1", threshold=threshold, inclusive=inclusive, average=average)
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    return judge_confusion(_f1, predictions, threshold, inclusive, average=average)


@document_metric
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
    check_options("f_beta", beta=beta, threshold=threshold, inclusive=inclusive, average=average)
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    return judge_confusion(_f_beta, predictions, threshold, inclusive, beta=beta, average=average)


def _f_beta(
    confusions: Confusions, beta: float = 1.0, average: str | None = None, who: str = "f_beta"
) -> NDArray[np.float64]:
    if average == "micro":
        return ratio(confusions.correct, confusions.actual.sum(axis=1))
    if average is None:
        tp, fp, fn, _ = confusions.two_by_two(who)
        return ratio((1.0 + beta**2) * tp, (1.0 + beta**2) * tp + beta**2 * fn + fp)
    correct = np.diagonal(confusions.counts, axis1=1, axis2=2)
    of_class = ratio((1.0 + beta**2) * correct, beta**2 * confusions.actual + confusions.predicted)
    return averaged(np.nan_to_num(of_class), ~np.isnan(of_class), confusions.actual, average)


_f1 = partial(_f_beta, who="f1")


@document_metric
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
    check_options("sensitivity_specificity", threshold=threshold, inclusive=inclusive)
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    return judge_confusion(_sensitivity_specificity, predictions, threshold, inclusive)


def _sensitivity_specificity(confusions: Confusions) -> NDArray[np.float64]:
    tp, fp, fn, tn = confusions.two_by_two("sensitivity_specificity")
    return ratio(tp * tn, (tp + fn) * (fp + tn))


@document_metric
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
    check_options("g_mean", threshold=threshold, inclusive=inclusive)
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    return judge_confusion(_g_mean, predictions, threshold, inclusive)


def _g_mean(confusions: Confusions) -> NDArray[np.float64]:
    found = ~np.isnan(confusions.recalls)
    products = np.prod(np.where(found, confusions.recalls, 1.0), axis=1)
    # One root after the other: NumPy's power of a whole array may round otherwise, by the processor.
    roots = zip(products.tolist(), found.sum(axis=1).tolist(), strict=True)
    return np.array([product ** (1.0 / n_classes) for product, n_classes in roots])


F1 = Metric(
    "f1", f1, partial(judge_confusion, _f1), "higher", 0.0, 1.0, {CARUANA: "FSC", WITTEN: "F-measure"}, classes="two"
)
F_BETA = Metric(
    "f_beta",
    f_beta,
    partial(judge_confusion, _f_beta),
    "higher",
    0.0,
    1.0,
    {"Van Rijsbergen 1979": "1 - E"},
    classes="two",
)
SENSITIVITY_SPECIFICITY = Metric(
    "sensitivity_specificity",
    sensitivity_specificity,
    partial(judge_confusion, _sensitivity_specificity),
    "higher",
    0.0,
    1.0,
    {WITTEN: "sensitivity x specificity"},
    classes="two",
)
G_MEAN = Metric("g_mean", g_mean, partial(judge_confusion, _g_mean), "higher", 0.0, 1.0, {"Kubat & Matwin 1997": "g"})
