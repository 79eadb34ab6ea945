"""Multinomial logistic regression on log-probabilities: Newton's method, or L-BFGS where the parameters are many.

The loss is the mean of -ln softmax(x W' + b)_y over the weight of the rows, plus for each coefficient a penalty on its
squared distance from a target. It is convex. Both searches end where no derivative exceeds 1e-9, or where rounding
lets the loss decrease no further.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from calibrant.calibration._fitting.logits import log_softmax_rows, spread_of_rows

_GRADIENT = 1e-9  # the greatest derivative at which the search ends
_MAX_STEPS, _LEAST_STEP, _DECREASE = 200, 1e-10, 1e-4  # the last is Armijo's factor, of Nocedal & Wright
_STRIDE = 20.0  # how far a step may change the difference of two logits: where the loss is linear, Newton overshoots
_RIDGE = 1e-11  # on a diagonal of 1: makes the solution unique in directions that change no probability
_FLAT = 1e-12  # square roots of curvatures are at least this part of the greatest
_MAX_NEWTON = 700  # parameters; with more, Newton's Hessian costs more than the many steps of L-BFGS
_CHUNK = 2048  # rows whose products with every class are held in memory at once


@dataclass(frozen=True, slots=True, eq=False)
class Penalty:
    """A ridge penalty: the sum of weight * (coefficient - towards)^2.

    Parameters
    ----------
    weight : array of shape (n_parameters,)
        The factor of each squared distance; 0 leaves a coefficient free.
    towards : array of shape (n_parameters,)
        What the coefficients shrink to, and where the search starts.

    Examples
    --------
    >>> Penalty(np.array([0.5, 0.0]), np.array([1.0, 0.0])).value(np.array([3.0, 7.0]))
    2.0
    """

    weight: NDArray[np.float64]
    towards: NDArray[np.float64]

    def value(self, params: NDArray[np.float64]) -> float:
        """Return the penalty of some coefficients."""
        return float(self.weight @ (params - self.towards) ** 2)

    def gradient(self, params: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return its derivatives."""
        return 2.0 * self.weight * (params - self.towards)


class LogLoss(ABC):
    """The mean loss as a function of a flat array of coefficients.

    Parameters
    ----------
    logs : array of shape (n_rows, n_classes)
        The inputs of the linear function of the logits.
    codes : array of shape (n_rows,)
        The class of each row.
    weight : array of shape (n_rows,) or None
        The weight of each row; None where all are 1.
    """

    def __init__(self, logs: NDArray[np.float64], codes: NDArray[np.int32], weight: NDArray[np.float64] | None) -> None:
        weight = np.ones(len(codes)) if weight is None else weight
        self.logs, self.codes, self.share = logs, codes, weight / weight.sum()
        self.rows = np.arange(len(codes))

    def fit(self, penalty: Penalty) -> NDArray[np.float64]:
        """Return the coefficients that minimise loss plus penalty.

        Coefficients that can be shifted together without changing a probability are those nearest to what the penalty
        shrinks to, up to rounding. Where the classes are separable and nothing is penalised, there is no least
        loss, and the search ends with a loss near 0.

        Parameters
        ----------
        penalty : Penalty
            The penalty, with the coefficients to start from.

        Returns
        -------
        array of shape (n_parameters,)
            Coefficients.

        Examples
        --------
        >>> logs, codes = np.log([[0.9, 0.1], [0.9, 0.1], [0.2, 0.8], [0.2, 0.8]]), np.array([0, 1, 1, 1])
        >>> loss = FullLoss(logs, codes, None)
        >>> best = loss.fit(Penalty(np.full(6, 0.01), np.array([1.0, 0, 0, 0, 1, 0])))
        >>> np.exp(loss.log_proba(best))[[0, 2]].round(3)
        array([[0.503, 0.497],
               [0.014, 0.986]])
        """
        return _newton(self, penalty) if len(penalty.weight) <= _MAX_NEWTON else _quasi_newton(self, penalty)

    def log_proba(self, params: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the logarithms of the probabilities."""
        return log_softmax_rows(self.logits(params))

    def value(self, log_proba: NDArray[np.float64]) -> float:
        """Return the mean loss."""
        return -float(self.share @ log_proba[self.rows, self.codes])

    def gradient(self, proba: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the derivatives by the coefficients."""
        logit_gradient = proba * self.share[:, np.newaxis]
        logit_gradient[self.rows, self.codes] -= self.share
        return self.coefficient_gradient(logit_gradient)

    @abstractmethod
    def logits(self, params: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the logits of every row and class."""

    @abstractmethod
    def coefficient_gradient(self, logit_gradient: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the derivatives by the coefficients from those by the logits."""

    @abstractmethod
    def hessian(self, proba: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the Hessian."""


class FullLoss(LogLoss):
    """Logits x W' + b, each from the logarithms of every class.

    The coefficients are the rows of [W | b], one after the other.
    """

    def __init__(self, logs: NDArray[np.float64], codes: NDArray[np.int32], weight: NDArray[np.float64] | None) -> None:
        super().__init__(logs, codes, weight)
        self.design = np.hstack([logs, np.ones((len(logs), 1))])

    def logits(self, params: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the logits of every row and class."""
        return np.asarray(self.design @ params.reshape(self.logs.shape[1], -1).T)

    def coefficient_gradient(self, logit_gradient: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the derivatives by the coefficients from those by the logits."""
        return np.asarray((logit_gradient.T @ self.design).ravel())

    def hessian(self, proba: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the Hessian."""
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


class DiagonalLoss(LogLoss):
    """Logits v * x + b, each from the logarithm of its own class. The coefficients are v, then b."""

    def logits(self, params: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the logits of every row and class."""
        slopes, intercepts = params.reshape(2, -1)
        return np.asarray(self.logs * slopes + intercepts)

    def coefficient_gradient(self, logit_gradient: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the derivatives by the coefficients from those by the logits."""
        return np.asarray(np.concatenate([(logit_gradient * self.logs).sum(axis=0), logit_gradient.sum(axis=0)]))

    def hessian(self, proba: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the Hessian."""
        products = np.hstack([proba * self.logs, proba])
        weighted = products * self.share[:, np.newaxis]
        total = np.asarray(-(weighted.T @ products))
        n_classes, own = proba.shape[1], np.arange(proba.shape[1])
        total[own, own] += (weighted[:, :n_classes] * self.logs).sum(axis=0)
        crossed = weighted[:, :n_classes].sum(axis=0)
        total[own, n_classes + own] += crossed
        total[n_classes + own, own] += crossed
        total[n_classes + own, n_classes + own] += weighted[:, n_classes:].sum(axis=0)
        return total


class ShiftLoss(LogLoss):
    """Logits x + b. The coefficients are b."""

    def logits(self, params: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the logits of every row and class."""
        return self.logs + params

    def coefficient_gradient(self, logit_gradient: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the derivatives by the coefficients from those by the logits."""
        return np.asarray(logit_gradient.sum(axis=0))

    def hessian(self, proba: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the Hessian."""
        return np.asarray(np.diag(self.share @ proba) - (proba * self.share[:, np.newaxis]).T @ proba)


def _newton(loss: LogLoss, penalty: Penalty) -> NDArray[np.float64]:
    params = penalty.towards
    log_proba = loss.log_proba(params)
    here = loss.value(log_proba)
    for _ in range(_MAX_STEPS):
        proba = np.exp(log_proba)
        gradient = loss.gradient(proba) + penalty.gradient(params)
        if np.abs(gradient).max() <= _GRADIENT:
            break
        direction = -_solve(loss.hessian(proba) + np.diag(2.0 * penalty.weight), gradient)
        # Far from the minimum the loss is almost linear in the logits, and a whole step would overshoot.
        moved = loss.logits(direction) - loss.logits(np.zeros_like(direction))
        reach = max(float(spread_of_rows(moved).max()), 1e-300)
        step, slope = min(1.0, _STRIDE / reach), float(gradient @ direction)
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


def _solve(hessian: NDArray[np.float64], gradient: NDArray[np.float64]) -> NDArray[np.float64]:
    """Solve Newton's equations with the Hessian scaled to a unit diagonal, so that no unit of measurement matters."""
    size = np.sqrt(np.diag(hessian).clip(min=0.0))
    size = np.maximum(size, _FLAT * max(float(size.max()), _FLAT))
    scaled = hessian / np.outer(size, size) + _RIDGE * np.eye(len(size))
    try:
        return np.asarray(np.linalg.solve(scaled, gradient / size) / size)
    except np.linalg.LinAlgError:  # the same shift of all logits changes nothing; rounding may swallow the ridge
        return np.asarray(np.linalg.lstsq(scaled, gradient / size)[0] / size)


def _quasi_newton(loss: LogLoss, penalty: Penalty) -> NDArray[np.float64]:
    def evaluate(params: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        log_proba = loss.log_proba(params)
        value = loss.value(log_proba) + penalty.value(params)
        return value, loss.gradient(np.exp(log_proba)) + penalty.gradient(params)

    options = {"maxiter": 100 * _MAX_STEPS, "maxfun": 200 * _MAX_STEPS, "maxcor": 30, "ftol": 0.0, "gtol": _GRADIENT}
    return np.asarray(minimize(evaluate, penalty.towards, jac=True, method="L-BFGS-B", options=options).x)
