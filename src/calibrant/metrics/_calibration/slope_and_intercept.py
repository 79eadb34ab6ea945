"""Calibration slope and intercept: logistic regression on the log-odds of the probabilities (Cox 1958)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from calibrant import _core
from calibrant.metrics._docstrings import Common
from calibrant.metrics._metric import metric, read_rows
from calibrant.metrics._validation.predictions import BinaryRows, threads_for

_CLIP = 1e-12  # keeps the log-odds of 0 and 1 finite
_MAX_STEPS = 200  # far beyond what Newton needs; bounds the search where the classes are almost separable
_LONGEST_STEP = 4.0  # on the scale of log-odds, where the loss is flat and Newton's step would overshoot
_ROUNDING = 1e-12  # by which a loss may rise in a step that rounding alone changes
_LAST_STEP = 1e-7  # Newton converges quadratically: the step after one this short is below rounding


@metric(
    "nearer",
    -math.inf,
    math.inf,
    {"Cox 1958": "beta", "Van Calster et al. 2019": "calibration slope"},
    classes="two",
    target=1.0,
)
def calibration_slope(y_true: Any, y_proba: Any, **common: Unpack[Common]) -> float:
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
    predictions = read_rows("calibration_slope", y_true, y_proba, common)
    predictions.check_two_classes("calibration_slope")
    rows = predictions.binary_rows()
    # Where the classes do not overlap the best line is infinitely steep.
    slope = degenerate_slope(rows)
    return float(fit_line(rows)[0]) if slope is None else slope


@metric(
    "nearer",
    -math.inf,
    math.inf,
    {"Cox 1958": "alpha", "Van Calster et al. 2019": "calibration in the large"},
    classes="two",
)
def calibration_intercept(y_true: Any, y_proba: Any, *, joint: bool = False, **common: Unpack[Common]) -> float:
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
    predictions = read_rows("calibration_intercept", y_true, y_proba, common, joint=joint)
    predictions.check_two_classes("calibration_intercept")
    rows = predictions.binary_rows()
    if joint:
        return float(fit_line(rows)[1]) if degenerate_slope(rows) is None else math.nan
    intercept = degenerate_intercept(rows)
    return float(fit_line(rows, fit_slope=False)[1]) if intercept is None else intercept


def degenerate_slope(rows: BinaryRows) -> float | None:
    """Return the slope where no finite one is best: infinite for classes that do not overlap, or NaN; else None.

    Examples
    --------
    >>> degenerate_slope(BinaryRows(np.array([0.2, 0.7]), np.array([False, True])))
    inf
    """
    if rows.positive.all() or not rows.positive.any():
        return math.nan
    # Only the overlap of the classes decides whether a finite line is best
    # (Albert & Anderson 1984), so it is tested first.
    low, high = rows.proba[~rows.positive], rows.proba[rows.positive]
    if max(low.max(), high.max()) == min(low.min(), high.min()):
        return math.nan
    # Touching at one probability still separates: the loss falls as the line gets steeper.
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


def fit_line(rows: BinaryRows, *, fit_slope: bool = True) -> NDArray[np.float64]:
    """Return slope (or 1) and intercept of least cross-entropy, by Newton's method with step halving."""
    columns, one, zero, threads = (
        [_core.logits(rows.proba, _CLIP)],
        np.ones(1),
        np.zeros(1),
        threads_for(len(rows.proba)),
    )
    # From the diagonal, where calibrated probabilities are already.
    coef, free = np.array([1.0, 0.0]), np.array([fit_slope, True])

    def loss_at(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        found = _core.logistic_sums(columns, one, zero, rows.positive, rows.weight, 0.0, 1.0, point, threads)
        return found[0], np.asarray(found[1])[free], np.asarray(found[2])[np.ix_(free, free)]

    loss, gradient, hessian = loss_at(coef)
    for _ in range(_MAX_STEPS):
        step = np.zeros(2)
        # Least squares: where all probabilities are equal the Hessian is
        # singular, and the shortest step is the right one.
        step[free] = -np.linalg.lstsq(hessian, gradient, rcond=None)[0]
        if np.abs(step).max() <= _LAST_STEP * (1.0 + np.abs(coef).max()):
            # The last step is taken without another pass over the rows.
            return coef + step
        step *= min(1.0, _LONGEST_STEP / max(float(np.abs(step).max()), _ROUNDING))
        size = 1.0
        while (found := loss_at(coef + size * step))[0] > loss * (1.0 + _ROUNDING) and size > _ROUNDING:
            size /= 2.0
        coef, (loss, gradient, hessian) = coef + size * step, found
    return coef


@dataclass(frozen=True, slots=True, eq=False)
class LogisticLine:
    """The design matrix, residuals, variances and weights of a logistic regression at some coefficients.

    Examples
    --------
    >>> rows = BinaryRows(np.array([0.2, 0.2, 0.8, 0.8, 0.2, 0.8]), np.array([0, 1, 1, 0, 0, 1], dtype=bool))
    >>> line = fitted_line(rows)
    >>> [round(float(abs(c)), 3) for c in line.coef]  # an intercept of 0, up to rounding of either sign
    [0.0, 0.5]
    """

    design: NDArray[np.float64]
    residual: NDArray[np.float64]
    variance: NDArray[np.float64]
    weight: NDArray[np.float64]
    coef: NDArray[np.float64]

    def information(self, rows: NDArray[np.bool_] | slice = slice(None)) -> NDArray[np.float64]:
        """Return the Fisher information of some rows on intercept and slope."""
        design = self.design[rows]
        return np.asarray((design * (self.variance * self.weight)[rows, None]).T @ design)

    def meat(self) -> NDArray[np.float64]:
        """Return the sum of the products of the rows' scores: the middle of Huber's sandwich."""
        scores = self.design * self.residual[:, None]
        return np.asarray((scores * self.weight[:, None]).T @ scores)

    def score(self, rows: NDArray[np.bool_] | slice = slice(None)) -> NDArray[np.float64]:
        """Return the score, the gradient of the log-likelihood, of some rows."""
        return np.asarray(self.design[rows].T @ (self.residual * self.weight)[rows])


def fitted_line(rows: BinaryRows) -> LogisticLine:
    """Fit intercept and slope; where the classes do not overlap they stop on the way to infinity."""
    slope, intercept = fit_line(rows)
    return line_at(rows, float(intercept), float(slope))


def standard_errors(rows: BinaryRows) -> tuple[float, float]:
    """Return the standard errors of the intercept alone, with slope 1, and of the slope.

    They are those of Huber's sandwich, which does not assume that the calibration curve is such a line.

    Examples
    --------
    >>> rows = BinaryRows(np.repeat([0.2, 0.8], 100), np.tile([True, False, False, False, True], 40))
    >>> [round(error, 3) for error in standard_errors(rows)]
    [0.249, 0.104]
    """
    line, shift = fitted_line(rows), fit_line(rows, fit_slope=False)[1]
    # A pseudo-inverse: one distinct probability leaves no information on the slope.
    inverse = np.linalg.pinv(line.information())
    covariance = inverse @ line.meat() @ inverse
    shifted = line_at(rows, float(shift), 1.0)
    # With the slope at 1 the sandwich has one dimension, and its middle is a sum of squares.
    middle = float((shifted.weight * shifted.residual**2).sum())
    of_slope = max(float(covariance[1, 1]), 0.0)  # rounding makes it negative where all probabilities are equal
    return math.sqrt(middle) / float(shifted.information()[0, 0]), math.sqrt(of_slope)


def line_at(rows: BinaryRows, intercept: float, slope: float) -> LogisticLine:
    """Return the logistic regression of some rows at an intercept and a slope."""
    log_odds = logit(np.clip(rows.proba, _CLIP, 1.0 - _CLIP))
    fitted = expit(intercept + slope * log_odds)
    weight = np.ones_like(log_odds) if rows.weight is None else rows.weight
    design = np.stack([np.ones_like(log_odds), log_odds], axis=1)
    coef = np.array([intercept, slope])
    return LogisticLine(design, rows.positive - fitted, fitted * (1.0 - fitted), weight, coef)
