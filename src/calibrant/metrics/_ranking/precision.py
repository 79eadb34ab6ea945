"""Precision of a ranking: averaged over recall, at some recalls, and among the first rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from calibrant._params import Choice, Nothing, Real, check_param
from calibrant.exceptions import ParameterError
from calibrant.metrics._metric import Metric
from calibrant.metrics._ranking.rankings import of_one_or_all, positive_ranking
from calibrant.metrics._validation.predictions import Predictions, read_predictions

__all__ = [
    "AUPRC",
    "AVERAGE_PRECISION",
    "ELEVEN_POINT_PRECISION",
    "PRECISION_AT_K",
    "RECALL_AT_K",
    "THREE_POINT_PRECISION",
    "auprc",
    "average_precision",
    "check_total",
    "eleven_point_precision",
    "precision_at_k",
    "recall_at_k",
    "three_point_precision",
]

_INTERPOLATION = Choice("davis_goadrich", "linear")
_THREE, _ELEVEN = np.array([0.2, 0.5, 0.8]), np.arange(11) / 10
_TOTAL, _K = Real(0, closed="neither") | Nothing(), Real(0, closed="neither")


def average_precision(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """Give the mean, over positive rows, of the precision among all rows that are ranked as high: from 0 to 1 (best).

    It equals scikit-learn's ``average_precision_score``. With more than two classes it is the mean over the classes,
    each against all others, weighted by their shares.

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
        The mean; NaN without a positive row.

    Examples
    --------
    >>> average_precision([1, 0, 1], [0.9, 0.8, 0.7])  # (1/1 + 2/3) / 2
    0.8333333333333333
    """
    return _average_precision(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    )


def _average_precision(read: Predictions) -> float:
    return of_one_or_all(read, lambda ranking: ranking.average_precision())


def auprc(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    interpolation: str = "davis_goadrich",
) -> float:
    """Give the area under the curve of precision against recall: from 0 to 1 (best).

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The positive class; by default the last sorted one of two. Where there are more and none is told, every class
        is judged against all others, and the mean is weighted by their shares.
    labels : sequence, optional
        The classes in the order of the columns.
    interpolation : {"davis_goadrich", "linear"}
        Between two points of the curve, as many positives and negatives are added as come on average (Davis & Goadrich
        2006), integrated exactly; or straight lines are drawn, which is too optimistic where many rows share a
        probability. For steps instead of lines see `average_precision`.

    Returns
    -------
    float
        The area; NaN without a positive row.

    Examples
    --------
    >>> auprc([1, 0, 1, 0], [0.5, 0.5, 0.5, 0.5]), auprc([1, 0], [0.9, 0.1])
    (0.5, 1.0)
    """
    return _auprc(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels),
        interpolation,
    )


def _auprc(read: Predictions, interpolation: str = "davis_goadrich") -> float:
    check_param("interpolation", interpolation, _INTERPOLATION)
    return of_one_or_all(read, lambda ranking: ranking.precision_area(interpolation == "linear"))


def three_point_precision(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """Give the mean precision at recalls of 20, 50 and 80 %: from 0 to 1 (best).

    The precision at a recall is the greatest that is reached at it or beyond, as TREC interpolates. Witten, Frank &
    Hall (2011, 5.7) call it three-point average recall; what is averaged is precision.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The positive class; by default the last sorted one of two. Where there are more and none is told, every class
        is judged against all others, and the mean is weighted by their shares.
    labels : sequence, optional
        The classes in the order of the columns.

    Returns
    -------
    float
        The mean; NaN without a positive row.

    Examples
    --------
    >>> three_point_precision([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6])  # 1 at 20 and at 50 %, 2/3 at 80 %
    0.8888888888888888
    """
    return _three_point(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    )


def _three_point(read: Predictions) -> float:
    return of_one_or_all(read, lambda ranking: float(ranking.precision_at(_THREE).mean()))


def eleven_point_precision(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """Give the mean precision at recalls of 0, 10, ..., 100 %: from 0 to 1 (best).

    The precision at a recall is the greatest that is reached at it or beyond (Witten, Frank & Hall 2011, 5.7).

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The positive class; by default the last sorted one of two. Where there are more and none is told, every class
        is judged against all others, and the mean is weighted by their shares.
    labels : sequence, optional
        The classes in the order of the columns.

    Returns
    -------
    float
        The mean; NaN without a positive row.

    Examples
    --------
    >>> round(eleven_point_precision([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6]), 4)  # (6 + 5 * 2/3) / 11
    0.8485
    """
    return _eleven_point(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    )


def _eleven_point(read: Predictions) -> float:
    return of_one_or_all(read, lambda ranking: float(ranking.precision_at(_ELEVEN).mean()))


def precision_at_k(
    y_true: Any,
    y_proba: Any,
    *,
    k: float,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
) -> float:
    """Give the share of positives among the k rows that are thought likeliest: from 0 to 1 (best).

    Where the k-th row shares its probability with others, the expected number of positives counts.

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
    k : float
        How many rows, or what weight of rows.

    Returns
    -------
    float
        The share.

    Examples
    --------
    >>> precision_at_k([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6], k=3)
    0.6666666666666666
    """
    return _precision_at_k(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels), k
    )


def _precision_at_k(read: Predictions, k: float) -> float:
    return _found(read, k, "precision_at_k") / k


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
    """Give the share of all positives that is among the k rows thought likeliest: from 0 to 1 (best).

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
    k : float
        How many rows, or what weight of rows.
    total_positives : float, optional
        How many positives there are in all, where the rows are the head of a longer list; by default those given.

    Returns
    -------
    float
        The share; NaN without a positive row.

    Examples
    --------
    >>> recall_at_k([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6], k=2)
    0.5
    """
    return _recall_at_k(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels),
        k,
        total_positives,
    )


def _recall_at_k(read: Predictions, k: float, total_positives: float | None = None) -> float:
    found = _found(read, k, "recall_at_k")
    total = check_total(total_positives, read.ranking().positive)
    return found / total if total > 0 else math.nan


def _found(read: Predictions, k: float, who: str) -> float:
    check_param("k", k, _K)
    ranking = positive_ranking(read, who)
    if k > ranking.weight:
        raise ParameterError(f"{who}: k must be at most the weight of the rows, {ranking.weight:g}; got {k!r}.")
    return float(ranking.found_within(np.array([float(k)]), False)[0])


def check_total(total: float | None, found: float) -> float:
    """Give how many positives there are in all: as told, and no fewer than were found, or those found."""
    check_param("total_positives", total, _TOTAL)
    if total is not None and total < found:
        raise ParameterError(f"total_positives must be at least the positives given, {found:g}; got {total!r}.")
    return found if total is None else float(total)


_WFH = "Witten, Frank & Hall 2011"
AVERAGE_PRECISION = Metric(
    "average_precision",
    average_precision,
    _average_precision,
    "higher",
    0.0,
    1.0,
    {"Caruana & Niculescu-Mizil 2006": "APR"},
)
AUPRC = Metric("auprc", auprc, _auprc, "higher", 0.0, 1.0, {"Davis & Goadrich 2006": "AUC-PR"})
THREE_POINT_PRECISION = Metric(
    "three_point_precision",
    three_point_precision,
    _three_point,
    "higher",
    0.0,
    1.0,
    {_WFH: "three-point average recall"},
)
ELEVEN_POINT_PRECISION = Metric(
    "eleven_point_precision",
    eleven_point_precision,
    _eleven_point,
    "higher",
    0.0,
    1.0,
    {_WFH: "eleven-point average recall"},
)
PRECISION_AT_K = Metric(
    "precision_at_k",
    precision_at_k,
    _precision_at_k,
    "higher",
    0.0,
    1.0,
    {_WFH: "precision"},
    classes="two",
    needs=("k",),
)
RECALL_AT_K = Metric(
    "recall_at_k", recall_at_k, _recall_at_k, "higher", 0.0, 1.0, {_WFH: "recall"}, classes="two", needs=("k",)
)
