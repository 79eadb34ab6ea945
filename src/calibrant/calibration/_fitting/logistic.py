"""Logistic regression on a few functions of a score, by Newton's method with backtracking.

The algorithm is that of Lin, Lin & Weng (2007): exact Hessian, steps halved until the loss decreases
enough, the loss written so that it neither overflows nor cancels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._threads import n_threads

_MAX_STEPS, _LEAST_STEP, _DECREASE = 100, 1e-10, 1e-4  # Lin, Lin & Weng: their iterations, least step and Armijo factor
_NEAR, _NEAR_OF_TOTAL = 1e-10, 1e-13  # a Newton step that gains less than this in the loss is the last
_ROUNDING = 1e-14  # a loss that grows by less has not grown: summing has that much error
_SINGULAR = 1e-12  # eigenvalues below, of a matrix scaled to a diagonal of 1, are rounding
_SAMPLE = 1000  # rows that the median of a column is taken of; it only centres the column
_CONSTANT = 1e-290  # a column with a smaller range counts as constant, since its slope would overflow


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """The target probability of each row, to which a logistic regression is fitted.

    Parameters
    ----------
    positive : array of bool, of shape (n_rows,)
        Whether each row is of the positive class.
    low, high : float
        The target of negative and of positive rows.
    weight : array of shape (n_rows,) or None
        The weight of each row; None where all are 1.
    """

    positive: NDArray[np.bool_]
    low: float = 0.0
    high: float = 1.0
    weight: NDArray[np.float64] | None = None

    def fit(
        self,
        columns: Sequence[NDArray[np.float64]],
        start: NDArray[np.float64],
        *,
        penalty: NDArray[np.float64] | None = None,
        towards: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Return the coefficients, the intercept last, that minimise the cross-entropy of 1 / (1 + e^-z).

        Parameters
        ----------
        columns : sequence of arrays of shape (n_rows,)
            The columns of which z is a weighted sum, besides the intercept; fifteen at most.
        start : array of shape (n_columns + 1,)
            The coefficients to start from.
        penalty : array of shape (n_columns + 1,), optional
            The weight of each coefficient's squared distance from `towards`, halved, in the loss.
        towards : array of shape (n_columns + 1,), optional
            Where the penalty shrinks the coefficients to; 0 by default.

        Returns
        -------
        array of shape (n_columns + 1,)
            Coefficients.

        Examples
        --------
        >>> scores, positive = np.array([-2.0, -1.0, 0.0, 0.0, 1.0, 2.0]), np.array([0, 0, 1, 0, 1, 1], dtype=bool)
        >>> slope, intercept = Target(positive, 0.1, 0.9).fit([scores], np.zeros(2))
        >>> round(float(slope), 3), abs(float(intercept)) < 1e-6
        (1.434, True)
        """
        penalty = np.zeros_like(start) if penalty is None else penalty
        towards = np.zeros_like(start) if towards is None else towards
        columns = [np.ascontiguousarray(column, dtype=np.float64) for column in columns]
        frame, threads = _Frame.of(columns), n_threads(None)

        def evaluate(coef: NDArray[np.float64]) -> LossDerivatives:
            sums, distance = _sums(columns, frame, self, coef, threads), frame.to_original(coef) - towards
            weighted = frame.back.T * penalty
            loss = sums.loss + 0.5 * float((penalty * distance) @ distance)
            return LossDerivatives(loss, sums.gradient + weighted @ distance, sums.hessian + weighted @ frame.back)

        total = len(self.positive) if self.weight is None else float(self.weight.sum())
        near = max(_NEAR * min(1.0, total), _NEAR_OF_TOTAL * total)
        return frame.to_original(_newton(evaluate, frame.to_scaled(start), near))

    def hessian(self, columns: Sequence[NDArray[np.float64]], coef: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the Hessian of the cross-entropy at some coefficients, the intercept last.

        Examples
        --------
        >>> Target(np.array([False, True])).hessian([np.array([-2.0, 2.0])], np.zeros(2))
        array([[2. , 0. ],
               [0. , 0.5]])
        """
        n_columns = len(columns)
        frame = _Frame(np.ones(n_columns), np.zeros(n_columns), np.eye(n_columns + 1))
        return _sums(columns, frame, self, coef, n_threads(None)).hessian


def _newton(
    evaluate: Callable[[NDArray[np.float64]], LossDerivatives], coef: NDArray[np.float64], near: float
) -> NDArray[np.float64]:
    """Take Newton steps, halved until the loss decreases enough; the last is so small that it is not evaluated."""
    here = evaluate(coef)
    for _ in range(_MAX_STEPS):
        direction = -_solve_step(here.hessian, here.gradient)
        step, slope = 1.0, float(here.gradient @ direction)
        if -slope <= near:
            return coef + direction
        while step >= _LEAST_STEP:  # Armijo's rule, which accepts equal losses up to rounding
            there = evaluate(coef + step * direction)
            if there.loss <= here.loss + _DECREASE * step * slope + _ROUNDING * abs(here.loss):
                break
            step /= 2
        else:
            break
        coef, here = coef + step * direction, there
    return coef


def _solve_step(hessian: NDArray[np.float64], gradient: NDArray[np.float64]) -> NDArray[np.float64]:
    """Solve for the step whatever the units of the columns; directions that the rows leave open stay as they are."""
    diagonal = np.diagonal(hessian)
    units = np.where(diagonal > 0, 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0)), 0.0)
    # Eigenvalues, not Cholesky: collinear columns leave directions that no row determines.
    values, vectors = np.linalg.eigh(hessian * np.outer(units, units))
    determined = values > _SINGULAR
    along = vectors[:, determined].T @ (units * gradient) / values[determined]
    return np.asarray(units * (vectors[:, determined] @ along))


@dataclass(frozen=True, slots=True, eq=False)
class _Frame:
    """The shift and scale of columns, so that sums neither overflow nor cancel.

    Scales are powers of two, so that scaling is exact.
    """

    scale: NDArray[np.float64]
    shift: NDArray[np.float64]
    back: NDArray[np.float64]

    @classmethod
    def of(cls, columns: Sequence[NDArray[np.float64]]) -> _Frame:
        """Centre at about the median, in units of about the largest distance from it."""
        n_columns = len(columns)
        scale, shift = np.ones(n_columns), np.zeros(n_columns)
        for j, column in enumerate(columns):
            middle = float(np.median(column[:: max(1, len(column) // _SAMPLE)] / 2)) * 2
            half_range = max(float(column.max()) / 2 - middle / 2, middle / 2 - float(column.min()) / 2)
            scale[j] = math.ldexp(1.0, -math.frexp(half_range)[1] - 1) if half_range > _CONSTANT else 1.0
            shift[j] = middle * scale[j]
        back = np.diag([*scale, 1.0])
        back[-1, :-1] = -shift
        return cls(scale, shift, back)

    def to_scaled(self, coef: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the coefficients of the scaled columns."""
        slopes = coef[:-1] / self.scale
        return np.append(slopes, coef[-1] + slopes @ self.shift)

    def to_original(self, coef: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the coefficients of the original columns."""
        return np.asarray(self.back @ coef)


@dataclass(frozen=True, slots=True, eq=False)
class LossDerivatives:
    """The loss at some coefficients, or amounts of shapes, with its gradient and Hessian."""

    loss: float
    gradient: NDArray[np.float64]
    hessian: NDArray[np.float64]


def _sums(
    columns: Sequence[NDArray[np.float64]], frame: _Frame, target: Target, coef: NDArray[np.float64], threads: int
) -> LossDerivatives:
    low, high = target.low, target.high
    return LossDerivatives(
        *_core.logistic_sums(
            columns, frame.scale, frame.shift, target.positive, target.weight, low, high, coef, threads
        )
    )
