"""Lift: how much more often a class occurs among the rows that are thought likeliest than among all."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from calibrant._params import Nothing, Real, check_param
from calibrant.metrics._metric import Metric
from calibrant.metrics._ranking.precision import check_total
from calibrant.metrics._ranking.rankings import positive_ranking
from calibrant.metrics._validation.predictions import Predictions, read_predictions
from calibrant.metrics._validation.prior import read_prior

__all__ = ["AULC", "LIFT", "aulc", "lift"]

_FRACTION = Real(0, 1, closed="right")


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
    """Give the share of positives among the likeliest rows, divided by their share among all: 1 by chance, from 0.

    Where the last row shares its probability with others, the expected number of positives counts.

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
    fraction : float
        How large a part of the rows counts as likeliest, above 0 and at most 1.
    total_positives : float, optional
        How many positives there are among all rows, where not all of them are known; by default those given.

    Returns
    -------
    float
        The lift; NaN without a positive row.

    Examples
    --------
    >>> lift([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4], fraction=0.5)  # 2/3 against 1/2
    1.3333333333333333
    """
    return _lift(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels),
        fraction,
        total_positives,
    )


def _lift(read: Predictions, fraction: float = 0.1, total_positives: float | None = None) -> float:
    check_param("fraction", fraction, _FRACTION)
    ranking = positive_ranking(read, "lift")
    depth = fraction * ranking.weight
    total = check_total(total_positives, ranking.positive)
    found = float(ranking.found_within(np.array([depth]), False)[0])
    return found / depth / (total / ranking.weight) if total > 0 else math.nan


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
    """Give the area under the lift chart, averaged over the classes: 1 for a ranking by chance, more is better.

    For each class the rows are ranked by its probability; of two, the one is ranked as the other upside down. The lift
    of the first i rows is the share of the class among them, divided by its share among all; the area is the mean of
    the lifts of the first 1, 2, ..., n rows. The areas are averaged with the `prior` of the classes as weights (Nielsen
    2004, eq. 12); classes without a row are left out. Rows of equal probability stand in no order: at each of their
    ranks the expected number of the class counts.

    A perfect ranking has, for many rows, 1 plus the entropy of the classes in nats: 1.693 for two of equal size. Areas
    of sets that differ in size or class shares are not comparable.

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
    prior : sequence of length n_classes, dict of class to share, or such a Series, optional
        The share of each class in the training data, in the order of `labels` or else sorted; by default that of the
        rows themselves.
    step : float, optional
        Average the lifts of the first `step`, 2 `step`, ... of the rows, up to all, such as 0.05, instead of those at
        every rank. It is then the same for every multiple of the weights.

    Returns
    -------
    float
        The area; NaN where `prior` gives 0 to every class that occurs.

    Examples
    --------
    >>> aulc([1, 0], [0.8, 0.3])  # the lifts are 2 and 1, for either class
    1.5
    >>> aulc([1, 0, 1, 0], [0.5, 0.5, 0.5, 0.5])
    1.0
    """
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    return _aulc(read, prior, step, labels)


def _aulc(read: Predictions, prior: Any = None, step: float | None = None, labels: Any = None) -> float:
    check_param("step", step, _FRACTION | Nothing())
    shares = read_prior(prior, read, labels)
    found = np.flatnonzero((read.class_weights() > 0) & (shares > 0))
    areas = [_area(read, column, step) for column in found.tolist()]
    return float(np.average(areas, weights=shares[found])) if len(found) else math.nan


def _area(read: Predictions, column: int, step: float | None) -> float:
    """Give the mean lift of a class."""
    of_other = read.n_classes == 2 and column != read.positive
    ranking = read.ranking(read.positive if of_other else column)
    if step is None:
        return ranking.mean_lift(of_other)
    fractions = np.minimum(np.arange(1, math.ceil(1 / step - 1e-9) + 1) * step, 1.0)
    total = ranking.weight - ranking.positive if of_other else ranking.positive
    return float((ranking.found_within(fractions * ranking.weight, of_other) / fractions).mean() / total)


LIFT = Metric(
    "lift",
    lift,
    _lift,
    "higher",
    0.0,
    math.inf,
    {"Caruana & Niculescu-Mizil 2006": "LFT", "Witten, Frank & Hall 2011": "lift factor"},
    classes="two",
)
AULC = Metric("aulc", aulc, _aulc, "higher", 0.0, math.inf, {"Nielsen 2004": "AULC"})
