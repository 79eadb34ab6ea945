"""Binning: the frequency of the positive class among rows of similar scores (Zadrozny & Elkan 2001)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from calibrant._params import Choice, Int, Real, Rule
from calibrant.calibration._base import ScoreMap
from calibrant.calibration._fitting.bins import ScoreBins, count_bins, width_bins
from calibrant.calibration._validation import BinaryScores

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Binning"]

# What n_bins="cv" tries: from 6 on in steps of a fifth to a third, to save time where neighbours hardly differ.
_CANDIDATES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)
_STRATEGIES = {"count": count_bins, "width": width_bins}


class Binning(ScoreMap):
    """The frequency of the positive class in each of a few bins of the score.

    For scores that rank well and have no other meaning, such as those of naive Bayes. It assumes no shape, but maps all
    rows of a bin to one probability, jumps at the edges, and may decrease where the score increases.

    Parameters
    ----------
    n_bins : int or "cv"
        Number of bins. ``"cv"``: of 1 to 100 the number with the least squared error, each row, or group, left out.
    strategy : "count" or "width"
        ``"count"``: about as many rows in each; equal scores share a bin, so there may be fewer bins.
        ``"width"``: equally wide, from 0 to 1 for scores that all lie there, else from the least to the greatest.
    m : float
        The weight of the base rate, in rows, in each bin: (s + m * base rate) / (n + m) for n rows with s
        positive ones. An empty bin has the base rate whatever `m`.

    Attributes
    ----------
    edges_ : array of shape (n_bins - 1,)
        Where bins end; a score at an edge belongs to the upper bin, one beyond all scores of ``fit`` to an end bin.
    probabilities_, weights_ : array of shape (n_bins,)
        The probability of each bin, and the weight of its rows in ``fit``.
    n_bins_ : int
        Number of bins.

    Examples
    --------
    >>> binning = Binning(2).fit([1.0, 2, 3, 4, 5, 6], [0, 0, 1, 0, 1, 1])
    >>> binning.edges_, binning.predict([2.0, 9.0])
    (array([3.5]), array([0.33333333, 0.66666667]))
    """

    _rules: ClassVar[Mapping[str, Rule]] = {
        "n_bins": Int(1) | Choice("cv"),
        "strategy": Choice(*_STRATEGIES),
        "m": Real(0),
    }
    _learned = ("edges_", "probabilities_", "weights_", "n_bins_")

    edges_: NDArray[np.float64]
    probabilities_: NDArray[np.float64]
    weights_: NDArray[np.float64]
    n_bins_: int

    def __init__(
        self, n_bins: int | Literal["cv"] = 10, *, strategy: Literal["count", "width"] = "count", m: float = 0.0
    ) -> None:
        self.n_bins = n_bins
        self.strategy = strategy
        self.m = m

    def _learn(self, sample: BinaryScores) -> None:
        bins = self._bins(sample)
        self.edges_, self.weights_, self.n_bins_ = bins.edges, bins.weight, len(bins.weight)
        self.probabilities_ = bins.frequencies(self.m)

    def _bins(self, sample: BinaryScores) -> ScoreBins:
        make_bins = _STRATEGIES[self.strategy]
        if self.n_bins != "cv":
            return make_bins(sample, int(self.n_bins))
        candidates = (make_bins(sample, n_bins) for n_bins in _CANDIDATES)
        if sample.groups is None:
            return min(candidates, key=lambda bins: bins.leave_one_out_error(self.m))
        return min(candidates, key=lambda bins: bins.leave_group_out_error(sample, self.m))

    def _map(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.probabilities_[np.searchsorted(self.edges_, scores, side="right")])
