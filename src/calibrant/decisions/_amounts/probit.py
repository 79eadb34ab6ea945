"""Probit regression by Newton's method: the first step of Heckman's correction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import log_ndtr

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["fit_probit"]

_ROUNDS, _CHANGE, _RIDGE = 100, 1e-10, 1e-8


def fit_probit(
    X: NDArray[np.float64], positive: NDArray[np.bool_], weight: NDArray[np.float64] | None = None
) -> tuple[float, NDArray[np.float64]]:
    """Give the intercept and the coefficients of greatest likelihood.

    Columns are scaled first, and a ridge of 1e-8 of a row on each keeps them finite where the classes can be parted or
    a column is the sum of others.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(20_000, 1))
    >>> intercept, coef = fit_probit(X, 0.5 + 2.0 * X[:, 0] + rng.normal(size=20_000) > 0)
    >>> round(intercept, 1), coef.round(1)
    (0.5, array([2.]))
    """
    share = np.ones(len(X)) if weight is None else weight
    share = share / share.sum()
    centre = share @ X
    spread = np.sqrt(share @ (X - centre) ** 2)
    spread = np.where(spread > 0, spread, 1.0)
    columns = np.column_stack([np.ones(len(X)), (X - centre) / spread])
    beta = _most_likely(columns, np.where(positive, 1.0, -1.0), share)
    coef = beta[1:] / spread
    return float(beta[0] - coef @ centre), coef


def _most_likely(
    columns: NDArray[np.float64], sign: NDArray[np.float64], share: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Climb by Newton's steps, halved while they lead down; the likelihood is concave."""
    ridge = np.full(columns.shape[1], _RIDGE)
    ridge[0] = 0.0
    beta = np.zeros(columns.shape[1])
    value = _height(columns, sign, share, ridge, beta)
    for _ in range(_ROUNDS):
        index = sign * (columns @ beta)
        ratio = np.exp(-0.5 * index**2 - 0.5 * np.log(2.0 * np.pi) - log_ndtr(index))
        slope = columns.T @ (share * sign * ratio) - ridge * beta
        bend = (columns.T * (share * ratio * (ratio + index))) @ columns + np.diag(ridge + 1e-15)
        step = np.linalg.solve(bend, slope)
        size = 1.0
        while (found := _height(columns, sign, share, ridge, beta + size * step)) < value and size > 1e-6:
            size /= 2.0
        beta, gain, value = beta + size * step, found - value, max(found, value)
        if np.abs(size * step).max() < _CHANGE or gain <= 0.0:
            break
    return beta


def _height(
    columns: NDArray[np.float64],
    sign: NDArray[np.float64],
    share: NDArray[np.float64],
    ridge: NDArray[np.float64],
    beta: NDArray[np.float64],
) -> float:
    return float(share @ log_ndtr(sign * (columns @ beta)) - 0.5 * ridge @ beta**2)
