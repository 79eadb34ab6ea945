"""Calibration slope and intercept: logistic regression on the log-odds of the probabilities (Cox 1958)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant import _core
from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._metric import Metric
from calibrant.metrics._ranking.rankings import check_two_classes
from calibrant.metrics._validation.options import check_options
from calibrant.metrics._validation.predictions import BinaryRows, Predictions, threads_for
from calibrant.metrics._validation.read_predictions import read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "CALIBRATION_INTERCEPT",
    "CALIBRATION_SLOPE",
    "calibration_intercept",
    "calibration_slope",
    "degenerate_intercept",
    "degenerate_slope",
    "fit_line",
]

_CLIP = 1e-12  # keeps the log-odds of 0 and 1 finite
_MAX_STEPS = 200  # far beyond what Newton needs; bounds the search where the classes are almost separable
_LONGEST_STEP = 4.0  # on the scale of log-odds, where the loss is flat and Newton's step would overshoot
_ROUNDING = 1e-12
_LAST_STEP = 1e-7  # Newton converges quadratically: the step after one this short is below rounding


@document_metric
def calibration_slope(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """Return the slope of the logistic regression of the classes on the log-odds of the probabilities: 1 is best.

    Below 1 the probabilities are too extreme, above 1 not extreme enough; below 0 they rank the classes in the wrong
    order. Probabilities of 0 and 1 count as 1e-12 and 1 - 1e-12.

    %(parameters_positive)s

    %(returns)s
        The slope; infinite where the probabilities separate the classes, NaN where they are all equal or only one
        class has rows.

    Examples
    --------
    >>> round(calibration_slope([0, 1, 1, 0, 1, 1], [0.02, 0.9, 0.99, 0.7, 0.6, 0.3]), 3)
    0.631
    """
    return _slope(read_predictions(y_true, y_proba, sample_weight, pos_label, labels))


def _slope(predictions: Predictions) -> float:
    check_two_classes(predictions, "calibration_slope")
    return _slope_and_intercept(predictions.binary_rows())[0]


@document_metric
def calibration_intercept(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    joint: bool = False,
) -> float:
    """Return the shift of all log-odds that makes the mean probability equal to the base rate: 0 is best.

    Above 0 the probabilities are too low on average: calibration in the large. Probabilities of 0 and 1 count as 1e-12
    and 1 - 1e-12.

    %(parameters_positive)s
    joint : bool
        Whether to return the intercept that is fitted together with `calibration_slope`, instead of that of slope 1.

    %(returns)s
        The intercept; infinite where only one class has rows.

    Examples
    --------
    >>> round(calibration_intercept([0, 1, 1, 1], [0.5, 0.5, 0.5, 0.5]), 4)  # ln 3
    1.0986
    """
    check_options("calibration_intercept", joint=joint)
    return _intercept(read_predictions(y_true, y_proba, sample_weight, pos_label, labels), joint)


def _intercept(predictions: Predictions, joint: bool = False) -> float:
    check_two_classes(predictions, "calibration_intercept")
    rows = predictions.binary_rows()
    return _slope_and_intercept(rows)[1] if joint else _intercept_of_slope_one(rows)


def _slope_and_intercept(rows: BinaryRows) -> tuple[float, float]:
    """Return slope and intercept; where the classes do not overlap the best line is infinitely steep."""
    slope = degenerate_slope(rows)
    if slope is not None:
        return slope, math.nan
    slope, intercept = fit_line(rows)
    return float(slope), float(intercept)


def degenerate_slope(rows: BinaryRows) -> float | None:
    """Return the slope where no finite one is best: infinite for classes that do not overlap, or NaN; else None.

    Examples
    --------
    >>> degenerate_slope(BinaryRows(np.array([0.2, 0.7]), np.array([False, True])))
    inf
    """
    if rows.positive.all() or not rows.positive.any():
        return math.nan
    low, high = rows.proba[~rows.positive], rows.proba[rows.positive]
    if max(low.max(), high.max()) == min(low.min(), high.min()):
        return math.nan
    if low.max() <= high.min() or high.max() <= low.min():
        return math.inf if low.max() <= high.min() else -math.inf
    return None


def degenerate_intercept(rows: BinaryRows) -> float | None:
    """Return the intercept where all rows are of one class, which is infinite; else None.

    Examples
    --------
    >>> degenerate_intercept(BinaryRows(np.array([0.2, 0.7]), np.array([True, True])))
    inf
    """
    if rows.positive.all():
        return math.inf
    return None if rows.positive.any() else -math.inf


def _intercept_of_slope_one(rows: BinaryRows) -> float:
    intercept = degenerate_intercept(rows)
    if intercept is not None:
        return intercept
    return float(fit_line(rows, fit_slope=False)[1])


def fit_line(rows: BinaryRows, *, fit_slope: bool = True) -> NDArray[np.float64]:
    """Return slope (or 1) and intercept of least cross-entropy, by Newton's method with step halving."""
    columns, one, zero, threads = (
        [_core.logits(rows.proba, _CLIP)],
        np.ones(1),
        np.zeros(1),
        threads_for(len(rows.proba)),
    )
    coef, free = np.array([1.0, 0.0]), np.array([fit_slope, True])

    def loss_at(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        found = _core.logistic_sums(columns, one, zero, rows.positive, rows.weight, 0.0, 1.0, point, threads)
        return found[0], np.asarray(found[1])[free], np.asarray(found[2])[np.ix_(free, free)]

    loss, gradient, hessian = loss_at(coef)
    for _ in range(_MAX_STEPS):
        step = np.zeros(2)
        step[free] = -np.linalg.lstsq(hessian, gradient, rcond=None)[0]
        if np.abs(step).max() <= _LAST_STEP * (1.0 + np.abs(coef).max()):
            return coef + step
        step *= min(1.0, _LONGEST_STEP / max(float(np.abs(step).max()), _ROUNDING))
        size = 1.0
        while (found := loss_at(coef + size * step))[0] > loss * (1.0 + _ROUNDING) and size > _ROUNDING:
            size /= 2.0
        coef, (loss, gradient, hessian) = coef + size * step, found
    return coef


_COX = {"Cox 1958": "beta", "Van Calster et al. 2019": "calibration slope"}
CALIBRATION_SLOPE = Metric(
    "calibration_slope", calibration_slope, _slope, "nearer", -math.inf, math.inf, _COX, classes="two", target=1.0
)
CALIBRATION_INTERCEPT = Metric(
    "calibration_intercept",
    calibration_intercept,
    _intercept,
    "nearer",
    -math.inf,
    math.inf,
    {"Cox 1958": "alpha", "Van Calster et al. 2019": "calibration in the large"},
    classes="two",
)
