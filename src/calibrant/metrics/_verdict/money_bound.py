"""Upper confidence bounds on the money that decisions lose to miscalibration."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.metrics._calibration.gap_bound import GapBound, RowGroups
    from calibrant.metrics._calibration.probability_cells import ProbabilityCells

__all__ = ["Stakes", "bound_money", "stakes_of"]

_ERRORS = np.linspace(-1.0, 1.0, 401) ** 3  # of a group that are tried: denser near 0, where rare classes have theirs


class Stakes(NamedTuple):
    """The threshold of two decisions, and the gain of the right one per unit of probability beyond it.

    Examples
    --------
    >>> stakes_of(np.array([[0.0, 1.0], [9.0, 0.0]]), positive=1)
    Stakes(threshold=0.1, gain=10.0)
    """

    threshold: float
    gain: float


def stakes_of(costs: NDArray[np.float64], positive: int) -> Stakes:
    """Return the stakes of a cost matrix of two classes, in rows, and decisions, in columns."""
    of_negative = float(costs[1 - positive, positive] - costs[1 - positive, 1 - positive])
    of_positive = float(costs[positive, 1 - positive] - costs[positive, positive])
    gain = of_negative + of_positive
    return Stakes(of_negative / gain if gain else math.inf, abs(gain))


def bound_money(cells: ProbabilityCells, bound: GapBound, stakes: Stakes) -> float:
    """Return a bound on the mean loss of a row whose decision is the cheapest one by its probability.

    A row of probability p and true frequency q loses ``gain * (|q - p| - |p - threshold|)`` if the threshold lies
    between them, and nothing otherwise, so the gain times the bound on the mean gap is a first bound. The largest loss
    of any errors of the groups with a sum of squares within the bound is smaller; by duality it is at most the least
    value of a convex function, which is found by a search.

    Examples
    --------
    >>> from calibrant.metrics._calibration.probability_cells import ProbabilityCells
    >>> from calibrant.metrics._calibration.gap_bound import bound_gap
    >>> p = np.array([0.3, 0.6])
    >>> cells = ProbabilityCells(np.full(2, 500.0), p, np.zeros(2), p, p, 500.0 * p * (1 - p))
    >>> [round(bound_money(cells, bound_gap(cells, 0.95), Stakes(t, 10.0)), 3) for t in (0.3, 0.4, 0.9)]
    [0.253, 0.0, 0.0]
    """
    if not 0.0 < stakes.threshold < 1.0:
        return 0.0  # one decision is the cheapest whatever the probability
    most = stakes.gain * bound.gap
    if bound.groups is None:
        return most
    squares = _squares(bound.groups)
    is_possible = squares <= bound.noncentrality  # of the errors of a single group
    losses = np.where(is_possible, stakes.gain * _losses(cells, bound.groups, stakes.threshold), 0.0)

    def dual(log_price: float) -> float:
        price = math.exp(log_price)
        return price * bound.noncentrality + float((losses - price * squares).max(axis=1).sum())

    scale = math.log(most * cells.total / bound.noncentrality) if most > 0.0 else 0.0
    found = minimize_scalar(dual, bounds=(scale - 12.0, scale + 6.0), method="bounded", options={"xatol": 1e-3})
    return min(most, float(found.fun) / cells.total)


def _losses(cells: ProbabilityCells, groups: RowGroups, threshold: float) -> NDArray[np.float64]:
    """Return the loss of each group, per unit of gain, for each error that its rows may share."""
    truth = np.clip(cells.proba[:, None] + _ERRORS, 0.0, 1.0)
    decided, right = cells.proba[:, None] > threshold, truth > threshold
    lost = np.where(decided == right, 0.0, np.abs(truth - threshold)) * cells.weight[:, None]
    return np.asarray(np.add.reduceat(lost, groups.start, axis=0))


def _squares(groups: RowGroups) -> NDArray[np.float64]:
    """Return the squared standardized error of each group; infinite where the frequency leaves 0 to 1."""
    mean = groups.mean[:, None]
    truth = mean + _ERRORS
    angle = np.arcsin(np.sqrt(np.clip(truth, 0.0, 1.0))) - np.arcsin(np.sqrt(mean))
    squares = 4.0 * (groups.weight / groups.heterogeneity)[:, None] * angle**2
    return np.where((truth < -1e-9) | (truth > 1.0 + 1e-9), np.inf, squares)
