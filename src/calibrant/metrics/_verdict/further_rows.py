"""The number of further rows that would settle a verdict, if the truth is as estimated."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit

from calibrant.metrics._calibration.perfect_samples import draw_residuals
from calibrant.metrics._calibration.probability_cells import ProbabilityCells
from calibrant.metrics._calibration.slope_and_intercept import fit_line
from calibrant.metrics._verdict.joint_test import critical_values, statistics
from calibrant.metrics._verdict.pattern import cell_rows
from calibrant.metrics._verdict.sample_size import CalibrationReach, calibration_reach

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["further_rows", "truth_as_estimated"]

_SETTLED = 0.8  # of simulated samples
_N_TESTED, _N_BANDS = 200, 20  # simulated samples; bands take about 4 ms each
_N_CALIBRATED = 399  # calibrated samples, from which the test has its critical values
_ROUNDING = 1e-9
_GROUPS = 80  # of rows with about equal probabilities
_MOST_ROWS = 1e9
_STEP = 1.15  # by which a number of rows grows until enough samples are settled
_LEAST = 1e-12


def further_rows(
    cells: ProbabilityCells, within: float, confidence: float, design: float, n_rows: float, rng: np.random.Generator
) -> int | None:
    """Return the least number of further rows, beyond the `n_rows` of the cells, that settle 80 % of simulated samples.

    A sample is settled if the joint test rejects or the bands lie within the tolerance. None: no number does. `design`
    is the weight that counts as one independent row.
    """
    groups = calibration_reach(cells.proba, cells.weight, confidence, _new_fraction(cells), _GROUPS)
    groups = replace(groups, truth=truth_as_estimated(cells, groups.proba))
    independent = min(_rows_to_reject(groups, confidence, rng), _rows_to_be_within(groups, within, rng))
    if independent > _MOST_ROWS:
        return None
    more = max(independent * design * n_rows / cells.total - n_rows, 0.1 * n_rows, 1.0)
    digits = max(10.0 ** (math.floor(math.log10(more)) - 1), 1.0)
    return int(math.ceil(more / digits) * digits)


def truth_as_estimated(cells: ProbabilityCells, proba: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the true frequencies at some probabilities, by the logistic line of best fit where there is one."""
    rows = cell_rows(cells)
    if rows.positive.all() or not rows.positive.any():
        return proba
    slope, intercept = fit_line(rows, fit_slope=len(cells.proba) > 1)
    return np.asarray(expit(intercept + slope * logit(np.clip(proba, _LEAST, 1.0 - _LEAST))))


def _new_fraction(cells: ProbabilityCells) -> float:
    """Estimate the chance that a further row has a new probability: the fraction seen once (Good 1953)."""
    is_new = (cells.weight == 1.0) | (cells.low < cells.high)
    return float(cells.weight[is_new].sum() / cells.total)


def _rows_to_reject(groups: CalibrationReach, confidence: float, rng: np.random.Generator) -> float:
    low, high = 1.0, 100.0
    while _rejected(groups, confidence, high, rng) < _SETTLED:
        low, high = high, high * 4.0
        if high > _MOST_ROWS:
            return math.inf
    while high / low > 1.05:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if _rejected(groups, confidence, middle, rng) >= _SETTLED else (middle, high)
    return high


def _rejected(groups: CalibrationReach, confidence: float, n_rows: float, rng: np.random.Generator) -> float:
    """Return the fraction of simulated samples that the joint test rejects."""
    weight, positive = _draw(groups, n_rows, _N_TESTED, rng)
    p = groups.proba
    cells = ProbabilityCells(weight, p, weight * 0.0, p, p, weight * p * (1.0 - p))
    if not cells.variance.any():
        return 0.0
    calibrated = statistics(cells, draw_residuals(cells, rng, _N_CALIBRATED))
    found = statistics(cells, positive - weight * p) > critical_values(calibrated, confidence) * (1.0 + _ROUNDING)
    return float(found.any(axis=1).mean())


def _rows_to_be_within(groups: CalibrationReach, within: float, rng: np.random.Generator) -> float:
    needed = groups.rows_for(within, _STEP - 1.0)
    while needed <= _MOST_ROWS:
        weight, positive = _draw(groups, needed, _N_BANDS, rng)
        if np.mean([groups.of_counts(each, weight) <= within for each in positive]) >= _SETTLED:
            return needed
        needed *= _STEP
    return math.inf


def _draw(
    groups: CalibrationReach, n_rows: float, n_samples: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw the numbers of positives of some samples of such rows."""
    weight = np.maximum(np.round(groups.fraction * n_rows), 1.0)
    counts = rng.binomial(weight.astype(np.int64), groups.frequencies, (n_samples, len(weight)))
    return weight, counts.astype(np.float64)
