"""Scores of calibration errors, which are above 0 by chance alone, so percentiles of replicates do not cover.

They get the value less what chance adds, the p-value of perfect calibration by consistency resampling (Bröcker &
Smith 2007; Vaicenavicius et al. 2019), and an upper bound on the true mean error, or none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import bdtr, bdtrc

from calibrant._random import stream
from calibrant.metrics._calibration.gap_bound import bound_gap, independent_cells
from calibrant.metrics._calibration.probability_cells import cells_of, draw_bin_residuals
from calibrant.metrics._intervals.bootstrap_plan import FEW_GROUPS, BootstrapPlan
from calibrant.metrics._intervals.honest_bands import Band, honest_bands
from calibrant.metrics._metric import Metric, options_of
from calibrant.metrics._scorecard.score_card import Score
from calibrant.metrics._validation.predictions import Predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "CALIBRATION_ERRORS",
    "UPPER_BOUND",
    "band_of",
    "calibration_scores",
    "ece_by_chance",
    "gap_bound_of",
    "pvalue_by_chance",
]

CALIBRATION_ERRORS = ("cal", "ece", "classwise_ece", "smooth_ece", "ici")
UPPER_BOUND = "upper bound"  # the method of a score that has only one
_CURVE_DISTANCES = ("cal", "ece", "ici")  # estimates of the mean distance of the calibration curve from the diagonal
_N_DRAWS = (199, 800, 9_000)  # of perfectly calibrated samples; the next batch only if the side of a level is unclear
_LEVELS = (0.05, 0.001)
_UNCLEAR = 1e-3  # the probability of so many or so few larger draws if the p-value were a level
_MOST_REDRAWN = 2 * 10**8  # rows times draws of metrics that are computed anew for each draw: 5 to 20 seconds
_STREAM = 2  # of the random streams; 0 and 1 are the bootstrap's


def calibration_scores(plan: BootstrapPlan, metrics: Mapping[str, Metric]) -> dict[str, Score]:
    """Return the scores of some calibration errors, with bounds on the true mean error."""
    values = {name: metric.judge(plan.predictions) for name, metric in metrics.items()}
    if plan.confidence is None:
        return {name: Score(name, value) for name, value in values.items()}
    binned = [name for name, metric in metrics.items() if metric.id == "ece" and not options_of(metric)]
    redrawn = {name: metric for name, metric in metrics.items() if name not in binned}
    by_chance = _values_by_chance(plan, redrawn, values) if plan.is_simple and plan.counts_whole_rows else {}
    by_chance |= {name: ece_by_chance(plan, values[name]) for name in binned}
    return {name: _score(plan, metric, values[name], by_chance.get(name)) for name, metric in metrics.items()}


def band_of(plan: BootstrapPlan, confidence: float) -> Band:
    """Return bands of the calibration curve of the positive or the predicted class.

    Rows of clusters and rows with sampling weights count as fewer independent rows, by their design effect.
    """
    return plan.once(("band", confidence), lambda: _band_of(plan, confidence))


def _band_of(plan: BootstrapPlan, confidence: float) -> Band:
    rows = plan.predictions.calibration_rows()
    weight = plan.predictions.weight / plan.design_effect()
    return honest_bands(rows.proba, rows.positive * weight, weight, confidence=confidence)


def gap_bound_of(plan: BootstrapPlan, confidence: float) -> float:
    """Return the upper confidence bound on the mean error of the positive or the predicted class."""
    return bound_gap(independent_cells(cells_of(plan), plan.design_effect()), confidence).gap


def _score(
    plan: BootstrapPlan,
    metric: Metric,
    value: float,
    by_chance: NDArray[np.float64] | None,
) -> Score:
    pvalue = None if by_chance is None else pvalue_by_chance(by_chance, value)
    score = Score(metric.id, value, debiased=_debiased(plan, metric, value, by_chance), pvalue=pvalue)
    if plan.has_few_groups:
        return replace(score, pvalue=None, note=f"no interval: {FEW_GROUPS}")
    if metric.id not in _CURVE_DISTANCES:
        return replace(score, note="no interval: none is proved")
    return replace(score, high=gap_bound_of(plan, plan.confidence or 0.95), method=UPPER_BOUND)


def _debiased(plan: BootstrapPlan, metric: Metric, value: float, by_chance: NDArray[np.float64] | None) -> float | None:
    """Return the value less what chance adds: in squares, since the squares of independent errors add up."""
    if metric.id in ("ece", "classwise_ece"):
        return metric.judge(plan.predictions, debiased=True, clusters=plan.clusters())
    if by_chance is None:
        return None
    return math.sqrt(max(0.0, value**2 - float((by_chance**2).mean())))


def pvalue_by_chance(drawn: NDArray[np.float64], value: float) -> float:
    """Return the p-value of a calibration error, given its values in perfectly calibrated samples.

    Examples
    --------
    >>> pvalue_by_chance(np.array([0.1, 0.2, 0.3]), 0.2)
    0.75
    """
    return float((1 + _n_larger(drawn, value)) / (1 + len(drawn)))


def _n_larger(drawn: NDArray[np.float64], value: float) -> int:
    return int(np.count_nonzero(drawn >= value * (1.0 - 1e-12)))  # equal but for rounding counts as larger


def _is_clear(drawn: NDArray[np.float64], value: float) -> bool:
    """Return whether the p-value is clearly above or below each of the levels."""
    larger, n = _n_larger(drawn, value), len(drawn)
    return all(min(bdtr(larger, n, level), bdtrc(larger - 1, n, level)) < _UNCLEAR for level in _LEVELS)


def ece_by_chance(plan: BootstrapPlan, value: float) -> NDArray[np.float64]:
    """Return the expected calibration errors of perfectly calibrated samples, as many as the p-value takes."""
    cells, drawn = cells_of(plan), np.empty(0)
    for batch, n_draws in enumerate(_N_DRAWS):
        for part in range(0, n_draws, _N_DRAWS[1]):
            size = min(_N_DRAWS[1], n_draws - part)
            sums = draw_bin_residuals(cells, stream(plan.seed, _STREAM, batch, part), size)
            drawn = np.append(drawn, np.abs(sums).sum(axis=1) / cells.total)
        if _is_clear(drawn, value):
            break
    return drawn


def _values_by_chance(
    plan: BootstrapPlan, metrics: Mapping[str, Metric], found: Mapping[str, float]
) -> dict[str, NDArray[np.float64]]:
    """Return the values of metrics for classes drawn from the probabilities, as many as the p-values take."""
    values: dict[str, list[float]] = {name: [] for name in metrics}
    most = _MOST_REDRAWN // plan.predictions.n_rows
    drawn, unclear = 0, dict(metrics)
    for n_draws in _N_DRAWS[:2]:
        for number in range(drawn, drawn + n_draws if unclear else drawn):
            classes = _draw_classes(plan.predictions, stream(plan.seed, _STREAM, number))
            for name, metric in unclear.items():
                values[name].append(metric.judge(classes))
        drawn += n_draws
        unclear = {
            name: metric
            for name, metric in unclear.items()
            if drawn + _N_DRAWS[1] <= most and not _is_clear(np.array(values[name]), found[name])
        }
    return {name: np.array(of_draws) for name, of_draws in values.items()}


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
