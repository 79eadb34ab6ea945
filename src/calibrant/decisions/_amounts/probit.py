"""Probit regression by Newton's method: the first step of Heckman's correction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import log_ndtr

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["fit_probit", "inverse_mills_ratio"]

_MAX_STEPS, _TOLERANCE = 100, 1e-10  # Newton's method on a concave function needs about ten steps
_RIDGE = 1e-8  # too weak to show in the coefficients, strong enough to keep them finite for separable classes


def fit_probit(
    X: NDArray[np.float64], positive: NDArray[np.bool_], weight: NDArray[np.float64] | None = None
) -> tuple[float, NDArray[np.float64]]:
    """Return the intercept and the coefficients of maximum likelihood.

    Columns are standardized first, and a ridge penalty of 1e-8 keeps the coefficients finite where the classes are
    separable or columns are collinear.

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
    beta = _maximize_likelihood(columns, np.where(positive, 1.0, -1.0), share)
    coef = beta[1:] / spread
    return float(beta[0] - coef @ centre), coef


def inverse_mills_ratio(index: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the normal density over the normal distribution function, computed in logarithms against underflow.

    Examples
    --------
    >>> inverse_mills_ratio(np.array([0.0, -40.0])).round(3)
    array([ 0.798, 40.025])
    """
    return np.asarray(np.exp(-0.5 * index**2 - 0.5 * np.log(2.0 * np.pi) - log_ndtr(index)))


def _maximize_likelihood(
    columns: NDArray[np.float64], sign: NDArray[np.float64], share: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Take Newton steps, halved until the likelihood does not fall; it is concave."""
    ridge = np.full(columns.shape[1], _RIDGE)
    ridge[0] = 0.0

    def log_likelihood(beta: NDArray[np.float64]) -> float:
        return float(share @ log_ndtr(sign * (columns @ beta)) - 0.5 * ridge @ beta**2)

    beta = np.zeros(columns.shape[1])
    value = log_likelihood(beta)
    for _ in range(_MAX_STEPS):
        index = sign * (columns @ beta)
        ratio = inverse_mills_ratio(index)
        gradient = columns.T @ (share * sign * ratio) - ridge * beta
        hessian = (columns.T * (share * ratio * (ratio + index))) @ columns + np.diag(ridge + 1e-15)
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while (new := log_likelihood(beta + size * step)) < value and size > 1e-6:
            size /= 2.0
        beta, gain, value = beta + size * step, new - value, max(new, value)
        if np.abs(size * step).max() < _TOLERANCE or gain <= 0.0:
            break
    return beta
