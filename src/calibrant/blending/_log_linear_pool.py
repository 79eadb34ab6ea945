"""Members pooled in logarithms: a weight for each table of probabilities and a bias for each class.

The logit of class k is the bias of k plus the weighted sum of the members' log-probabilities of k. Before that, certain
probabilities are replaced and each member's log-probabilities are scaled by its own temperature, so that weights are
comparable. Weights are at least 0. Weights, biases and temperatures are drawn to equal ones, to 0 and to 1 by penalties
that do not grow with the rows: few rows leave them nearly there, many determine them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from calibrant._saved import Array, Number, need, saved
from calibrant.blending._table import BlendSample
from calibrant.calibration._internal import ReplaceCertain, ScoredRows

# Chosen by benchmarks/default_quality.py on every second data set. Weights and biases: from 20 to 100 the loss changes
# by 0.1 points. Without the penalty on temperatures, members that are right on all of 118 rows of wine become certain,
# and the first error costs as much as the entropy of 20 rows; from 5 to 20 it hardly changes.
_WEIGHT_PENALTY, _BIAS_PENALTY, _TEMPERATURE_PENALTY = 50.0, 20.0, 10.0
_FARTHEST = 5.0  # of the logarithm of a temperature from 0
_MAX_STEPS, _CLOSE_ENOUGH = 50, 1e-4  # of a temperature on that scale
_LEAST_FELT = 0.01  # the share of a member in what moves log-odds: below, it is dropped
_LEAST = 1e-15


@saved(inline=True, inverse_temperature=Number(0, 1e50))
@dataclass(frozen=True, slots=True)
class MemberMap:
    """The log-probabilities of a member: certain ones replaced, then scaled and normalised."""

    certain: ReplaceCertain
    inverse_temperature: float

    def logs(self, proba: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log-probabilities that are weighted."""
        replaced = np.maximum(self.certain.apply(np.ascontiguousarray(proba)), _LEAST)
        return np.asarray(log_softmax(self.inverse_temperature * np.log(replaced), axis=1))


_UNKNOWN = MemberMap(ReplaceCertain(1e-3, 1 - 1e-3), 1.0)  # as Laplace's estimate of a thousand rows would be


@saved(
    inline=True,
    weights=Array("f8", finite=True, low=0, high=1e50),
    bias=Array("f8", finite=True, low=-1e150, high=1e150),
)
@dataclass(frozen=True, eq=False)
class LogLinearPool:
    """Fitted maps, weights and biases; without members, the base rates."""

    maps: tuple[MemberMap, ...]
    weights: NDArray[np.float64]
    bias: NDArray[np.float64]

    def _check_saved(self) -> None:
        need(len(self.maps) == len(self.weights) and len(self.bias) >= 1, "has other weights than members")
        need(all(each.certain.floor <= each.certain.ceiling for each in self.maps), "has a floor above the ceiling")

    def proba(self, tables: Sequence[NDArray[np.float64]], n_rows: int) -> NDArray[np.float64]:
        """Return the pooled probabilities of rows, from one table for each member."""
        logits = np.tile(self.bias, (n_rows, 1))
        for weight, each, table in zip(self.weights, self.maps, tables, strict=True):
            logits += weight * each.logs(table)
        return np.asarray(np.exp(log_softmax(logits, axis=1)))

    def only(self, members: Sequence[int]) -> LogLinearPool:
        """Return the pool with some of its members, their weights as they are."""
        return LogLinearPool(tuple(self.maps[i] for i in members), self.weights[list(members)], self.bias)


def fit_pool(
    tables: Sequence[NDArray[np.float64]],
    families: Sequence[str],
    sample: BlendSample,
    start: LogLinearPool | None = None,
) -> LogLinearPool:
    """Fit maps, weights and biases to held-out probabilities; members that hardly move it have no weight.

    Parameters
    ----------
    tables : sequence of arrays of shape (n_rows, n_classes)
        Each member's probabilities of the rows, made without their labels.
    families : sequence of str
        The family of each table: equal weights are those of families, whose tables share them.
    sample : BlendSample
        The classes and weights of the sample; of none, members have equal weights.

    Returns
    -------
    LogLinearPool
        The pool, with a weight for each table.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p, noise, row = rng.random(400), rng.random(400), np.arange(400)
    >>> sample = BlendSample(row, np.ones(400), row % 8, (rng.random(400) < p).astype(int), 2, row)
    >>> tables = [np.stack([1 - p, p], axis=1), np.stack([1 - noise, noise], axis=1)]
    >>> good, noise = fit_pool(tables, ["good", "noise"], sample).weights
    >>> good > 0.7, noise < 0.5
    (np.True_, np.True_)
    """
    equal = np.array([1.0 / (len(set(families)) * list(families).count(family)) for family in families])
    if tables and sample.n_pieces == 0:  # nothing is known of any member yet
        return LogLinearPool((_UNKNOWN,) * len(tables), equal, np.zeros(sample.n_classes))
    maps = tuple(_fit_map(table, sample) for table in tables)
    if not tables or sample.n_classes == 1:
        return LogLinearPool(maps, np.zeros(len(tables)), np.log(sample.base_rates))
    logs = np.stack([each.logs(table) for each, table in zip(maps, tables, strict=True)])
    at = (equal, np.zeros(sample.n_classes)) if start is None else (start.weights, start.bias)
    weights, bias = _minimize(logs, sample, equal, at)
    kept = _is_felt(weights, logs)
    if kept.any() and not kept.all():
        weights[~kept] = 0.0
        at = (weights[kept], bias)
        weights[kept], bias = _minimize(logs[kept], sample, equal[kept] / equal[kept].sum(), at)
    return LogLinearPool(maps, weights, bias)


def _is_felt(weights: NDArray[np.float64], logs: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether a member moves the log-odds: one of constant probabilities may keep a weight and do nothing."""
    moved = weights * logs.std(axis=1).mean(axis=1)
    return np.asarray(moved >= _LEAST_FELT * moved.sum()) & (weights > 0)


def _fit_map(table: NDArray[np.float64], sample: BlendSample) -> MemberMap:
    scores = table[:, 1:] if sample.n_classes == 2 else table
    codes, classes = sample.codes.astype(np.int32), np.arange(sample.n_classes)
    certain = ReplaceCertain.fit(ScoredRows(np.ascontiguousarray(scores), codes, classes, sample.weight))
    return MemberMap(certain, _inverse_temperature(MemberMap(certain, 1.0).logs(table), sample))


def _inverse_temperature(logs: NDArray[np.float64], sample: BlendSample) -> float:
    """Return the factor of least log-loss, drawn to 1 on the scale of its logarithm, by Newton's method."""
    actual, log_factor = logs[np.arange(sample.n_pieces), sample.codes], 0.0
    for _ in range(_MAX_STEPS):
        factor = float(np.exp(log_factor))
        proba = softmax(factor * logs, axis=1)
        mean = np.sum(proba * logs, axis=1)
        pull = factor * float(sample.weight @ (mean - actual))
        spread = float(sample.weight @ (np.sum(proba * logs**2, axis=1) - mean**2))
        # The second derivative without its negative term: steps are a little short, and always descend
        curvature = factor**2 * spread + max(pull, 0.0) + _TEMPERATURE_PENALTY
        step = (pull + _TEMPERATURE_PENALTY * log_factor) / curvature
        log_factor = float(np.clip(log_factor - np.clip(step, -1.0, 1.0), -_FARTHEST, _FARTHEST))
        if abs(step) < _CLOSE_ENOUGH:
            break
    return float(np.exp(log_factor))


def _minimize(
    logs: NDArray[np.float64],
    sample: BlendSample,
    equal: NDArray[np.float64],
    at: tuple[NDArray[np.float64], NDArray[np.float64]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weights and biases of least penalised log-loss."""
    n_members, _, n_classes = logs.shape
    actual = sample.weight[:, np.newaxis] * (sample.codes[:, np.newaxis] == np.arange(n_classes))

    def loss(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights, bias = point[:n_members], point[n_members:]
        pooled = log_softmax(np.tensordot(weights, logs, 1) + bias, axis=1)
        excess = sample.weight[:, np.newaxis] * np.exp(pooled) - actual
        value = -float(np.sum(actual * pooled))
        value += 0.5 * _WEIGHT_PENALTY * float(np.sum((weights - equal) ** 2)) + 0.5 * _BIAS_PENALTY * float(
            bias @ bias
        )
        of_weights = logs.reshape(n_members, -1) @ excess.ravel() + _WEIGHT_PENALTY * (weights - equal)
        return value, np.concatenate([of_weights, excess.sum(axis=0) + _BIAS_PENALTY * bias])

    bounds = [(0.0, None)] * n_members + [(None, None)] * n_classes
    # Bounded, as a negative weight would reverse a member; the loss is convex, so that any start leads to one minimum
    found = minimize(loss, np.concatenate(at), jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 500}).x
    return found[:n_members], found[n_members:]
