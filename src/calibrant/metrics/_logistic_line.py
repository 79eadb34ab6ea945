"""Logistic regression of outcomes on the log-odds of probabilities: its line, and how sure slope and intercept are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit

from calibrant.metrics._rows import TwoClass

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Line", "fitted_line", "standard_errors"]

_NEAREST = 1e-12  # to 0 and 1, where log-odds end
_STEPS = 50
_RIDGE = 1e-12


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
    """Fit intercept and slope by Newton's steps; where the classes do not overlap they stop on the way to infinity."""
    odds = logit(np.clip(rows.proba, _NEAREST, 1.0 - _NEAREST))
    design = np.stack([np.ones_like(odds), odds], axis=1)
    weight = np.ones_like(odds) if rows.weight is None else rows.weight
    coef = np.array([0.0, 1.0])
    for _ in range(_STEPS):
        line = _at(design, rows.positive, weight, coef)
        step = np.linalg.solve(line.information() + _RIDGE * np.eye(2), line.score())
        coef = coef + step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-10:
            break
    return _at(design, rows.positive, weight, coef)


def standard_errors(rows: TwoClass) -> tuple[float, float]:
    """Give the standard errors of the intercept alone, with the slope at 1, and of the slope, whatever the true curve.

    They are those of Huber's sandwich, which does not presume that the curve is such a line.

    Examples
    --------
    >>> rows = TwoClass(np.repeat([0.2, 0.8], 100), np.tile([True, False, False, False, True], 40))
    >>> [round(error, 3) for error in standard_errors(rows)]
    [0.173, 0.124]
    """
    line, weight = fitted_line(rows), np.ones(len(rows.proba)) if rows.weight is None else rows.weight
    inverse = np.linalg.pinv(line.information())
    pulls = line.design * line.residual[:, None]
    slope = float((inverse @ (pulls * weight[:, None]).T @ pulls @ inverse)[1, 1]) ** 0.5
    shift = _shifted(line.design[:, 1], rows.positive, weight)
    fitted = expit(line.design[:, 1] + shift)
    middle = float((weight * (rows.positive - fitted) ** 2).sum())
    return middle**0.5 / float((weight * fitted * (1.0 - fitted)).sum()), slope


def _shifted(odds: NDArray[np.float64], positive: NDArray[np.bool_], weight: NDArray[np.float64]) -> float:
    shift = 0.0
    for _ in range(_STEPS):
        fitted = expit(odds + shift)
        step = float(weight @ (positive - fitted)) / max(float(weight @ (fitted * (1.0 - fitted))), _NEAREST)
        shift += max(-1.0, min(1.0, step))
        if abs(step) < 1e-10:
            break
    return shift


def _at(
    design: NDArray[np.float64],
    positive: NDArray[np.bool_],
    weight: NDArray[np.float64],
    coef: NDArray[np.float64],
) -> Line:
    fitted = expit(design @ coef)
    return Line(design, positive - fitted, fitted * (1.0 - fitted), weight, coef)
