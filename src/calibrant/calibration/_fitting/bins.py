"""Scores pooled in groups: ties, or bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._threads import n_threads
from calibrant.calibration._fitting.natural_spline import midpoints
from calibrant.calibration._validation import BinaryScores, are_probabilities

_ROUNDING = 1e-12  # of a weight that is left when all others are subtracted


@dataclass(frozen=True, slots=True, eq=False)
class ScoreBins:
    """Bins of scores, with the weights of the rows and of the positive rows in each."""

    edges: NDArray[np.float64]  # between bins; a score at an edge belongs to the upper bin
    weight: NDArray[np.float64]
    positive: NDArray[np.float64]

    def frequencies(self, m: float = 0.0) -> NDArray[np.float64]:
        """Return the frequency of the positive class in each bin, as if it had m more rows of the base rate.

        Examples
        --------
        >>> ScoreBins(np.array([0.5]), np.array([3.0, 0.0]), np.array([1.0, 0.0])).frequencies(m=1)
        array([0.33333333, 0.33333333])
        """
        base = self.positive.sum() / self.weight.sum()
        total = self.weight + m
        return np.asarray(np.divide(self.positive + m * base, total, out=np.full(len(total), base), where=total > 0))

    def leave_one_out_error(self, m: float = 0.0) -> float:
        """Return the leave-one-out squared error of `frequencies`, with the edges as they are.

        Examples
        --------
        >>> ScoreBins(np.array([]), np.array([3.0]), np.array([2.0])).leave_one_out_error()
        0.5
        """
        base, others = self.positive.sum() / self.weight.sum(), self.weight - 1.0 + m
        frequencies = [
            np.divide(kept + m * base, others, out=np.full(len(others), base), where=others > 0).clip(0.0, 1.0)
            for kept in (self.positive, np.maximum(self.positive - 1.0, 0.0))
        ]
        errors = (self.weight - self.positive) * frequencies[0] ** 2 + self.positive * (1.0 - frequencies[1]) ** 2
        return float(errors.sum() / self.weight.sum())

    def leave_group_out_error(self, sample: BinaryScores, m: float = 0.0) -> float:
        """Return the squared error of `frequencies`, each group of rows left out, with the edges as they are.

        Examples
        --------
        >>> sample = BinaryScores(np.ones(3), np.array([True, True, False]), groups=np.array([0, 1, 2]))
        >>> count_bins(sample, 1).leave_group_out_error(sample)
        0.5
        """
        weight, base = sample.weights(), self.positive.sum() / self.weight.sum()
        bins = np.searchsorted(self.edges, sample.scores, side="right")
        cells, cell = np.unique(np.stack([bins, np.asarray(sample.groups)]), axis=1, return_inverse=True)
        size, positive = np.bincount(cell, weight), np.bincount(cell, weight * sample.positive)
        others = np.maximum(self.weight[cells[0]] - size, 0.0)
        kept = np.maximum(self.positive[cells[0]] - positive, 0.0) + m * base
        is_alone = others + m <= _ROUNDING * self.weight[cells[0]]
        rate = np.where(is_alone, base, kept / np.where(is_alone, 1.0, others + m)).clip(0.0, 1.0)
        errors = (size - positive) * rate**2 + positive * (1.0 - rate) ** 2
        return float(errors.sum() / self.weight.sum())


def count_bins(sample: BinaryScores, n_bins: int) -> ScoreBins:
    """Return bins of equal weight; equal scores share a bin, so there may be fewer bins.

    In the order of the scores, bin i ends at the first row where the weight so far is i / `n_bins` of all or more and
    the score changes; its edge is halfway to the next score.

    Examples
    --------
    >>> bins = count_bins(BinaryScores(np.array([1.0, 2, 2, 2, 5, 6]), np.array([0, 0, 1, 1, 1, 1], dtype=bool)), 3)
    >>> bins.edges, bins.weight, bins.frequencies()
    (array([3.5]), array([4., 2.]), array([0.5, 1. ]))
    """
    found = _core.count_bins(sample.scores, sample.positive, sample.weight, n_bins, n_threads(None))
    return ScoreBins(midpoints(found.below, found.above), found.weight, found.positive)


def width_bins(sample: BinaryScores, n_bins: int) -> ScoreBins:
    """Return bins of equal width, from 0 to 1 where all scores lie there, else from the least to the greatest.

    Examples
    --------
    >>> bins = width_bins(BinaryScores(np.array([0.1, 0.2, 0.5]), np.array([False, True, True])), 2)
    >>> bins.edges, bins.weight, bins.frequencies()
    (array([0.5]), array([2., 1.]), array([0.5, 1. ]))
    """
    low, high = (0.0, 1.0) if are_probabilities(sample.scores) else (sample.scores.min(), sample.scores.max())
    n_bins = n_bins if low < high else 1
    found = _core.width_bins(sample.scores, sample.positive, sample.weight, n_bins, low, high)
    return ScoreBins(found.below, found.weight, found.positive)


@dataclass(frozen=True, slots=True, eq=False)
class DistinctScores:
    """Distinct scores in ascending order, with the weights of the rows and of the positive rows at each."""

    scores: NDArray[np.float64]
    weight: NDArray[np.float64]
    positive: NDArray[np.float64]


def pool_ties(sample: BinaryScores) -> DistinctScores:
    """Sort rows by score and pool those of equal scores.

    Parameters
    ----------
    sample : BinaryScores
        Scores, classes and weights.

    Returns
    -------
    DistinctScores
        The distinct scores.

    Examples
    --------
    >>> from calibrant.calibration._validation import BinaryScores
    >>> pooled = pool_ties(BinaryScores(np.array([0.7, 0.2, 0.7]), np.array([True, False, False])))
    >>> pooled.scores, pooled.weight, pooled.positive
    (array([0.2, 0.7]), array([1., 2.]), array([0., 1.]))
    """
    return DistinctScores(*_core.pool_ties(sample.scores, sample.positive, sample.weight, n_threads(None)))
