"""Decompositions of a score into miscalibration, discrimination and uncertainty."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from calibrant import _core
from calibrant.metrics._calibration.errors import width_sums
from calibrant.metrics._docstrings import Common, document_metric
from calibrant.metrics._metric import read_rows
from calibrant.metrics._validation.predictions import Predictions, threads_for


@dataclass(frozen=True)
class Decomposition:
    """A mean score as miscalibration - discrimination + uncertainty.

    Parameters
    ----------
    miscalibration : float
        What recalibration by the best non-decreasing map would take off the score: 0 is best.
    discrimination : float
        What the recalibrated probabilities take off the score of the base rate: higher is better.
    uncertainty : float
        The score of the base rate, which does not depend on the probabilities.

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
        """The mean score that is decomposed."""
        return self.miscalibration - self.discrimination + self.uncertainty


@dataclass(frozen=True)
class MurphyDecomposition:
    """The Brier score as reliability - resolution + uncertainty, and what is lost within bins.

    Parameters
    ----------
    reliability : float
        The mean square of the difference between mean probability and observed frequency in a bin: 0 is best.
    resolution : float
        The mean square of the difference between that frequency and the base rate: higher is better.
    uncertainty : float
        The variance of the actual classes.
    within : float
        What binning hides where the probabilities in a bin differ; 0 where they are equal.

    Examples
    --------
    >>> round(MurphyDecomposition(0.01, 0.05, 0.25, 0.0).score, 12)
    0.21
    """

    reliability: float
    resolution: float
    uncertainty: float
    within: float

    @property
    def score(self) -> float:
        """The mean score that is decomposed."""
        return self.reliability - self.resolution + self.uncertainty + self.within


@document_metric
def decomposition(y_true: Any, y_proba: Any, *, score: str = "brier", **common: Unpack[Common]) -> Decomposition:
    """Decompose a score by isotonic regression (CORP: Dimitriadis, Gneiting & Jordan 2021).

    The parts are never negative and need no bins: miscalibration is what isotonic regression on the same rows takes off
    the score, discrimination what the result then gains over the base rate. With several classes the Brier score is
    decomposed class by class, each against all others, and the parts are summed: they add up to `brier`.

    %(parameters_each_class)s
    score : {"brier", "log_loss"}
        The `brier` score: the squared error of the positive class, or with more classes than two its sum over all; or
        the log-loss in nats, which with more than two classes requires `pos_label` and whose miscalibration is infinite
        where it is infinite itself.

    %(returns)s
        Miscalibration, discrimination and uncertainty.

    Examples
    --------
    >>> parts = decomposition([0, 1, 0, 1], [0.1, 0.6, 0.7, 0.9])
    >>> round(parts.miscalibration, 4), parts.discrimination, parts.uncertainty  # isotonic: 0, 1/2, 1/2, 1
    (0.0425, 0.125, 0.25)
    """
    predictions = read_rows("decomposition", y_true, y_proba, common, score=score)
    if score == "log_loss":
        predictions.check_two_classes("the decomposition of the log-loss")
    parts = [_class_parts(predictions, which, score) for which in _decomposed_classes(predictions)]
    # fsum: the parts add up to the score exactly, which readers check.
    return Decomposition(*(math.fsum(part) for part in zip(*parts, strict=True)))


def _decomposed_classes(predictions: Predictions) -> list[int]:
    return [predictions.positive] if predictions.is_binary else list(range(predictions.n_classes))


def _class_parts(predictions: Predictions, which: int, score: str) -> tuple[float, float, float]:
    ranking = predictions.ranking(which)
    # Isotonic regression is the best recalibration that keeps the ranking; its blocks are the hull of the ROC curve.
    weight, positive, _ = ranking.hull()

    def loss_of(frequency: NDArray[np.float64]) -> NDArray[np.float64]:
        return frequency * (1.0 - frequency) if score == "brier" else entr(frequency) + entr(1.0 - frequency)

    recalibrated = float(weight @ loss_of(positive / weight)) / ranking.weight
    base = float(loss_of(np.array([ranking.positive / ranking.weight]))[0])
    measured = _mean_score(predictions, which, score)
    return max(0.0, measured - recalibrated), max(0.0, base - recalibrated), base  # rounding alone is below 0


def _mean_score(predictions: Predictions, which: int, score: str) -> float:
    rows = predictions.binary_rows(which)
    threads = threads_for(predictions.n_rows)
    if score == "brier":
        return float(_core.squared_errors(rows.proba, rows.positive, rows.weight, threads)) / predictions.total
    total, at_zero, _ = _core.log_loss_sums(rows.proba, rows.positive, rows.weight, 0.0, threads)
    return math.inf if at_zero else total / predictions.total


@document_metric
def murphy_decomposition(
    y_true: Any, y_proba: Any, *, n_bins: int | None = None, **common: Unpack[Common]
) -> MurphyDecomposition:
    """Decompose the Brier score, the squared error of the positive class, in bins (Murphy 1973).

    With several classes it is decomposed class by class, each against all others, and the parts are summed: they add up
    to `brier`.

    %(parameters_each_class)s
    n_bins : int, optional
        The number of bins of equal width from 0 to 1; by default each distinct probability is a bin of its own, as in
        the paper, so that nothing is lost within bins.

    %(returns)s
        Reliability, resolution, uncertainty, and what is lost within bins.

    Examples
    --------
    >>> parts = murphy_decomposition([0, 1, 1, 1], [0.5, 0.5, 0.9, 0.9])
    >>> round(parts.reliability, 4), parts.resolution, parts.uncertainty, parts.within
    (0.005, 0.0625, 0.1875, 0.0)
    """
    predictions = read_rows("murphy_decomposition", y_true, y_proba, common, n_bins=n_bins)
    parts = [_binned_parts(predictions, which, n_bins) for which in _decomposed_classes(predictions)]
    return MurphyDecomposition(*(math.fsum(part) for part in zip(*parts, strict=True)))


def _binned_parts(predictions: Predictions, which: int, n_bins: int | None) -> tuple[float, float, float, float]:
    """Return reliability, resolution, uncertainty and what is lost within bins, of a class against all others."""
    if n_bins is None:
        proba, weight, positive = predictions.ranking(which).groups()
    else:
        weight, positive, total = width_sums(predictions.binary_rows(which), n_bins)
        found = weight > 0
        weight, positive, proba = weight[found], positive[found], total[found] / weight[found]
    fraction, frequency = weight / predictions.total, positive / weight
    base_rate = float(positive.sum()) / predictions.total
    reliability = float(fraction @ (proba - frequency) ** 2)
    resolution, uncertainty = float(fraction @ (frequency - base_rate) ** 2), base_rate * (1.0 - base_rate)
    if n_bins is None:
        return reliability, resolution, uncertainty, 0.0
    # Bins lose what varies within them; the rest makes the four parts add up (Stephenson, Coelho & Jolliffe 2008).
    within = _mean_score(predictions, which, "brier") - (reliability - resolution + uncertainty)
    return reliability, resolution, uncertainty, within
