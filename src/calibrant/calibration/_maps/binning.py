"""Calibrators that count the positive rows of bins of scores.

Zadrozny & Elkan (2001) use one binning; Naeini, Cooper & Hauskrecht (2015) average many by their evidence.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from calibrant._params import Choice, Int, Real, Rule
from calibrant._saved import Array, Integer, need
from calibrant.calibration._base import ScoreMap, learned
from calibrant.calibration._fitting.bins import DistinctScores, ScoreBins, count_bins, pool_ties, width_bins
from calibrant.calibration._validation import BinaryScores, are_probabilities

# What n_bins="cv" tries: from 6 on in steps of a fifth to a third, to save time where neighbours hardly differ.
_CANDIDATES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)
_STRATEGIES = {"count": count_bins, "width": width_bins}


@learned(
    edges_=Array("f8", finite=True),
    probabilities_=Array("f8", finite=True, low=0, high=1),
    weights_=Array("f8", finite=True, low=0),
    n_bins_=Integer(1),
)
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

    n_bins: int | Literal["cv"] = field(default=10, kw_only=False)
    strategy: Literal["count", "width"] = "count"
    m: float = 0.0

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

    def _check_learned(self) -> None:
        super()._check_learned()
        n_bins = len(self.probabilities_)
        need((np.diff(self.edges_) >= 0).all() and len(self.edges_) == n_bins - 1, "has edges out of order")
        need(len(self.weights_) == n_bins == self.n_bins_, "has other weights than bins")


_PRIOR_ROWS = 2.0  # the paper's N', divided among the bins
_RANGE = 10.0  # the paper's C: from n^(1/3) / C bins to C n^(1/3)
_MOST_ROWS = 1e9  # more rows do not make more bins: 10,000 at most
_NEGLIGIBLE = 1e-16  # a share of the evidence below the precision of a double
_EDGE = 1e-12  # middles of bins stay so far from 0 and 1: a beta prior needs both counts above 0


@learned(
    cuts_=Array("f8", finite=True),
    values_=Array("f8", finite=True, low=0, high=1 + 1e-6),
    n_bins_=Array("i", low=1),
    evidence_=Array("f8", finite=True, low=0, high=1),
)
class BBQ(ScoreMap):
    """The mean of equal-count binnings of many sizes, weighted by their evidence.

    The papers' binning without a number of bins to choose: from n^(1/3) / 10 to 10 n^(1/3) bins of equal count (at most
    10,000), ties in one bin, each with the evidence of a beta prior in every bin (2 rows in all, at the middle of each
    bin) and the posterior mean as its probability. Binnings that ties make equal count once. It may decrease in places
    and makes ties. For 1,000 rows or more.

    For the prior, margins are rescaled so that the least is 0 and the greatest 1.

    Attributes
    ----------
    cuts_, values_ : array
        The probability is ``values_[i]`` where i of the cuts are not above the score.
    n_bins_, evidence_ : array
        The number of bins of each binning that counts, and its weight in the mean.

    Examples
    --------
    >>> import numpy as np
    >>> score = np.linspace(0.005, 0.995, 100)
    >>> bbq = BBQ().fit(score, score > 0.7)
    >>> bbq.predict([0.3, 0.9]).round(2), int(bbq.n_bins_[bbq.evidence_.argmax()])
    (array([0.01, 1.  ]), 10)
    """

    def _learn(self, sample: BinaryScores) -> None:
        binnings = list(_binnings(pool_ties(sample)))
        log_evidence = np.array([binning.log_evidence for binning in binnings])
        evidence = np.exp(log_evidence - log_evidence.max())
        evidence /= evidence.sum()
        kept = [k for k, share in enumerate(evidence) if share > _NEGLIGIBLE]
        self.n_bins_, self.evidence_ = np.array([len(binnings[k].probabilities) for k in kept]), evidence[kept]
        self.cuts_ = np.unique(np.concatenate([binnings[k].cuts for k in kept]))
        starts = np.concatenate(([-math.inf], self.cuts_))
        self.values_ = np.zeros(len(starts))
        for k in kept:
            self.values_ += (
                evidence[k] * binnings[k].probabilities[np.searchsorted(binnings[k].cuts, starts, side="right")]
            )

    def _map(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.minimum(self.values_[np.searchsorted(self.cuts_, scores, side="right")], 1.0))

    def _check_learned(self) -> None:
        super()._check_learned()
        is_right = (np.diff(self.cuts_) > 0).all() and len(self.values_) == len(self.cuts_) + 1
        need(is_right, "has cuts that are not in order")
        need(len(self.n_bins_) == len(self.evidence_), "has other numbers of bins than evidence")


@dataclass(frozen=True, slots=True, eq=False)
class _Binning:
    """The cuts between bins, the probability of each bin, and the logarithm of the evidence."""

    cuts: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    log_evidence: float


def _binnings(pooled: DistinctScores) -> Iterator[_Binning]:
    """Yield each binning of the paper's range, once."""
    rows_up_to, positive_up_to = np.cumsum(pooled.weight), np.cumsum(pooled.positive)
    root, seen = min(float(rows_up_to[-1]), _MOST_ROWS) ** (1 / 3), set()
    for n_bins in range(max(1, math.floor(root / _RANGE)), max(1, math.ceil(root * _RANGE)) + 1):
        wanted = rows_up_to[-1] * np.arange(1, n_bins) / n_bins
        last = np.unique(np.append(np.searchsorted(rows_up_to, wanted), len(rows_up_to) - 1))
        if last.tobytes() not in seen:
            seen.add(last.tobytes())
            yield _binning(
                pooled.scores, last, np.diff(rows_up_to[last], prepend=0), np.diff(positive_up_to[last], prepend=0)
            )


def _binning(
    scores: NDArray[np.float64], last: NDArray[np.intp], rows: NDArray[np.float64], positive: NDArray[np.float64]
) -> _Binning:
    """Return the binning whose bins end with these scores."""
    below, above = scores[last[:-1]], scores[last[:-1] + 1]
    middle = below / 2 + above / 2
    cuts = np.where(middle > below, middle, above)
    prior = _PRIOR_ROWS / len(rows)
    of_positive = prior * _middles(cuts, scores)
    of_negative = prior - of_positive
    score = (
        len(rows) * gammaln(prior)
        - gammaln(rows + prior).sum()
        + (gammaln(positive + of_positive) - gammaln(of_positive)).sum()
        + (gammaln(np.maximum(rows - positive, 0.0) + of_negative) - gammaln(of_negative)).sum()
    )
    return _Binning(cuts, (positive + of_positive) / (rows + prior), float(score))


def _middles(cuts: NDArray[np.float64], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the middle of each bin as a probability."""
    low, high = (0.0, 1.0) if are_probabilities(scores) else (float(scores[0]), float(scores[-1]))
    edges = np.concatenate(([low], cuts, [high]))
    middles = (edges[:-1] / 4 + edges[1:] / 4 - low / 2) / (high / 2 - low / 2 or 1.0)
    return np.clip(middles, _EDGE, 1.0 - _EDGE)
