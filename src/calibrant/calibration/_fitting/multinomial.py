"""Multinomial logistic regression on log-probabilities: Newton's method, or L-BFGS where the parameters are many.

The loss is the mean of -ln softmax(x W' + b)_y over the weight of the rows, plus for each coefficient a penalty on its
squared distance from somewhere. It is convex. Both searches end where no derivative exceeds 1e-9, or where rounding
lets the loss fall no further.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Diagonal", "Full", "LogLoss", "Penalty", "Shift", "fit_multinomial"]

_GRADIENT = 1e-9  # where the search ends
_ROUNDS, _LEAST_STEP, _DECREASE = 200, 1e-10, 1e-4
_STRIDE = 20.0  # how far a step may change the difference of two logits: where the loss is straight, Newton overshoots
_RIDGE = 1e-11  # of a diagonal of 1: settles directions that change no probability
_FLAT = 1e-12  # a curvature's root so much smaller than the greatest is taken for that
_MOST = 700  # parameters that Newton's method takes; beyond, its matrix costs more than many steps of L-BFGS
_CHUNK = 2048  # rows whose products with every class are held at once


@dataclass(frozen=True, slots=True, eq=False)
class Penalty:
    """What is added to the loss: the sum of weight * (coefficient - towards)^2.

    Parameters
    ----------
    weight : array of shape (n_parameters,)
        What each squared distance is multiplied by; 0 leaves a coefficient free.
    towards : array of shape (n_parameters,)
        Where the coefficients are drawn, and where the search begins.

    Examples
    --------
    >>> Penalty(np.array([0.5, 0.0]), np.array([1.0, 0.0])).value(np.array([3.0, 7.0]))
    2.0
    """

    weight: NDArray[np.float64]
    towards: NDArray[np.float64]

    def value(self, params: NDArray[np.float64]) -> float:
        """Give the penalty of some coefficients."""
        return float(self.weight @ (params - self.towards) ** 2)

    def gradient(self, params: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give its derivatives."""
        return 2.0 * self.weight * (params - self.towards)


class LogLoss(ABC):
    """The mean loss as a function of a flat array of coefficients.

    Parameters
    ----------
    logs : array of shape (n_rows, n_classes)
        What the logits are a linear function of.
    codes : array of shape (n_rows,)
        The class of each row.
    weight : array of shape (n_rows,) or None
        How often each row counts.
    """

    def __init__(self, logs: NDArray[np.float64], codes: NDArray[np.int32], weight: NDArray[np.float64] | None) -> None:
        weight = np.ones(len(codes)) if weight is None else weight
        self.logs, self.codes, self.share = logs, codes, weight / weight.sum()
        self.rows = np.arange(len(codes))

    def log_proba(self, params: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the logarithms of the probabilities."""
        return np.asarray(log_softmax(self.logits(params), axis=1))

    def value(self, log_proba: NDArray[np.float64]) -> float:
        """Give the mean loss."""
        return -float(self.share @ log_proba[self.rows, self.codes])

    def gradient(self, proba: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the derivatives by the coefficients."""
        away = proba * self.share[:, np.newaxis]
        away[self.rows, self.codes] -= self.share
        return self.sums(away)

    @abstractmethod
    def logits(self, params: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the logits of every row and class."""

    @abstractmethod
    def sums(self, away: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the derivatives by the coefficients from those by the logits."""

    @abstractmethod
    def hessian(self, proba: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the second derivatives."""


class Full(LogLoss):
    """Logits x W' + b, each from the logarithms of every class.

    The coefficients are the rows of [W | b], one after the other.
    """

    def __init__(self, logs: NDArray[np.float64], codes: NDArray[np.int32], weight: NDArray[np.float64] | None) -> None:
        super().__init__(logs, codes, weight)
        self.design = np.hstack([logs, np.ones((len(logs), 1))])

    def logits(self, params: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the logits of every row and class."""
        return np.asarray(self.design @ params.reshape(self.logs.shape[1], -1).T)

    def sums(self, away: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the derivatives by the coefficients from those by the logits."""
        return np.asarray((away.T @ self.design).ravel())

    def hessian(self, proba: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the second derivatives."""
        n_classes, width = proba.shape[1], self.design.shape[1]
        total = np.zeros((n_classes * width, n_classes * width))
        for part in self._parts():
            design = self.design[part] * np.sqrt(self.share[part, np.newaxis])
            products = (proba[part, :, np.newaxis] * design[:, np.newaxis, :]).reshape(len(design), -1)
            total -= products.T @ products
            own = (products.T @ design).reshape(n_classes, width, width)
            for k in range(n_classes):
                total[k * width : (k + 1) * width, k * width : (k + 1) * width] += own[k]
        return total

    def _parts(self) -> Iterator[slice]:
        return (slice(start, start + _CHUNK) for start in range(0, len(self.design), _CHUNK))


class Diagonal(LogLoss):
    """Logits v * x + b, each from the logarithm of its own class. The coefficients are v, then b."""

    def logits(self, params: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the logits of every row and class."""
        slopes, intercepts = params.reshape(2, -1)
        return np.asarray(self.logs * slopes + intercepts)

    def sums(self, away: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the derivatives by the coefficients from those by the logits."""
        return np.asarray(np.concatenate([(away * self.logs).sum(axis=0), away.sum(axis=0)]))

    def hessian(self, proba: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the second derivatives."""
        products = np.hstack([proba * self.logs, proba])
        weighted = products * self.share[:, np.newaxis]
        total = np.asarray(-(weighted.T @ products))
        n_classes, place = proba.shape[1], np.arange(proba.shape[1])
        total[place, place] += (weighted[:, :n_classes] * self.logs).sum(axis=0)
        crossed = weighted[:, :n_classes].sum(axis=0)
        total[place, n_classes + place] += crossed
        total[n_classes + place, place] += crossed
        total[n_classes + place, n_classes + place] += weighted[:, n_classes:].sum(axis=0)
        return total


class Shift(LogLoss):
    """Logits x + b. The coefficients are b."""

    def logits(self, params: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the logits of every row and class."""
        return self.logs + params

    def sums(self, away: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the derivatives by the coefficients from those by the logits."""
        return np.asarray(away.sum(axis=0))

    def hessian(self, proba: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the second derivatives."""
        return np.asarray(np.diag(self.share @ proba) - (proba * self.share[:, np.newaxis]).T @ proba)


def fit_multinomial(loss: LogLoss, penalty: Penalty) -> NDArray[np.float64]:
    """Give the coefficients of least loss and penalty.

    Coefficients that can be shifted together without changing a probability are those nearest to where the penalty
    draws, up to rounding. Where classes can be told apart without error and nothing is penalised, there is no least
    loss, and the search ends with one near 0.

    Parameters
    ----------
    loss : LogLoss
        The mean loss of rows.
    penalty : Penalty
        What is added to it, and where the search begins.

    Returns
    -------
    array of shape (n_parameters,)
        Coefficients.

    Examples
    --------
    >>> logs, codes = np.log([[0.9, 0.1], [0.9, 0.1], [0.2, 0.8], [0.2, 0.8]]), np.array([0, 1, 1, 1])
    >>> loss = Full(logs, codes, None)
    >>> best = fit_multinomial(loss, Penalty(np.full(6, 0.01), np.array([1.0, 0, 0, 0, 1, 0])))
    >>> np.exp(loss.log_proba(best))[[0, 2]].round(3)
    array([[0.503, 0.497],
           [0.014, 0.986]])
    """
    return _newton(loss, penalty) if len(penalty.weight) <= _MOST else _quasi_newton(loss, penalty)


def _newton(loss: LogLoss, penalty: Penalty) -> NDArray[np.float64]:
    params = penalty.towards
    log_proba = loss.log_proba(params)
    here = loss.value(log_proba)
    for _ in range(_ROUNDS):
        proba = np.exp(log_proba)
        gradient = loss.gradient(proba) + penalty.gradient(params)
        if np.abs(gradient).max() <= _GRADIENT:
            break
        direction = -_solve(loss.hessian(proba) + np.diag(2.0 * penalty.weight), gradient)
        step, slope = min(1.0, _STRIDE / _reach(loss, direction)), float(gradient @ direction)
        least = _LEAST_STEP * step
        while step >= least:
            tried = params + step * direction
            log_proba = loss.log_proba(tried)
            there = loss.value(log_proba) + penalty.value(tried)
            if there < here + _DECREASE * step * slope:
                break
            step /= 2
        else:
            break
        params, here = tried, there
    return params


def _reach(loss: LogLoss, direction: NDArray[np.float64]) -> float:
    """Give how far a whole step would change the difference of two logits, or 1e-300 where it would not."""
    moved = loss.logits(direction) - loss.logits(np.zeros_like(direction))
    return max(float(np.ptp(moved, axis=1).max()), 1e-300)


def _solve(hessian: NDArray[np.float64], gradient: NDArray[np.float64]) -> NDArray[np.float64]:
    """Solve Newton's equations with coefficients brought to one scale, so that no unit of measurement matters."""
    size = np.sqrt(np.diag(hessian).clip(min=0.0))
    size = np.maximum(size, _FLAT * max(float(size.max()), _FLAT))
    scaled = hessian / np.outer(size, size) + _RIDGE * np.eye(len(size))
    return np.asarray(np.linalg.solve(scaled, gradient / size) / size)


def _quasi_newton(loss: LogLoss, penalty: Penalty) -> NDArray[np.float64]:
    def measured(params: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        log_proba = loss.log_proba(params)
        value = loss.value(log_proba) + penalty.value(params)
        return value, loss.gradient(np.exp(log_proba)) + penalty.gradient(params)

    options = {"maxiter": 100 * _ROUNDS, "maxfun": 200 * _ROUNDS, "maxcor": 30, "ftol": 0.0, "gtol": _GRADIENT}
    return np.asarray(minimize(measured, penalty.towards, jac=True, method="L-BFGS-B", options=options).x)
