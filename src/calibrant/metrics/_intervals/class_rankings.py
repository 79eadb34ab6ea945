"""Values of rows whose mean is a measure of the rankings by each of many classes against all others.

A bootstrap replicate of such a measure ranks the rows for every class, and a row that is drawn twice raises the
precision at its own rank, which with few rows of each class outweighs the spread of the replicates. The mean over the
classes is nearly linear in the rows, though: the value of a row is here the measure plus what the row adds to it (the
infinitesimal jackknife, Jaeckel 1972), and replicates are means of these values, like those of a loss.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, polygamma

from calibrant.metrics._validation.predictions import Predictions

MOST_RANKED = 5  # classes whose rankings are resampled; intervals of average precision cover too rarely from 10 on
_LEAST_WEIGHT = 1e-9  # a share of the weight above a row: less is the rounding of 0


@dataclass(frozen=True, eq=False)
class RankedClass:
    """The rows from the most to the least likely to be of a class; those of equal probability form a group.

    Parameters
    ----------
    rows : array of shape (n_rows,)
        The row at each rank.
    group : array of shape (n_rows,)
        The group at each rank.
    is_positive : array of bool, of shape (n_rows,)
        Whether the row at each rank is of the class.
    weight : array of shape (n_rows,)
        Its weight.
    unit : array of shape (n_rows,) or None
        The cluster that it is drawn with; None where each copy of a row is drawn alone.
    """

    rows: NDArray[np.intp]
    group: NDArray[np.intp]
    is_positive: NDArray[np.bool_]
    weight: NDArray[np.float64]
    unit: NDArray[np.intp] | None

    @staticmethod
    def of(predictions: Predictions, which: int, unit: NDArray[np.intp] | None) -> RankedClass:
        """Rank the rows by the probability of a class."""
        rows = np.argsort(-predictions.column(which), kind="stable")
        proba = predictions.column(which)[rows]
        group = np.cumsum(np.append(False, proba[1:] != proba[:-1]))
        is_positive = predictions.label[rows] == which
        return RankedClass(rows, group, is_positive, predictions.weight[rows], None if unit is None else unit[rows])

    @cached_property
    def positive(self) -> NDArray[np.float64]:
        """The weight of the class in each group."""
        return np.bincount(self.group, self.weight * self.is_positive).astype(np.float64)

    @cached_property
    def both(self) -> NDArray[np.float64]:
        """The weight of all rows of each group."""
        return np.bincount(self.group, self.weight).astype(np.float64)

    def own_weights(self, hits: NDArray[np.intp]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the weight of the class, and of all, that the unit of some rows has at their ranks or above."""
        if self.unit is None:
            copy = np.minimum(self.weight[hits], 1.0)
            return copy, copy
        first = self.unit * len(self.both)
        key = first + self.group
        order = np.argsort(key, kind="stable")
        begin, end = np.searchsorted(key[order], first[hits]), np.searchsorted(key[order], key[hits], "right")
        sums = [np.append(0.0, np.cumsum(each[order])) for each in (self.weight * self.is_positive, self.weight)]
        return sums[0][end] - sums[0][begin], sums[1][end] - sums[1][begin]


# The value of the row at each rank, and the sum of the measure over the rows of the class, or what estimates it.
Values = tuple[NDArray[np.float64], float]


def area_values(ranked: RankedClass) -> Values:
    """Return the values of rows for the area under the ROC curve of a class."""
    found, passed = np.cumsum(ranked.positive), np.cumsum(ranked.both - ranked.positive)
    positive, negative = found[-1], passed[-1]
    # Placements of both classes (DeLong, DeLong & Clarke-Pearson 1988); ties count half.
    beaten = 1.0 - (passed - 0.5 * (ranked.both - ranked.positive)) / negative
    beaten_by = (found - 0.5 * ranked.positive) / positive
    total = float(ranked.positive @ beaten)
    of_negative = positive / negative * (beaten_by - total / positive)
    return np.where(ranked.is_positive, beaten[ranked.group], of_negative[ranked.group]), total


def precision_values(ranked: RankedClass) -> Values:
    """Return the values of rows for the average precision of a class.

    The precision at a row is that of the other rows ranked at least as high, so that it has no bias: of few rows of a
    class, each raises the precision at its own rank much. This is the jackknife's correction (Quenouille 1956).
    """
    hits = np.flatnonzero(ranked.is_positive)
    group, weight = ranked.group[hits], ranked.weight[hits]
    own_found, own = ranked.own_weights(hits)
    reached = np.cumsum(ranked.both)[group]
    others = reached - own
    is_known = others > _LEAST_WEIGHT * reached
    others = np.where(is_known, others, 1.0)
    precision = np.clip((np.cumsum(ranked.positive)[group] - own_found) / others, 0.0, 1.0)
    # Where no other row is ranked as high, the next row of the class is the nearest that shows a precision.
    first = int(np.argmax(is_known))
    precision = np.where(is_known, precision, precision[first] if is_known[first] else 1.0)
    counted = np.where(is_known, weight, 0.0)
    counted[first] += weight[~is_known].sum()
    # A row more or less changes the precision at a lower rank by its difference from it, over the rows left without.
    slope = np.where(is_known, counted / np.maximum(others - own, np.minimum(others, own)), 0.0)
    n_groups = len(ranked.both)
    steps, falls = (np.bincount(group, each, n_groups).astype(np.float64) for each in (slope, slope * precision))
    lower_steps, lower_falls = np.cumsum(steps[::-1])[::-1], np.cumsum(falls[::-1])[::-1]
    values = -lower_falls[ranked.group]
    of_itself = slope * (own / weight if ranked.unit is None else 1.0)
    values[hits] += precision + lower_steps[group] - of_itself * (1.0 - precision)
    return values, float(weight @ precision)


def lift_values(ranked: RankedClass) -> Values:
    """Return the values of rows for the area under the lift chart of a class."""
    reached, found, share = np.cumsum(ranked.both), np.cumsum(ranked.positive), ranked.positive / ranked.both
    before = reached - ranked.both
    excess = found - ranked.positive - share * before
    # The mean of a share over ranks is a difference of harmonic numbers, whose derivative is the trigamma function.
    step = digamma(reached + 1.0) - digamma(before + 1.0)
    slope, slope_before = polygamma(1, reached + 1.0), polygamma(1, before + 1.0)

    def lower(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.cumsum(values[::-1])[::-1] - values

    here = before / ranked.both * step
    of_positive = lower(step) - here
    of_all = lower(excess * (slope - slope_before) - share * step) + share * here + excess * slope
    # The mean over ranks lacks half of the first, compared with that over all depths (Euler & Maclaurin).
    half = 0.5 * (share[0] - found[-1] / reached[-1])
    values = of_all[ranked.group] + ranked.is_positive * of_positive[ranked.group]
    return values, float(found[-1] + excess @ step + half)


def class_values(
    predictions: Predictions, measure: Callable[[RankedClass], Values], unit: NDArray[np.intp] | None = None
) -> NDArray[np.float64]:
    """Return values of the rows whose mean is a measure of the classes' rankings, averaged by their frequencies.

    Parameters
    ----------
    predictions : Predictions
        The rows.
    measure : callable
        `area_values`, `precision_values` or `lift_values`.
    unit : array of shape (n_rows,) or None
        The cluster that each row is drawn with; None where each copy of a row is drawn alone.

    Returns
    -------
    array of shape (n_rows,)
        The values; their mean over the drawn rows is the measure of a replicate but for terms of higher order.

    Examples
    --------
    >>> from calibrant.metrics import auc
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> rows = [0, 1, 2, 1], [[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.5, 0.2, 0.3], [0.3, 0.4, 0.3]]
    >>> values = class_values(read_predictions(*rows), area_values)
    >>> round(float(values.mean()), 4), round(auc(*rows), 4)
    (0.9583, 0.9583)
    """
    values, total = np.zeros(predictions.n_rows), 0.0
    for which in np.flatnonzero(predictions.class_weights()).tolist():
        ranked = RankedClass.of(predictions, which, unit)
        with np.errstate(divide="ignore", invalid="ignore"):  # rows of one class have no area
            of_ranks, of_class = measure(ranked)
        values[ranked.rows] += of_ranks
        total += of_class
    return values + (total / predictions.total - predictions.mean(values))
