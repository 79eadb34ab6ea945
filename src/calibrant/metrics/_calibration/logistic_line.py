"""Logistic regression of outcomes on the log-odds of probabilities: its line, and how sure slope and intercept are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit

from calibrant.metrics._calibration.slope_and_intercept import least_cross_entropy
from calibrant.metrics._validation.prediction_rows import TwoClass

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Line", "fitted_line", "standard_errors"]

_NEAREST = 1e-12  # to 0 and 1, where log-odds end


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """The regression's columns, outcomes and weights, with what it says of each row.

    Examples
    --------
    >>> rows = TwoClass(np.array([0.2, 0.2, 0.8, 0.8, 0.2, 0.8]), np.array([0, 1, 1, 0, 0, 1], dtype=bool))
    >>> line = fitted_line(rows)
    >>> line.coef.round(3)
    array([0. , 0.5])
    """

    design: NDArray[np.float64]
    residual: NDArray[np.float64]
    spread: NDArray[np.float64]
    weight: NDArray[np.float64]
    coef: NDArray[np.float64]

    def information(self, rows: NDArray[np.bool_] | slice = slice(None)) -> NDArray[np.float64]:
        """Give the information of some rows on intercept and slope."""
        design = self.design[rows]
        return np.asarray((design * (self.spread * self.weight)[rows, None]).T @ design)

    def score(self, rows: NDArray[np.bool_] | slice = slice(None)) -> NDArray[np.float64]:
        """Give what some rows pull at intercept and slope."""
        return np.asarray(self.design[rows].T @ (self.residual * self.weight)[rows])


def fitted_line(rows: TwoClass) -> Line:
    """Fit intercept and slope; where the classes do not overlap they stop on the way to infinity."""
    slope, intercept = least_cross_entropy(rows, np.array([1.0, 0.0]), np.array([True, True]))
    return _at(rows, float(intercept), float(slope))


def standard_errors(rows: TwoClass) -> tuple[float, float]:
    """Give the standard errors of the intercept alone, with the slope at 1, and of the slope, whatever the true curve.

    They are those of Huber's sandwich, which does not presume that the curve is such a line.

    Examples
    --------
    >>> rows = TwoClass(np.repeat([0.2, 0.8], 100), np.tile([True, False, False, False, True], 40))
    >>> [round(error, 3) for error in standard_errors(rows)]
    [0.249, 0.104]
    """
    line, shift = fitted_line(rows), least_cross_entropy(rows, np.array([1.0, 0.0]), np.array([False, True]))[1]
    inverse = np.linalg.pinv(line.information())
    pulls = line.design * line.residual[:, None]
    spread = inverse @ (pulls * line.weight[:, None]).T @ pulls @ inverse
    shifted = _at(rows, float(shift), 1.0)
    middle = float((shifted.weight * shifted.residual**2).sum())
    return math.sqrt(middle) / float(shifted.information()[0, 0]), math.sqrt(float(spread[1, 1]))


def _at(rows: TwoClass, intercept: float, slope: float) -> Line:
    odds = logit(np.clip(rows.proba, _NEAREST, 1.0 - _NEAREST))
    fitted = expit(intercept + slope * odds)
    weight = np.ones_like(odds) if rows.weight is None else rows.weight
    design = np.stack([np.ones_like(odds), odds], axis=1)
    return Line(design, rows.positive - fitted, fitted * (1.0 - fitted), weight, np.array([intercept, slope]))
