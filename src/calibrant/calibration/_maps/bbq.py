"""Bayesian binning into quantiles: many binnings averaged by their evidence (Naeini, Cooper & Hauskrecht 2015)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from calibrant.calibration._base import ScoreMap
from calibrant.calibration._fitting.ties import DistinctScores, pool_ties
from calibrant.calibration._validation import are_probabilities

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.calibration._validation import BinaryScores

__all__ = ["BBQ"]

_PRIOR_ROWS = 2.0  # the paper's N', divided among the bins
_RANGE = 10.0  # the paper's C: from n^(1/3) / C bins to C n^(1/3)
_MOST_ROWS = 1e9  # more rows do not make more bins: 10,000 at most
_NEGLIGIBLE = 1e-16  # a share of the evidence below the precision of a double
_EDGE = 1e-12  # middles of bins stay so far from 0 and 1: a beta prior needs both counts above 0


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

    _learned = ("cuts_", "values_", "n_bins_", "evidence_")

    cuts_: NDArray[np.float64]
    values_: NDArray[np.float64]
    n_bins_: NDArray[np.int64]
    evidence_: NDArray[np.float64]

    def _learn(self, sample: BinaryScores) -> None:
        binnings = list(_binnings(pool_ties(sample)))
        evidence = np.exp(_log_evidence(binnings) - max(_log_evidence(binnings)))
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


@dataclass(frozen=True, slots=True, eq=False)
class _Binning:
    """The cuts between bins, the probability of each bin, and the logarithm of the evidence."""

    cuts: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    log_evidence: float


def _log_evidence(binnings: list[_Binning]) -> NDArray[np.float64]:
    return np.array([binning.log_evidence for binning in binnings])


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
