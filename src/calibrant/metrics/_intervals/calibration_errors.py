"""Scores of calibration errors, which are above 0 by chance alone, so percentiles of replicates do not cover.

They get the value less what chance adds, the p-value of perfect calibration by consistency resampling (Bröcker &
Smith 2007; Vaicenavicius et al. 2019), and an interval from honest bands of the calibration curve, or none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from calibrant._random import stream
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
from calibrant.metrics._intervals.design_effect import design_effect
from calibrant.metrics._intervals.honest_bands import Band, honest_bands
from calibrant.metrics._intervals.proportions import Interval
from calibrant.metrics._metric import Metric
from calibrant.metrics._scorecard.score_card import Score
from calibrant.metrics._validation.predictions import Predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CALIBRATION_ERRORS", "band_of", "calibration_scores", "distance_interval"]

CALIBRATION_ERRORS = ("cal", "ece", "classwise_ece", "smooth_ece", "ici")
_CURVE_DISTANCES = ("cal", "ece", "ici")  # estimates of the mean distance of the calibration curve from the diagonal
_HAS_DEBIASED = ("ece", "classwise_ece")  # with an option `debiased`
_N_CONSISTENT = 199  # p-values are then multiples of 1/200, the least of them below 1 %
_STREAM = 2  # of the random streams; 0 and 1 are the bootstrap's


def calibration_scores(plan: BootstrapPlan, metrics: Mapping[str, Metric], band: Band | None) -> dict[str, Score]:
    """Return the scores of some calibration errors, with intervals from honest bands where those hold."""
    values = {name: metric.judge(plan.predictions) for name, metric in metrics.items()}
    if plan.confidence is None:
        return {name: Score(name, value) for name, value in values.items()}
    by_chance = _values_by_chance(plan, metrics) if plan.is_simple and plan.counts_whole_rows else None
    return {name: _score(plan.predictions, metric, values[name], by_chance, band) for name, metric in metrics.items()}


def band_of(plan: BootstrapPlan, confidence: float) -> Band:
    """Return bands of the calibration curve of the positive or the predicted class.

    Rows of clusters and rows with sampling weights count as fewer independent rows, by their design effect.
    """
    rows = plan.predictions.calibration_rows()
    weight = plan.predictions.weight / design_effect(plan)
    return honest_bands(rows.proba, rows.positive * weight, weight, confidence=confidence)


def distance_interval(predictions: Predictions, band: Band) -> Interval:
    """Return bounds of the mean distance, over the rows, of the calibration curve from the diagonal.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> band = Band(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.6, 0.6]), np.array([0.8, 0.8, 1.0]))
    >>> [round(end, 12) for end in distance_interval(read_predictions([0, 1], [0.5, 0.5]), band)]
    [0.1, 0.3]
    """
    proba = predictions.calibration_rows().proba
    lower, upper = band.at(proba)
    least = np.maximum(0.0, np.maximum(lower - proba, proba - upper))
    most = np.maximum(np.abs(lower - proba), np.abs(upper - proba))
    return Interval(predictions.mean(least), predictions.mean(most))


def _score(
    predictions: Predictions,
    metric: Metric,
    value: float,
    by_chance: Mapping[str, NDArray[np.float64]] | None,
    band: Band | None,
) -> Score:
    interval = distance_interval(predictions, band) if band is not None and metric.id in _CURVE_DISTANCES else None
    drawn = None if by_chance is None else by_chance[metric.id]
    return Score(
        metric.id,
        value,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        method="" if interval is None else "honest bands",
        debiased=_debiased(predictions, metric, value, drawn),
        pvalue=None if drawn is None else float((1 + np.count_nonzero(drawn >= value)) / (1 + len(drawn))),
        note="" if interval is not None else "no interval: none is proved",
    )


def _debiased(
    predictions: Predictions, metric: Metric, value: float, by_chance: NDArray[np.float64] | None
) -> float | None:
    """Return the value less what chance adds: in squares, since the squares of independent errors add up."""
    if metric.id in _HAS_DEBIASED:
        return metric.judge(predictions, debiased=True)
    if by_chance is None:
        return None
    return math.sqrt(max(0.0, value**2 - float((by_chance**2).mean())))


def _values_by_chance(plan: BootstrapPlan, metrics: Mapping[str, Metric]) -> dict[str, NDArray[np.float64]]:
    """Return the values of the metrics for classes drawn from the probabilities themselves."""
    values: dict[str, list[float]] = {name: [] for name in metrics}
    for number in range(_N_CONSISTENT):
        drawn = _draw_classes(plan.predictions, stream(plan.seed, _STREAM, number))
        for name, metric in metrics.items():
            values[name].append(metric.judge(drawn))
    return {name: np.array(found) for name, found in values.items()}


def _draw_classes(predictions: Predictions, rng: np.random.Generator) -> Predictions:
    """Draw the class of each copy of each row from its probabilities."""
    if predictions.weights is not None:
        return _draw_classes_of_copies(predictions, rng)
    if predictions.n_classes == 2:
        label = np.where(
            rng.random(predictions.n_rows) < predictions.column(predictions.positive),
            predictions.positive,
            1 - predictions.positive,
        )
    else:
        ends = np.cumsum(predictions.proba, axis=1)
        label = (rng.random(predictions.n_rows)[:, None] * ends[:, -1:] >= ends[:, :-1]).sum(axis=1)
    return replace(predictions, label=label.astype(predictions.label.dtype))


def _draw_classes_of_copies(predictions: Predictions, rng: np.random.Generator) -> Predictions:
    chances = predictions.proba / predictions.proba.sum(axis=1, keepdims=True)
    counts = rng.multinomial(predictions.weight.astype(np.int64), chances)
    rows, label = np.nonzero(counts)
    return replace(
        predictions,
        label=label.astype(predictions.label.dtype),
        table=np.ascontiguousarray(predictions.table[rows]),
        weights=counts[rows, label].astype(np.float64),
        kept=None,
        n_input_rows=len(rows),
    )
