"""Logistic regression on one to three functions of a score: Newton's method that never diverges.

The algorithm is that of Lin, Lin & Weng (2007): exact Hessian with a small ridge, steps halved until the loss falls
enough, the loss written so that it neither overflows nor cancels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Target", "fit_logistic"]

_ROUNDS, _RIDGE, _GRADIENT, _LEAST_STEP, _DECREASE = 100, 1e-12, 1e-5, 1e-10, 1e-4


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
        What z is a weighted sum of, besides the intercept.
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

    def measured(coef: NDArray[np.float64]) -> _Sums:
        sums, away = _sums(columns, target, coef), coef - towards
        loss = sums.loss + 0.5 * float(penalty @ away**2)
        return _Sums(loss, sums.gradient + penalty * away, sums.hessian + np.diag(penalty))

    coef, here = start, measured(start)
    for _ in range(_ROUNDS):
        if (np.abs(here.gradient) < _GRADIENT).all():
            break
        direction = -np.linalg.solve(here.hessian + _RIDGE * np.eye(len(coef)), here.gradient)
        step, slope = 1.0, float(here.gradient @ direction)
        while step >= _LEAST_STEP:
            there = measured(coef + step * direction)
            if there.loss < here.loss + _DECREASE * step * slope:
                break
            step /= 2
        else:
            break
        coef, here = coef + step * direction, there
    return coef


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """The loss at some coefficients with its first two derivatives."""

    loss: float
    gradient: NDArray[np.float64]
    hessian: NDArray[np.float64]


def _sums(columns: Sequence[NDArray[np.float64]], target: Target, coef: NDArray[np.float64]) -> _Sums:
    design = np.stack([*columns, np.ones(len(target.positive))])
    z = coef @ design
    goal, small = np.where(target.positive, target.high, target.low), np.exp(-np.abs(z))
    loss = np.where(z >= 0, (1.0 - goal) * z, -goal * z) + np.log1p(small)
    proba = np.where(z >= 0, 1.0, small) / (1.0 + small)
    weight = np.ones(len(z)) if target.weight is None else target.weight
    curvature = weight * small / (1.0 + small) ** 2
    return _Sums(float(weight @ loss), design @ (weight * (proba - goal)), (design * curvature) @ design.T)
