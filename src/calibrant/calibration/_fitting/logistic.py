"""Logistic regression on a few functions of a score: Newton's method that never diverges.

The algorithm is that of Lin, Lin & Weng (2007): exact Hessian with a small ridge, steps halved until the loss falls
enough, the loss written so that it neither overflows nor cancels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant import _core
from calibrant._threads import n_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Target", "fit_logistic"]

_ROUNDS, _LEAST_STEP, _DECREASE = 100, 1e-10, 1e-4
_NEAR, _NEAR_OF_TOTAL = 1e-10, 1e-13  # Newton steps that gain less than this in the loss are the last
_ROUNDING, _SINGULAR, _SAMPLE = 1e-14, 1e-12, 1000
_CONSTANT = 1e-290  # a column that changes by less is constant, since its slope would overflow


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """What the probability of each row is drawn to.

    Parameters
    ----------
    positive : array of bool, of shape (n_rows,)
        Whether each row is of the positive class.
    low, high : float
        The target of negative and of positive rows.
    weight : array of shape (n_rows,) or None
        How often each row counts; None where each counts once.
    """

    positive: NDArray[np.bool_]
    low: float = 0.0
    high: float = 1.0
    weight: NDArray[np.float64] | None = None


def fit_logistic(
    columns: Sequence[NDArray[np.float64]],
    target: Target,
    start: NDArray[np.float64],
    *,
    penalty: NDArray[np.float64] | None = None,
    towards: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Give the coefficients, the intercept last, that minimise the cross-entropy of 1 / (1 + e^-z).

    Parameters
    ----------
    columns : sequence of arrays of shape (n_rows,)
        What z is a weighted sum of, besides the intercept; fifteen at most.
    target : Target
        What the probabilities are drawn to.
    start : array of shape (n_columns + 1,)
        Where the search begins.
    penalty : array of shape (n_columns + 1,), optional
        The weight of each coefficient's squared distance from `towards`, halved, in the loss.
    towards : array of shape (n_columns + 1,), optional
        Where the penalty draws the coefficients; 0 by default.

    Returns
    -------
    array of shape (n_columns + 1,)
        Coefficients.

    Examples
    --------
    >>> scores, positive = np.array([-2.0, -1.0, 0.0, 0.0, 1.0, 2.0]), np.array([0, 0, 1, 0, 1, 1], dtype=bool)
    >>> slope, intercept = fit_logistic([scores], Target(positive, 0.1, 0.9), np.zeros(2))
    >>> round(float(slope), 3), abs(float(intercept)) < 1e-6
    (1.434, True)
    """
    penalty = np.zeros_like(start) if penalty is None else penalty
    towards = np.zeros_like(start) if towards is None else towards
    columns = [np.ascontiguousarray(column, dtype=np.float64) for column in columns]
    frame, threads = _Frame.of(columns), n_threads(None)

    def measured(coef: NDArray[np.float64]) -> _Sums:
        sums, away = _sums(columns, frame, target, coef, threads), frame.outside(coef) - towards
        bent = frame.back.T * penalty
        loss = sums.loss + 0.5 * float((penalty * away) @ away)
        return _Sums(loss, sums.gradient + bent @ away, sums.hessian + bent @ frame.back)

    total = len(target.positive) if target.weight is None else float(target.weight.sum())
    near = max(_NEAR * min(1.0, total), _NEAR_OF_TOTAL * total)
    return frame.outside(_descend(measured, frame.inside(start), near))


def _descend(
    measured: Callable[[NDArray[np.float64]], _Sums], coef: NDArray[np.float64], near: float
) -> NDArray[np.float64]:
    """Take Newton steps, halved until the loss falls enough; the last one is so small that it needs no look."""
    here = measured(coef)
    for _ in range(_ROUNDS):
        direction = -_solve(here.hessian, here.gradient)
        step, slope = 1.0, float(here.gradient @ direction)
        if -slope <= near:
            return coef + direction
        while step >= _LEAST_STEP:
            there = measured(coef + step * direction)
            if there.loss <= here.loss + _DECREASE * step * slope + _ROUNDING * abs(here.loss):
                break
            step /= 2
        else:
            break
        coef, here = coef + step * direction, there
    return coef


def _solve(hessian: NDArray[np.float64], gradient: NDArray[np.float64]) -> NDArray[np.float64]:
    """Solve for the step whatever the units of the columns; what the rows do not tell stays as it is."""
    diagonal = np.diagonal(hessian)
    units = np.where(diagonal > 0, 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0)), 0.0)
    values, vectors = np.linalg.eigh(hessian * np.outer(units, units))
    told = values > _SINGULAR
    along = vectors[:, told].T @ (units * gradient) / values[told]
    return np.asarray(units * (vectors[:, told] @ along))


@dataclass(frozen=True, slots=True, eq=False)
class _Frame:
    """Where columns are measured from and in what unit, so that sums neither overflow nor cancel.

    Units are powers of two: taking them costs no digit.
    """

    scale: NDArray[np.float64]
    shift: NDArray[np.float64]
    back: NDArray[np.float64]

    @classmethod
    def of(cls, columns: Sequence[NDArray[np.float64]]) -> _Frame:
        """Measure from about the median, in units of about the largest distance."""
        n_columns = len(columns)
        scale, shift = np.ones(n_columns), np.zeros(n_columns)
        for j, column in enumerate(columns):
            middle = float(np.median(column[:: max(1, len(column) // _SAMPLE)] / 2)) * 2
            half_reach = max(float(column.max()) / 2 - middle / 2, middle / 2 - float(column.min()) / 2)
            scale[j] = math.ldexp(1.0, -math.frexp(half_reach)[1] - 1) if half_reach > _CONSTANT else 1.0
            shift[j] = middle * scale[j]
        back = np.diag([*scale, 1.0])
        back[-1, :-1] = -shift
        return cls(scale, shift, back)

    def inside(self, coef: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give coefficients of columns as measured here."""
        slopes = coef[:-1] / self.scale
        return np.append(slopes, coef[-1] + slopes @ self.shift)

    def outside(self, coef: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give coefficients of the columns themselves."""
        return np.asarray(self.back @ coef)


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """The loss at some coefficients with its first two derivatives."""

    loss: float
    gradient: NDArray[np.float64]
    hessian: NDArray[np.float64]


def _sums(
    columns: Sequence[NDArray[np.float64]], frame: _Frame, target: Target, coef: NDArray[np.float64], threads: int
) -> _Sums:
    low, high = target.low, target.high
    return _Sums(
        *_core.logistic_sums(
            columns, frame.scale, frame.shift, target.positive, target.weight, low, high, coef, threads
        )
    )
