"""What can be said of calibration errors: they are above 0 by chance alone, so that no percentile of replicates holds.

They get the value without what chance adds, the p-value of perfect calibration by consistency resampling (Bröcker &
Smith 2007; Vaicenavicius et al. 2019), and an interval from honest bands of the calibration curve, or none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from calibrant._random import stream
from calibrant.metrics._intervals.bootstrap_plan import Judged
from calibrant.metrics._intervals.honest_bands import Band, honest_bands
from calibrant.metrics._intervals.proportions import Interval
from calibrant.metrics._metric import Metric
from calibrant.metrics._scorecard.score_card import Score
from calibrant.metrics._validation.prediction_rows import Predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CALIBRATION_ERRORS", "band_of", "calibration_scores", "distance_interval"]

CALIBRATION_ERRORS = ("cal", "ece", "classwise_ece", "smooth_ece", "ici")
_OF_THE_CURVE = ("cal", "ece", "ici")  # they estimate the mean distance of the curve from the diagonal
_KNOWS_NOISE = ("ece", "classwise_ece")  # they can take off what chance adds by themselves
_N_CONSISTENT = 199
_STREAM = 2  # of the root of randomness; 0 and 1 are the bootstrap's


def calibration_scores(judged: Judged, metrics: Mapping[str, Metric], band: Band | None) -> dict[str, Score]:
    """Score some calibration errors.

    Parameters
    ----------
    judged : Judged
        The rows.
    metrics : dict of str to Metric
        The calibration errors asked for.
    band : Band or None
        Honest bands of the calibration curve, where they hold.

    Returns
    -------
    dict of str to Score
        A score for each.
    """
    values = {name: metric.judge(judged.read) for name, metric in metrics.items()}
    if judged.confidence is None:
        return {name: Score(name, value) for name, value in values.items()}
    by_chance = _by_chance(judged, metrics) if judged.is_simple and judged.counts_whole_rows else None
    return {name: _score(judged.read, metric, values[name], by_chance, band) for name, metric in metrics.items()}


def band_of(judged: Judged, confidence: float) -> Band | None:
    """Give bands of the calibration curve of the positive class, or of the decided one; None where they do not hold."""
    if not judged.is_simple or not judged.counts_whole_rows:
        return None
    rows = judged.read.judged()
    weight = judged.read.weight
    return honest_bands(rows.proba, rows.positive * weight, weight, confidence=confidence)


def distance_interval(read: Predictions, band: Band) -> Interval:
    """Bound the mean distance, over the rows, of the calibration curve from the diagonal.

    Examples
    --------
    >>> from calibrant.metrics._validation.predictions import read_predictions
    >>> band = Band(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.6, 0.6]), np.array([0.8, 0.8, 1.0]))
    >>> distance_interval(read_predictions([0, 1], [0.5, 0.5]), band)
    Interval(low=0.09999999999999998, high=0.30000000000000004)
    """
    proba = read.judged().proba
    lower, upper = band.at(proba)
    least = np.maximum(0.0, np.maximum(lower - proba, proba - upper))
    most = np.maximum(np.abs(lower - proba), np.abs(upper - proba))
    return Interval(read.mean(least), read.mean(most))


def _score(
    read: Predictions,
    metric: Metric,
    value: float,
    by_chance: Mapping[str, NDArray[np.float64]] | None,
    band: Band | None,
) -> Score:
    interval = distance_interval(read, band) if band is not None and metric.id in _OF_THE_CURVE else None
    drawn = None if by_chance is None else by_chance[metric.id]
    return Score(
        metric.id,
        value,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        method="" if interval is None else "honest bands",
        debiased=_debiased(read, metric, value, drawn),
        pvalue=None if drawn is None else float((1 + np.count_nonzero(drawn >= value)) / (1 + len(drawn))),
        note="" if interval is not None else "no interval is proved for it",
    )


def _debiased(read: Predictions, metric: Metric, value: float, by_chance: NDArray[np.float64] | None) -> float | None:
    """Take off what chance adds: in squares, since independent errors add up so."""
    if metric.id in _KNOWS_NOISE:
        return metric.judge(read, debiased=True)
    if by_chance is None:
        return None
    return math.sqrt(max(0.0, value**2 - float((by_chance**2).mean())))


def _by_chance(judged: Judged, metrics: Mapping[str, Metric]) -> dict[str, NDArray[np.float64]]:
    """Give the values of the metrics for classes drawn from the probabilities themselves."""
    values: dict[str, list[float]] = {name: [] for name in metrics}
    for number in range(_N_CONSISTENT):
        drawn = _consistent(judged.read, stream(judged.seed, _STREAM, number))
        for name, metric in metrics.items():
            values[name].append(metric.judge(drawn))
    return {name: np.array(found) for name, found in values.items()}


def _consistent(read: Predictions, rng: np.random.Generator) -> Predictions:
    """Draw the class of each row, copy by copy, from its probabilities."""
    if read.weights is not None:
        return _consistent_copies(read, rng)
    if read.n_classes == 2:
        label = np.where(rng.random(read.n_rows) < read.column(read.positive), read.positive, 1 - read.positive)
    else:
        ends = np.cumsum(read.proba, axis=1)
        label = (rng.random(read.n_rows)[:, None] * ends[:, -1:] >= ends[:, :-1]).sum(axis=1)
    return replace(read, label=label.astype(read.label.dtype))


def _consistent_copies(read: Predictions, rng: np.random.Generator) -> Predictions:
    shares = read.proba / read.proba.sum(axis=1, keepdims=True)
    counts = rng.multinomial(read.weight.astype(np.int64), shares)
    rows, label = np.nonzero(counts)
    return replace(
        read,
        label=label.astype(read.label.dtype),
        table=np.ascontiguousarray(read.table[rows]),
        weights=counts[rows, label].astype(np.float64),
        kept=None,
        n_given=len(rows),
    )
