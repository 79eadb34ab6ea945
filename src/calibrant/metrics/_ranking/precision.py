"""Precision of the rows ranked highest: over all recalls, at chosen ones, or relative to the base rate."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Unpack

import numpy as np

from calibrant import _core
from calibrant.exceptions import ParameterError
from calibrant.metrics._docstrings import Common
from calibrant.metrics._metric import CARUANA, NIELSEN, WITTEN, metric, read_rows
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import read_prior

_THREE_RECALLS, _ELEVEN_RECALLS = np.array([0.2, 0.5, 0.8]), np.arange(11) / 10


@metric("higher", 0.0, 1.0, {CARUANA: "APR"})
def average_precision(y_true: Any, y_proba: Any, **common: Unpack[Common]) -> float:
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
    predictions = read_rows("average_precision", y_true, y_proba, common)
    return _one_or_all_classes(predictions, lambda ranking: ranking.average_precision())


@metric("higher", 0.0, 1.0, {"Davis & Goadrich 2006": "AUC-PR"})
def auprc(y_true: Any, y_proba: Any, *, interpolation: str = "davis_goadrich", **common: Unpack[Common]) -> float:
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
    predictions = read_rows("auprc", y_true, y_proba, common, interpolation=interpolation)
    return _one_or_all_classes(predictions, lambda ranking: ranking.precision_area(interpolation == "linear"))


@metric("higher", 0.0, 1.0, {WITTEN: "three-point average recall"})
def three_point_precision(y_true: Any, y_proba: Any, **common: Unpack[Common]) -> float:
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
    predictions = read_rows("three_point_precision", y_true, y_proba, common)
    return _one_or_all_classes(predictions, lambda ranking: float(ranking.precision_at(_THREE_RECALLS).mean()))


@metric("higher", 0.0, 1.0, {WITTEN: "eleven-point average recall"})
def eleven_point_precision(y_true: Any, y_proba: Any, **common: Unpack[Common]) -> float:
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
    predictions = read_rows("eleven_point_precision", y_true, y_proba, common)
    return _one_or_all_classes(predictions, lambda ranking: float(ranking.precision_at(_ELEVEN_RECALLS).mean()))


@metric("higher", 0.0, 1.0, {WITTEN: "precision"}, classes="two", needs=("k",))
def precision_at_k(y_true: Any, y_proba: Any, *, k: float, **common: Unpack[Common]) -> float:
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
    predictions = read_rows("precision_at_k", y_true, y_proba, common, k=k)
    return _positives_within(predictions, k, "precision_at_k") / k


@metric("higher", 0.0, 1.0, {WITTEN: "recall"}, classes="two", needs=("k",))
def recall_at_k(
    y_true: Any, y_proba: Any, *, k: float, total_positives: float | None = None, **common: Unpack[Common]
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
    predictions = read_rows("recall_at_k", y_true, y_proba, common, k=k, total_positives=total_positives)
    found = _positives_within(predictions, k, "recall_at_k")
    total = total_of_positives(total_positives, predictions.ranking().positive)
    return found / total if total > 0 else math.nan


def _positives_within(predictions: Predictions, k: float, who: str) -> float:
    ranking = predictions.positive_ranking(who)
    if k > ranking.weight:
        raise ParameterError(f"{who}: k must be at most the weight of the rows, {ranking.weight:g}; got {k!r}.")
    return float(ranking.found_within(np.array([float(k)]), False)[0])


def total_of_positives(total: float | None, found: float) -> float:
    """Return the number of positives in all: `total`, which must not be below those found, or those found."""
    if total is not None and total < found:
        raise ParameterError(f"total_positives must be at least the positives passed, {found:g}; got {total!r}.")
    return found if total is None else float(total)


LIFT_FRACTION = 0.1  # the default of `lift`, a decile, as most lift charts report


@metric("higher", 0.0, math.inf, {CARUANA: "LFT", WITTEN: "lift factor"}, classes="two")
def lift(
    y_true: Any, y_proba: Any, *, fraction: float = 0.1, total_positives: float | None = None, **common: Unpack[Common]
) -> float:
    """Return the frequency of positives among the most likely rows divided by the base rate: from 0, 1 by chance.

    Where the last of those rows shares its probability with others, the expected number of positives counts.

    %(parameters_positive)s
    fraction : float
        The fraction of the rows that counts as most likely, above 0 and at most 1.
    %(total_positives)s

    %(returns)s
        The lift; NaN without a positive row.

    Examples
    --------
    >>> round(lift([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4], fraction=0.5), 4)  # 2/3 against 1/2
    1.3333
    """
    predictions = read_rows("lift", y_true, y_proba, common, fraction=fraction, total_positives=total_positives)
    ranking = predictions.positive_ranking("lift")
    depth = fraction * ranking.weight
    total = total_of_positives(total_positives, ranking.positive)
    found = float(ranking.found_within(np.array([depth]), False)[0])
    return found / depth / (total / ranking.weight) if total > 0 else math.nan


@metric("higher", 0.0, math.inf, {NIELSEN: "AULC"})
def aulc(y_true: Any, y_proba: Any, *, prior: Any = None, step: float | None = None, **common: Unpack[Common]) -> float:
    """Return the area under the lift chart, averaged over the classes: 1 for a random ranking, higher is better.

    For each class the rows are ranked by its probability; with two classes, one ranking is the reverse of the other.
    The lift of the first i rows is the frequency of the class among them divided by its frequency among all; the area
    is the mean of the lifts of the first 1, 2, ..., n rows. The areas are averaged with the `prior` of the classes as
    weights (Nielsen 2004, eq. 12); classes without a row are left out. Rows of equal probability have no order: at
    each of their ranks the expected number of the class counts.

    A perfect ranking of many rows has 1 plus the entropy of the classes in nats: 1.693 for two of equal size. Areas of
    data sets that differ in size or class frequencies are not comparable.

    %(parameters)s
    %(prior)s
    step : float, optional
        Average the lifts of the first `step`, 2 `step`, ... of the rows, up to all, such as 0.05, instead of those at
        every rank. The area then does not change if all weights are multiplied by a number.

    %(returns)s
        The area; NaN where `prior` is 0 for every class that occurs.

    Examples
    --------
    >>> aulc([1, 0], [0.8, 0.3])  # the lifts are 2 and 1, for either class
    1.5
    >>> aulc([1, 0, 1, 0], [0.5, 0.5, 0.5, 0.5])
    1.0
    """
    predictions = read_rows("aulc", y_true, y_proba, common, step=step)
    frequencies = read_prior(prior, predictions, common.get("labels"))
    found = np.flatnonzero((predictions.class_weights() > 0) & (frequencies > 0))
    areas = [_mean_lift(predictions, column, step) for column in found.tolist()]
    return float(np.average(areas, weights=frequencies[found])) if len(found) else math.nan


def _mean_lift(predictions: Predictions, column: int, step: float | None) -> float:
    """Return the mean lift of a class; the negative class of two is read from the ranking of the positive one."""
    is_negative = predictions.n_classes == 2 and column != predictions.positive
    ranking = predictions.ranking(predictions.positive if is_negative else column)
    if step is None:
        return ranking.mean_lift(is_negative)
    n_steps = math.ceil(1 / step - 1e-9)  # 1 / step may lie above a whole number by rounding
    fractions = np.minimum(np.arange(1, n_steps + 1) * step, 1.0)
    total = ranking.weight - ranking.positive if is_negative else ranking.positive
    return float((ranking.found_within(fractions * ranking.weight, is_negative) / fractions).mean() / total)


def _one_or_all_classes(predictions: Predictions, measure: Callable[[_core.Ranking], float]) -> float:
    """Return a measure of the positive class's ranking; without one its mean over classes, weighted by their rows."""
    if predictions.is_binary:
        return measure(predictions.ranking())
    weights = predictions.class_weights()
    found = np.flatnonzero(weights)
    return float(np.average([measure(predictions.ranking(k)) for k in found.tolist()], weights=weights[found]))
