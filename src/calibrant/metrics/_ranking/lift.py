"""Lift: how much more frequent a class is among the rows ranked highest than among all."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._metric import Metric
from calibrant.metrics._papers import CARUANA, NIELSEN, WITTEN
from calibrant.metrics._ranking.precision import total_of_positives
from calibrant.metrics._ranking.rankings import positive_ranking
from calibrant.metrics._validation.options import check_options
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.prior import read_prior
from calibrant.metrics._validation.read_predictions import read_predictions

__all__ = ["AULC", "LIFT", "LIFT_FRACTION", "aulc", "lift"]

LIFT_FRACTION = 0.1  # the default of `lift`, a decile, as most lift charts report


@document_metric
def lift(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    fraction: float = 0.1,
    total_positives: float | None = None,
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
    check_options("lift", fraction=fraction, total_positives=total_positives)
    return _lift(read_predictions(y_true, y_proba, sample_weight, pos_label, labels), fraction, total_positives)


def _lift(predictions: Predictions, fraction: float = LIFT_FRACTION, total_positives: float | None = None) -> float:
    ranking = positive_ranking(predictions, "lift")
    depth = fraction * ranking.weight
    total = total_of_positives(total_positives, ranking.positive)
    found = float(ranking.found_within(np.array([depth]), False)[0])
    return found / depth / (total / ranking.weight) if total > 0 else math.nan


@document_metric
def aulc(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    prior: Any = None,
    step: float | None = None,
) -> float:
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
    check_options("aulc", step=step)
    return _aulc(read_predictions(y_true, y_proba, sample_weight, pos_label, labels), prior, step, labels)


def _aulc(predictions: Predictions, prior: Any = None, step: float | None = None, labels: Any = None) -> float:
    frequencies = read_prior(prior, predictions, labels)
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


LIFT = Metric("lift", lift, _lift, "higher", 0.0, math.inf, {CARUANA: "LFT", WITTEN: "lift factor"}, classes="two")
AULC = Metric("aulc", aulc, _aulc, "higher", 0.0, math.inf, {NIELSEN: "AULC"})
