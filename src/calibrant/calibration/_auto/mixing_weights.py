"""A mix of maps in log-odds, with the weights of least log-loss on held-out rows, each at a price."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.optimize import minimize

from calibrant import _core
from calibrant._threads import n_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["best_weights", "log_mix", "row_losses"]

# The mean loss of a mix and its gradient by the weights.
_Loss: TypeAlias = "Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]]"

_NEGLIGIBLE = 0.01  # a smaller weight hardly changes the mix, at the cost of a whole map


def log_mix(logs: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mix log-probabilities of several maps and normalise: a mix of their log-odds.

    Examples
    --------
    >>> logs = np.log([[[0.5, 0.5]], [[0.2, 0.8]]])
    >>> np.exp(log_mix(logs, np.array([0.5, 0.5]))).round(3)
    array([[0.333, 0.667]])
    """
    mixed = np.tensordot(weights, logs, axes=1)
    mixed -= mixed.max(axis=1, keepdims=True)
    return np.asarray(mixed - np.log(np.exp(mixed).sum(axis=1, keepdims=True)))


def row_losses(log_proba: NDArray[np.float64], codes: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return minus the log-probability of each row's class.

    Examples
    --------
    >>> row_losses(np.log([[0.5, 0.5], [0.2, 0.8]]), np.array([0, 1])).round(3)
    array([0.693, 0.223])
    """
    return -np.asarray(log_proba[np.arange(len(codes)), codes])


def best_weights(
    logs: NDArray[np.float64], codes: NDArray[np.int32], weight: NDArray[np.float64], price: float
) -> NDArray[np.float64]:
    """Return the weights, none negative and of sum 1, that minimise log-loss plus price.

    Parameters
    ----------
    logs : array of shape (n_maps, n_rows, n_classes)
        The log-probabilities of each map for held-out rows; the first map has no price.
    codes : array of shape (n_rows,)
        The class of each row.
    weight : array of shape (n_rows,)
        The weight of each row.
    price : float
        The cost of a weight of 1, in nats over all rows.

    Returns
    -------
    array of shape (n_maps,)
        The weights; the problem is convex, so the minimum is global.

    Examples
    --------
    >>> logs = np.log([[[0.5, 0.5]] * 20, [[0.1, 0.9]] * 20])
    >>> best_weights(logs, np.array([1] * 18 + [0] * 2), np.ones(20), price=1.0).round(2)
    array([0.1, 0.9])
    """
    if math.isinf(price):
        return np.asarray(np.eye(len(logs))[0])
    mean = (_loss_of_two if logs.shape[2] == 2 else _loss_of_several)(logs, codes, weight)
    costs = price / float(weight.sum()) * (np.arange(len(logs)) > 0)

    def loss(mix: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        value, slopes = mean(mix)
        return value + float(costs @ mix), slopes + costs

    start = np.full(len(logs), 1.0 / len(logs))
    found = minimize(
        loss,
        start,
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * len(logs),
        constraints={"type": "eq", "fun": lambda mix: mix.sum() - 1.0, "jac": np.ones_like},
        options={"ftol": 1e-10, "maxiter": 200},  # far below the price of a weight
    ).x
    kept = np.where(found >= _NEGLIGIBLE, found, 0.0)
    return np.asarray(kept / kept.sum())


def _loss_of_several(logs: NDArray[np.float64], codes: NDArray[np.int32], weight: NDArray[np.float64]) -> _Loss:
    own, total = logs[:, np.arange(len(codes)), codes] @ weight, float(weight.sum())

    def loss(mix: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        log_proba = log_mix(logs, mix)
        slopes = np.tensordot(logs, weight[:, None] * np.exp(log_proba), axes=2) - own
        return float(weight @ row_losses(log_proba, codes)) / total, slopes / total

    return loss


def _loss_of_two(logs: NDArray[np.float64], codes: NDArray[np.int32], weight: NDArray[np.float64]) -> _Loss:
    """Return the loss of a mix of log-odds, which is that of a logistic regression without an intercept."""
    odds, positive, total = [table[:, 1] - table[:, 0] for table in logs], codes == 1, float(weight.sum())
    scale, shift, threads = np.ones(len(logs)), np.zeros(len(logs)), n_threads(None)

    def loss(mix: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        coef = np.append(mix, 0.0)
        value, slopes, _ = _core.logistic_sums(odds, scale, shift, positive, weight, 0.0, 1.0, coef, threads)
        return value / total, slopes[:-1] / total

    return loss
