"""Precision and recall of rankings: over all recalls, at chosen recalls, and among the first k rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from calibrant.exceptions import ParameterError
from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._metric import Metric
from calibrant.metrics._papers import CARUANA, WITTEN
from calibrant.metrics._ranking.rankings import one_or_all_classes, positive_ranking
from calibrant.metrics._validation.options import check_options
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import read_predictions

__all__ = [
    "AUPRC",
    "AVERAGE_PRECISION",
    "ELEVEN_POINT_PRECISION",
    "PRECISION_AT_K",
    "RECALL_AT_K",
    "THREE_POINT_PRECISION",
    "auprc",
    "average_precision",
    "eleven_point_precision",
    "precision_at_k",
    "recall_at_k",
    "three_point_precision",
    "total_of_positives",
]

_THREE_RECALLS, _ELEVEN_RECALLS = np.array([0.2, 0.5, 0.8]), np.arange(11) / 10


@document_metric
def average_precision(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """Return the mean, over positive rows, of the precision among all rows ranked at least as high: from 0 to 1 (best).

    It equals scikit-learn's ``average_precision_score``.

    %(mean_over_classes)s

    %(parameters_each_class)s

    %(returns)s
        The average precision; NaN without a positive row.

    Examples
    --------
    >>> round(average_precision([1, 0, 1], [0.9, 0.8, 0.7]), 4)  # (1/1 + 2/3) / 2
    0.8333
    """
    return _average_precision(read_predictions(y_true, y_proba, sample_weight, pos_label, labels))


def _average_precision(predictions: Predictions) -> float:
    return one_or_all_classes(predictions, lambda ranking: ranking.average_precision())


@document_metric
def auprc(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    interpolation: str = "davis_goadrich",
) -> float:
    """Return the area under the precision-recall curve: from 0 to 1 (best).

    %(mean_over_classes)s

    %(parameters_each_class)s
    interpolation : {"davis_goadrich", "linear"}
        Between two points of the curve, add positives and negatives in their average proportion (Davis & Goadrich
        2006), integrated exactly; or draw straight lines, which is too optimistic where many rows share a
        probability. For steps instead of lines see `average_precision`.

    %(returns)s
        The area; NaN without a positive row.

    Examples
    --------
    >>> round(auprc([1, 0, 1, 0], [0.5, 0.5, 0.5, 0.5]), 12), round(auprc([1, 0], [0.9, 0.1]), 12)
    (0.5, 1.0)
    """
    check_options("auprc", interpolation=interpolation)
    return _auprc(read_predictions(y_true, y_proba, sample_weight, pos_label, labels), interpolation)


def _auprc(predictions: Predictions, interpolation: str = "davis_goadrich") -> float:
    return one_or_all_classes(predictions, lambda ranking: ranking.precision_area(interpolation == "linear"))


@document_metric
def three_point_precision(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """Return the mean precision at recalls of 20, 50 and 80 %: from 0 to 1 (best).

    The precision at a recall is the largest one at that recall or beyond, as TREC interpolates. Witten, Frank & Hall
    (2011, 5.7) call it three-point average recall, although precision is averaged.

    %(mean_over_classes)s

    %(parameters_each_class)s

    %(returns)s
        The mean of the three precisions; NaN without a positive row.

    Examples
    --------
    >>> round(three_point_precision([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6]), 4)  # 1 at 20 and 50 %, 2/3 at 80 %
    0.8889
    """
    return _three_point(read_predictions(y_true, y_proba, sample_weight, pos_label, labels))


def _three_point(predictions: Predictions) -> float:
    return one_or_all_classes(predictions, lambda ranking: float(ranking.precision_at(_THREE_RECALLS).mean()))


@document_metric
def eleven_point_precision(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """Return the mean precision at recalls of 0, 10, ..., 100 %: from 0 to 1 (best).

    The precision at a recall is the largest one at that recall or beyond (Witten, Frank & Hall 2011, 5.7).

    %(mean_over_classes)s

    %(parameters_each_class)s

    %(returns)s
        The mean of the eleven precisions; NaN without a positive row.

    Examples
    --------
    >>> round(eleven_point_precision([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6]), 4)  # (6 + 5 * 2/3) / 11
    0.8485
    """
    return _eleven_point(read_predictions(y_true, y_proba, sample_weight, pos_label, labels))


def _eleven_point(predictions: Predictions) -> float:
    return one_or_all_classes(predictions, lambda ranking: float(ranking.precision_at(_ELEVEN_RECALLS).mean()))


@document_metric
def precision_at_k(
    y_true: Any, y_proba: Any, *, k: float, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """Return the fraction of positives among the k most likely rows: from 0 to 1 (best).

    Where the k-th row shares its probability with others, the expected number of positives counts.

    %(parameters_positive)s
    %(k)s

    %(returns)s
        The precision.

    Examples
    --------
    >>> round(precision_at_k([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6], k=3), 4)
    0.6667
    """
    check_options("precision_at_k", k=k)
    return _precision_at_k(read_predictions(y_true, y_proba, sample_weight, pos_label, labels), k)


def _precision_at_k(predictions: Predictions, k: float) -> float:
    return _positives_within(predictions, k, "precision_at_k") / k


@document_metric
def recall_at_k(
    y_true: Any,
    y_proba: Any,
    *,
    k: float,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    total_positives: float | None = None,
) -> float:
    """Return the fraction of all positives that is among the k most likely rows: from 0 to 1 (best).

    %(parameters_positive)s
    %(k)s
    %(total_positives)s

    %(returns)s
        The recall; NaN without a positive row.

    Examples
    --------
    >>> recall_at_k([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6], k=2)
    0.5
    """
    check_options("recall_at_k", k=k, total_positives=total_positives)
    return _recall_at_k(read_predictions(y_true, y_proba, sample_weight, pos_label, labels), k, total_positives)


def _recall_at_k(predictions: Predictions, k: float, total_positives: float | None = None) -> float:
    found = _positives_within(predictions, k, "recall_at_k")
    total = total_of_positives(total_positives, predictions.ranking().positive)
    return found / total if total > 0 else math.nan


def _positives_within(predictions: Predictions, k: float, who: str) -> float:
    ranking = positive_ranking(predictions, who)
    if k > ranking.weight:
        raise ParameterError(f"{who}: k must be at most the weight of the rows, {ranking.weight:g}; got {k!r}.")
    return float(ranking.found_within(np.array([float(k)]), False)[0])


def total_of_positives(total: float | None, found: float) -> float:
    """Return the number of positives in all: `total`, which must not be below those found, or those found."""
    if total is not None and total < found:
        raise ParameterError(f"total_positives must be at least the positives passed, {found:g}; got {total!r}.")
    return found if total is None else float(total)


AVERAGE_PRECISION = Metric(
    "average_precision", average_precision, _average_precision, "higher", 0.0, 1.0, {CARUANA: "APR"}
)
AUPRC = Metric("auprc", auprc, _auprc, "higher", 0.0, 1.0, {"Davis & Goadrich 2006": "AUC-PR"})
THREE_POINT_PRECISION = Metric(
    "three_point_precision",
    three_point_precision,
    _three_point,
    "higher",
    0.0,
    1.0,
    {WITTEN: "three-point average recall"},
)
ELEVEN_POINT_PRECISION = Metric(
    "eleven_point_precision",
    eleven_point_precision,
    _eleven_point,
    "higher",
    0.0,
    1.0,
    {WITTEN: "eleven-point average recall"},
)
PRECISION_AT_K = Metric(
    "precision_at_k",
    precision_at_k,
    _precision_at_k,
    "higher",
    0.0,
    1.0,
    {WITTEN: "precision"},
    classes="two",
    needs=("k",),
)
RECALL_AT_K = Metric(
    "recall_at_k", recall_at_k, _recall_at_k, "higher", 0.0, 1.0, {WITTEN: "recall"}, classes="two", needs=("k",)
)
