"""Calibration slope and intercept of a table, by Newton's method: one pass over the batches for each step."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.metrics._calibration.slope_and_intercept import degenerate_intercept, degenerate_slope, fit_line, line_at
from calibrant.metrics._validation.predictions import BinaryRows

_MOST_PASSES = 20  # from the histogram two are enough, unless the classes are almost separable
_LAST_STEP = 1e-7  # Newton converges quadratically: the step after one this short is below rounding
_LONGEST_STEP = 4.0  # on the scale of log-odds, where the loss is flat and Newton's step would overshoot


@dataclass(frozen=True)
class StreamedLine:
    """Slope, intercept of slope 1, and their standard errors; NaN errors where they are not finite."""

    slope: float
    intercept: float
    slope_error: float = math.nan
    intercept_error: float = math.nan


class _Sums:
    """Score, information and meat of a line at some coefficients, over batches."""

    def __init__(self, intercept: float, slope: float) -> None:
        self.coef = np.array([intercept, slope])
        self.score, self.information, self.meat = np.zeros(2), np.zeros((2, 2)), np.zeros((2, 2))

    def add(self, rows: BinaryRows) -> None:
        line = line_at(rows, *self.coef.tolist())
        self.score += line.score()
        self.information += line.information()
        self.meat += line.meat()

    def step(self, free: slice) -> NDArray[np.float64]:
        """Return Newton's step of the free coefficients, no longer than it is reliable."""
        step = np.zeros(2)
        step[free] = np.linalg.lstsq(self.information[free, free], self.score[free], rcond=None)[0]
        return np.asarray(step * min(1.0, _LONGEST_STEP / max(float(np.abs(step).max()), _LAST_STEP)))

    def error(self, free: slice, index: int) -> float:
        inverse = np.linalg.pinv(self.information[free, free])
        return math.sqrt(float((inverse @ self.meat[free, free] @ inverse)[index, index]))


def fit_line_in_passes(passes: Iterable[Iterable[BinaryRows]], tied: BinaryRows, extremes: BinaryRows) -> StreamedLine:
    """Fit slope and intercept.

    Parameters
    ----------
    passes : iterable of iterables of BinaryRows
        The batches, once for each pass.
    tied : BinaryRows
        Nearly the same rows, few of them, from which the search starts.
    extremes : BinaryRows
        The rows of least and of largest probability of each class.

    Returns
    -------
    StreamedLine
        The same as of all rows at once, up to rounding.
    """
    slope, intercept = degenerate_slope(extremes), degenerate_intercept(extremes)
    if intercept is not None:
        return StreamedLine(math.nan if slope is None else slope, intercept)
    start = np.array([1.0, 0.0]) if slope is not None else fit_line(tied)
    fitted = _Sums(float(start[1]), float(start[0])), _Sums(float(fit_line(tied, fit_slope=False)[1]), 1.0)
    every, first = slice(0, 2), slice(0, 1)
    for batches, _ in zip(passes, range(_MOST_PASSES), strict=False):
        joint, shifted = (_Sums(*sums.coef.tolist()) for sums in fitted)
        for rows in batches:
            joint.add(rows)
            shifted.add(rows)
        steps = (joint.step(every) if slope is None else np.zeros(2)), shifted.step(first)
        joint.coef, shifted.coef = joint.coef + steps[0], shifted.coef + steps[1]
        fitted = joint, shifted
        if max(np.abs(step).max() for step in steps) <= _LAST_STEP * (1.0 + np.abs(joint.coef).max()):
            break
    joint, shifted = fitted
    found = float(joint.coef[1]) if slope is None else slope
    slope_error = joint.error(every, 1) if slope is None else math.nan
    return StreamedLine(found, float(shifted.coef[0]), slope_error, shifted.error(first, 0))
