"""Upper confidence bounds on the mean error of probabilities, and on the log-loss that it costs.

Rows are grouped by probability. The variance-stabilized errors of the groups are normal with variance 1, so the sum of
their squares is noncentral chi-squared, and its noncentrality has an exact upper bound. By the inequality of Cauchy and
Schwarz that bounds the mean absolute error of the groups, which is that of the rows if the error has one sign within
each group.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, chdtri, chndtrinc, ndtri, rel_entr

from calibrant.metrics._calibration.probability_cells import ProbabilityCells
from calibrant.metrics._intervals.intervals import clopper_pearson

_FEWEST_GROUPS, _MOST_GROUPS, _ROWS_OF_GROUP = 20, 100, 250  # more rows in more groups: shorter waves are seen
_LEAST_EXPECTED = 5.0  # positives and negatives of a group
_LEAST_GROUPS = 3  # fewer, of differing probabilities, would hide a slope: a bound without assumptions takes over
_LOSS_FACTOR = 1.5  # errors differ within a group; chosen by benchmarks/verdict_table.py for 93 % coverage
_TYPICAL = 0.8  # of calibrated samples are within the bound of `typical_gap_bound`


class RowGroups(NamedTuple):
    """Groups of neighboring cells: the first cell of each, and sums over its rows.

    Parameters
    ----------
    start : array of shape (n_groups,)
        The first cell of each group.
    weight, expected, positive, variance : array of shape (n_groups,)
        The number of rows, of expected and of observed positives, and the variance of the latter.
    is_mixed : array of bool, of shape (n_groups,)
        Whether a group holds more than one probability.
    """

    start: NDArray[np.intp]
    weight: NDArray[np.float64]
    expected: NDArray[np.float64]
    positive: NDArray[np.float64]
    variance: NDArray[np.float64]
    is_mixed: NDArray[np.bool_]

    @property
    def chi_squared(self) -> float:
        """The sum of squares of the variance-stabilized errors (Anscombe 1948)."""
        # Anscombe's 3/8 brings the variance of the angle closest to 1 / (4 n) for small counts.
        angle = np.arcsin(np.sqrt((self.positive + 0.375) / (self.weight + 0.75)))
        # Rows of differing probability vary less than their mean suggests;
        # dividing by that ratio keeps the variance at 1.
        away = 2.0 * (angle - np.arcsin(np.sqrt(self.mean))) * np.sqrt(self.weight)
        return float((away**2 / self.heterogeneity).sum())

    @property
    def mean(self) -> NDArray[np.float64]:
        """The mean probability of each group."""
        return self.expected / self.weight

    @property
    def heterogeneity(self) -> NDArray[np.float64]:
        """The variance of the positives of each group as a fraction of that of rows of equal probability."""
        return np.asarray(self.variance / (self.weight * self.mean * (1.0 - self.mean)))


class GapBound(NamedTuple):
    """Upper confidence bounds on what miscalibration amounts to.

    Parameters
    ----------
    gap : float
        On the mean absolute difference of the probabilities and the true frequencies.
    loss : float or None
        On the mean log-loss that it costs, in nats; None where the rows allow no bound.
    noncentrality : float
        On the sum of the squared standardized errors of the groups; NaN where these were not used.
    groups : RowGroups or None
        The groups.
    """

    gap: float
    loss: float | None = None
    noncentrality: float = math.nan
    groups: RowGroups | None = None


def bound_gap(cells: ProbabilityCells, confidence: float, *, as_whole: bool = False) -> GapBound:
    """Return bounds for independent rows.

    Rows of a single probability have the exact bounds of Clopper & Pearson. Rows that form fewer than three groups of
    at least 5 expected positives and negatives have a bound without assumptions: the frequency of the less likely
    class, bounded exactly, plus its mean probability; or with `as_whole` that of the error of all rows together.

    Examples
    --------
    >>> zeros = np.zeros(2)
    >>> p = np.array([0.3, 0.6])
    >>> cells = ProbabilityCells(zeros + 500.0, p, zeros, p, p, 500.0 * p * (1 - p))
    >>> bound = bound_gap(cells, 0.95)
    >>> round(bound.gap, 4), round(bound.loss, 4), bound_gap(cells, 0.99).gap > bound.gap
    (0.0379, 0.0047, True)
    """
    # With one probability there is one error, and the exact interval of a proportion bounds it without groups.
    if cells.low[0] == cells.high[-1] or (as_whole and not _is_enough(group_cells(cells))):
        return _bound_of_mean(cells, confidence)
    groups = group_cells(cells)
    if not _is_enough(groups):
        positive = np.clip(cells.residual + cells.weight * cells.proba, 0.0, cells.weight)
        less_likely = float(np.where(cells.proba <= 0.5, positive, cells.weight - positive).sum())
        return GapBound(_bound_without_assumptions(cells, confidence, less_likely))
    found = _noncentrality(groups.chi_squared, len(groups.weight), confidence)
    return GapBound(_gap(groups, found), _LOSS_FACTOR * found / (2.0 * cells.total), found, groups)


def typical_gap_bound(cells: ProbabilityCells, n_rows: float, confidence: float) -> float:
    """Return the bound that so many calibrated rows with such probabilities stay within in 80 % of samples.

    Examples
    --------
    >>> p = np.array([0.3, 0.6])
    >>> cells = ProbabilityCells(np.ones(2), p, np.zeros(2), p, p, p * (1 - p))
    >>> round(typical_gap_bound(cells, 1000, 0.95), 4), round(typical_gap_bound(cells, 4000, 0.95), 4)
    (0.0487, 0.0243)
    """
    # Samples of another size: the same probabilities, rescaled to the number of rows, and without any residual.
    many = n_rows / cells.total
    scaled = replace(cells, weight=cells.weight * many, residual=0.0 * cells.weight, variance=cells.variance * many)
    groups = group_cells(scaled)
    if not _is_enough(groups):
        rarer = np.minimum(scaled.proba, 1.0 - scaled.proba)
        expected = float(scaled.weight @ rarer)
        wrong = expected + float(ndtri(_TYPICAL)) * math.sqrt(float(scaled.weight @ (rarer * (1.0 - rarer))))
        return _bound_without_assumptions(scaled, confidence, min(wrong, n_rows))
    n_groups = len(groups.weight)
    return _gap(groups, _noncentrality(float(chdtri(n_groups, 1.0 - _TYPICAL)), n_groups, confidence))


def independent_cells(cells: ProbabilityCells, design_effect: float) -> ProbabilityCells:
    """Return cells with the number of independent rows that clustered or weighted rows are worth."""
    if cells.by_cluster is None:
        return cells
    weight = cells.weight / design_effect
    variance = weight * cells.proba * (1.0 - cells.proba)
    return replace(cells, weight=weight, residual=cells.residual / design_effect, variance=variance, by_cluster=None)


def group_cells(cells: ProbabilityCells) -> RowGroups:
    """Join neighboring cells to groups of about equal weight, each with enough expected positives and negatives."""
    n_groups = min(max(int(cells.total / _ROWS_OF_GROUP), _FEWEST_GROUPS), _MOST_GROUPS)
    middle = np.cumsum(cells.weight) - cells.weight / 2.0
    place = np.minimum(middle / cells.total * n_groups, n_groups - 1).astype(np.intp)
    start = np.flatnonzero(np.diff(place, prepend=-1))
    expected = cells.weight * cells.proba
    kept, positives, negatives = [], np.inf, np.inf
    # The first group opens at once: infinity counts as enough.
    sums = np.add.reduceat(np.stack([expected, cells.weight - expected]), start, axis=1)
    for first, more_positives, more_negatives in zip(start.tolist(), *sums.tolist(), strict=True):
        if min(positives, negatives) >= _LEAST_EXPECTED:
            kept.append(first)
            positives = negatives = 0.0
        positives, negatives = positives + more_positives, negatives + more_negatives
    # Too few are left at the end: they join the group before them.
    if len(kept) > 1 and min(positives, negatives) < _LEAST_EXPECTED:
        kept.pop()
    at = np.array(kept)
    columns = np.stack([cells.weight, expected, expected + cells.residual, cells.variance])
    weight, predicted, positive, variance = np.add.reduceat(columns, at, axis=1)
    is_mixed = cells.low[at] < cells.high[np.append(at[1:], len(cells.proba)) - 1]
    return RowGroups(at, weight, predicted, np.clip(positive, 0.0, weight), variance, is_mixed)


def _is_enough(groups: RowGroups) -> bool:
    """Return whether the groups show errors of opposite signs: three of them, or a single probability in each."""
    least = min(groups.expected.min(), (groups.weight - groups.expected).min())
    return bool(least >= _LEAST_EXPECTED and (len(groups.weight) >= _LEAST_GROUPS or not groups.is_mixed.any()))


def _noncentrality(chi_squared: float, n_groups: int, confidence: float) -> float:
    """Return the upper bound on the noncentrality; a sum of squares below its median counts as that."""
    # The bound falls with the sum of squares; counting at least the median
    # keeps lucky samples from claiming more than most.
    least = float(chdtri(n_groups, 0.5))
    return float(chndtrinc(max(chi_squared, least), n_groups, 1.0 - confidence))


def _gap(groups: RowGroups, noncentrality: float) -> float:
    # Cauchy & Schwarz: the mean of |error| is at most the root of noncentrality times variance, over the rows.
    total = float(groups.weight.sum())
    mean = float(groups.expected.sum()) / total
    gap = math.sqrt(noncentrality * float(groups.variance.sum())) / total
    # q - p = sqrt(p (1 - p)) d + (1 - 2 p) d^2 / 4 + ... for a difference d of the angles 2 arcsin(sqrt(.)).
    return min(gap + noncentrality * abs(1.0 - 2.0 * mean) / (4.0 * total), 1.0)


def _bound_of_mean(cells: ProbabilityCells, confidence: float) -> GapBound:
    """Return the exact bound on the error of all rows together, and the log-loss that such an error costs."""
    mean = float(cells.weight @ cells.proba) / cells.total
    positive = min(max(float(cells.residual.sum()) + cells.total * mean, 0.0), cells.total)
    low, high = clopper_pearson(positive, cells.total, 1.0 - confidence)
    loss = max(float(rel_entr(end, mean) + rel_entr(1.0 - end, 1.0 - mean)) for end in (low, high))
    return GapBound(max(high - mean, mean - low), loss if math.isfinite(loss) else None)


def _bound_without_assumptions(cells: ProbabilityCells, confidence: float, less_likely: float) -> float:
    """Return a bound of |q - p| <= |q - r| + |p - r|, with r the more likely class of each row, 0 or 1.

    `less_likely` is the number of rows of the class that their probabilities call less likely.
    """
    # The bound holds however the errors are spread: no grouping could show errors of opposite signs among so few rows.
    likely = max(cells.total - less_likely, 0.0)
    frequency = float(betaincinv(less_likely + 1.0, likely, confidence)) if likely > 0.0 else 1.0
    mean = float(cells.weight @ np.minimum(cells.proba, 1.0 - cells.proba)) / cells.total
    return min(frequency + mean, 1.0 - mean)
