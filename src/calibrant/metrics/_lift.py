"""Lift: how much more often a class occurs among the rows that are thought likeliest than among all."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import digamma

from calibrant.metrics._metric import Metric
from calibrant.metrics._predictions import read_predictions
from calibrant.metrics._prior import read_prior
from calibrant.metrics._ranking import Ranking, rank_by_class

__all__ = ["AULC", "aulc"]


def aulc(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    prior: Any = None,
) -> float:
    """Give the area under the lift chart, averaged over the classes: 1 for a ranking by chance, more is better.

    For each class the rows are ranked by its probability. The lift of the first i rows is the share of the class among
    them, divided by its share among all; the area is the mean of the lifts of the first 1, 2, ..., n rows. The areas
    are averaged with the `prior` of the classes as weights (Nielsen 2004, eq. 12); classes without a row are left out.
    Rows of equal probability stand in no order: at each of their ranks the expected number of the class counts.

    A perfect ranking has, for many rows, 1 plus the entropy of the classes in nats: 1.693 for two of equal size. Areas
    of sets that differ in size or class shares are not comparable.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent. A weight takes that many ranks, and one that is
        not whole is in between. Multiplying all weights changes the area: there are more ranks.
    pos_label : optional
        The class that a single column gives the probability of; by default the last sorted one.
    labels : sequence, optional
        The classes in the order of the columns.
    prior : sequence of length n_classes, dict of class to share, or such a Series, optional
        The share of each class in the training data, in the order of `labels` or else sorted; by default that of the
        rows themselves.

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
    shares = read_prior(prior, read, labels)
    found = np.flatnonzero((read.class_weights() > 0) & (shares > 0))
    areas = [_area(rank_by_class(read, column)) for column in found.tolist()]
    return float(np.average(areas, weights=shares[found])) if len(found) else np.nan


def _area(ranking: Ranking) -> float:
    """Give the mean lift over all ranks.

    Rank r of a group that starts after s rows, p of them positive, has p + q (r - s) expected positives, q the
    group's share. The sum over its ranks of (p + q (r - s)) / r is q times its size plus (p - q s) (H_end - H_s), H the
    harmonic numbers.
    """
    end, found = np.cumsum(ranking.weight), np.cumsum(ranking.positive)
    start, before = np.append(0.0, end[:-1]), np.append(0.0, found[:-1])
    share = ranking.positive / ranking.weight
    harmonic = digamma(np.append(0.0, end) + 1.0)
    return float((ranking.positive + (before - share * start) * np.diff(harmonic)).sum() / found[-1])


AULC = Metric("aulc", aulc, "higher", 0.0, np.inf, {"Nielsen 2004": "AULC"})
