"""The logistic regression line of the classes on the log-odds: its information, and standard errors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit

from calibrant.metrics._calibration.slope_and_intercept import fit_line
from calibrant.metrics._validation.predictions import BinaryRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LogisticLine", "fitted_line", "line_at", "standard_errors"]

_CLIP = 1e-12  # keeps the log-odds of 0 and 1 finite, as in the fit


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
    inverse = np.linalg.pinv(line.information())
    covariance = inverse @ line.meat() @ inverse
    shifted = line_at(rows, float(shift), 1.0)
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
