"""Scores taken apart: what is lost by miscalibration, won by discrimination, and there from the start."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import entr

from calibrant import _core
from calibrant._params import Choice, Int, Nothing, check_param
from calibrant._threads import n_threads
from calibrant.metrics._ranking.rankings import check_two_classes
from calibrant.metrics._validation.predictions import Predictions, read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Decomposition", "MurphyDecomposition", "decomposition", "murphy_decomposition"]

_SCORES = Choice("brier", "log_loss")


@dataclass(frozen=True)
class Decomposition:
    """A mean score as miscalibration - discrimination + uncertainty.

    Parameters
    ----------
    miscalibration : float
        What the best rising map of the probabilities would take off the score: 0 is best.
    discrimination : float
        What those mapped probabilities take off the score of the base rate: more is better.
    uncertainty : float
        The score of the base rate, whatever the probabilities.

    Examples
    --------
    >>> parts = Decomposition(0.05, 0.1, 0.25)
    >>> round(parts.score, 3)
    0.2
    """

    miscalibration: float
    discrimination: float
    uncertainty: float

    @property
    def score(self) -> float:
        """The mean score that was taken apart."""
        return self.miscalibration - self.discrimination + self.uncertainty


@dataclass(frozen=True)
class MurphyDecomposition:
    """Brier's score as reliability - resolution + uncertainty, and what is lost within bins.

    Parameters
    ----------
    reliability : float
        The mean square of the difference between mean probability and share of positives in a bin: 0 is best.
    resolution : float
        The mean square of the difference between that share and the share among all: more is better.
    uncertainty : float
        The variance of the outcomes.
    within : float
        What the bins hide, by the probabilities in one being different; 0 where they are equal.

    Examples
    --------
    >>> MurphyDecomposition(0.01, 0.05, 0.25, 0.0).score
    0.21
    """

    reliability: float
    resolution: float
    uncertainty: float
    within: float

    @property
    def score(self) -> float:
        """The mean score that was taken apart."""
        return self.reliability - self.resolution + self.uncertainty + self.within


def decomposition(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    score: str = "brier",
) -> Decomposition:
    """Take a score apart by isotonic regression (CORP: Dimitriadis, Gneiting & Jordan 2021).

    The parts are never negative and need no bins: miscalibration is what isotonic regression on these very rows takes
    off the score, discrimination what is then left to the base rate. Of several classes Brier's score is taken apart
    class by class, each against all others, and the parts are summed: they add up to `mse`.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The positive class; by default the last sorted one of two. Where there are more it may be told, and all others
        are then the negative class; the log-loss demands it.
    labels : sequence, optional
        The classes in the order of the columns.
    score : {"brier", "log_loss"}
        The squared error of the positive class, half of `mse`, or of more classes than two its sum over all; or the
        log-loss in nats, whose miscalibration is infinite where it is itself.

    Returns
    -------
    Decomposition
        Miscalibration, discrimination and uncertainty.

    Examples
    --------
    >>> parts = decomposition([0, 1, 0, 1], [0.1, 0.6, 0.7, 0.9])
    >>> round(parts.miscalibration, 4), parts.discrimination, parts.uncertainty  # isotonic: 0, 1/2, 1/2, 1
    (0.0425, 0.125, 0.25)
    """
    check_param("score", score, _SCORES)
    return _decomposition(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels), score
    )


def _decomposition(read: Predictions, score: str) -> Decomposition:
    if score == "log_loss":
        check_two_classes(read, "the decomposition of the log-loss")
    parts = [_of_class(read, which, score) for which in _judged_classes(read)]
    return Decomposition(*(math.fsum(part) for part in zip(*parts, strict=True)))


def _judged_classes(read: Predictions) -> list[int]:
    return [read.positive] if read.is_of_one else list(range(read.n_classes))


def _of_class(read: Predictions, which: int, score: str) -> tuple[float, float, float]:
    ranking = read.ranking(which)
    weight, positive, _ = ranking.hull()
    per_share = _variance if score == "brier" else _entropy
    best = float(weight @ per_share(positive / weight)) / ranking.weight
    base = float(per_share(np.array([ranking.positive / ranking.weight]))[0])
    return max(0.0, _measured(read, which, score) - best), max(0.0, base - best), base


def _measured(read: Predictions, which: int, score: str) -> float:
    rows = read.two_class(which)
    threads = n_threads(None)
    if score == "brier":
        return float(_core.squared_errors(rows.proba, rows.positive, rows.weight, threads)) / read.total
    total, at_zero, _ = _core.surprise(rows.proba, rows.positive, rows.weight, 0.0, threads)
    return math.inf if at_zero else total / read.total


def _variance(share: NDArray[np.float64]) -> NDArray[np.float64]:
    return share * (1.0 - share)


def _entropy(share: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(entr(share) + entr(1.0 - share))


def murphy_decomposition(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    n_bins: int | None = None,
) -> MurphyDecomposition:
    """Take Brier's score, the squared error of the positive class, apart in bins (Murphy 1973).

    Of several classes it is taken apart class by class, each against all others, and the parts are summed: they add up
    to `mse`.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The positive class; by default the last sorted one of two. Where there are more it may be told, and all others
        are then the negative class.
    labels : sequence, optional
        The classes in the order of the columns.
    n_bins : int, optional
        Bins of equal width from 0 to 1; by default each distinct probability is a bin of its own, as in the paper, so
        that nothing is hidden within.

    Returns
    -------
    MurphyDecomposition
        Reliability, resolution, uncertainty, and what the bins hide.

    Examples
    --------
    >>> parts = murphy_decomposition([0, 1, 1, 1], [0.5, 0.5, 0.9, 0.9])
    >>> round(parts.reliability, 4), parts.resolution, parts.uncertainty, parts.within
    (0.005, 0.0625, 0.1875, 0.0)
    """
    check_param("n_bins", n_bins, Int(1) | Nothing())
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    parts = [_in_bins(read, which, n_bins) for which in _judged_classes(read)]
    return MurphyDecomposition(*(math.fsum(part) for part in zip(*parts, strict=True)))


def _in_bins(read: Predictions, which: int, n_bins: int | None) -> tuple[float, float, float, float]:
    weight, positive, proba = _bins(read, which, n_bins)
    part, share, base = weight / read.total, positive / weight, float(positive.sum()) / read.total
    reliability = float(part @ (proba - share) ** 2)
    resolution, uncertainty = float(part @ (share - base) ** 2), base * (1.0 - base)
    rest = 0.0 if n_bins is None else _measured(read, which, "brier") - (reliability - resolution + uncertainty)
    return reliability, resolution, uncertainty, rest


def _bins(read: Predictions, which: int, n_bins: int | None) -> tuple[NDArray[np.float64], ...]:
    """Give weight, weight of positives and mean probability of each bin that has a row."""
    if n_bins is None:
        proba, weight, positive = read.ranking(which).groups()
        return weight, positive, proba
    rows = read.two_class(which)
    weight, positive, total = _core.width_sums(rows.proba, rows.positive, rows.weight, n_bins, n_threads(None))
    found = weight > 0
    return weight[found], positive[found], total[found] / weight[found]
