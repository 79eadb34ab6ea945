"""Sums of money with intervals: by the bootstrap (BCa; Efron 1987), and of what miscalibration loses.

The interval of a loss has a lower end that chance alone rarely lifts above 0, and an upper bound. Cross-fitting shows a
loss from below: a map fitted to some rows and evaluated on others gains at most what the best map would, in
expectation. From above the loss is bounded by the maps that the rows do not rule out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from calibrant._params import CONFIDENCE, Choice, Int, Nothing, check_param
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant._threads import n_threads
from calibrant.calibration._internal import (
    DiagonalLoss,
    Penalty,
    Target,
    softmax_rows,
)
from calibrant.data._internal import warn_of_weights
from calibrant.decisions._expected_cost import CostedPredictions
from calibrant.metrics._internal import BootstrapPlan, Predictions, bca_interval

_RULES = {
    "weight_kind": Choice("frequency", "probability"),
    "confidence": CONFIDENCE | Nothing(),
    "n_boot": Int(1),
}


@dataclass(frozen=True, repr=False)
class Money:
    """A sum of money with its interval.

    Parameters
    ----------
    value : float
        The sum over the rows.
    low, high : float or None
        Ends of the confidence interval of the expected sum over as many rows; None where none was requested.

    Examples
    --------
    >>> Money(1234.5, 1000.0, 1400.25)
    1,234.50 [1,000.00, 1,400.25]
    """

    value: float
    low: float | None = None
    high: float | None = None

    def __neg__(self) -> Money:
        """Return the sum with the opposite sign.

        Examples
        --------
        >>> -Money(3.0, 1.0, 4.0)
        -3.00 [-4.00, -1.00]
        """
        ends = (None if end is None else 0.0 - end for end in (self.high, self.low))
        return Money(0.0 - self.value, *ends)

    def __repr__(self) -> str:
        ends = "" if self.low is None or self.high is None else f" [{_to_cents(self.low)}, {_to_cents(self.high)}]"
        return f"{_to_cents(self.value)}{ends}"


def _to_cents(value: float) -> str:
    """Return a sum as text to the cent, never as -0.00."""
    return f"{round(value, 2) + 0.0:,.2f}"


@dataclass(frozen=True)
class IntervalOptions:
    """Options of the bootstrap intervals.

    Parameters
    ----------
    weight_kind : {"frequency", "probability"}
        Whether a weight of 2 means the row twice, or a row that represents two of the population; the latter are
        resampled within their classes.
    groups : sequence or None
        The cluster of each row; whole clusters are resampled.
    confidence : float or None
        Confidence of the intervals; None for no intervals.
    n_boot : int
        Number of bootstrap replicates.
    random_state : seed
        Seed of the resampling.

    Examples
    --------
    >>> IntervalOptions(confidence=None).check()
    """

    weight_kind: Any = "frequency"
    groups: Any = None
    confidence: float | None = 0.95
    n_boot: int = 1000
    random_state: SeedLike = 0

    def check(self) -> None:
        """Raise if an option is invalid."""
        for name, rule in _RULES.items():
            check_param(name, getattr(self, name), rule)

    def for_rows(self, read: Predictions) -> BootstrapPlan:
        """Return the rows together with the way they are resampled."""
        group = None if self.groups is None else read.read_codes("groups", self.groups)[0]
        if self.weight_kind == "frequency" and self.confidence is not None:
            warn_of_weights(read.weights)
        return BootstrapPlan(
            read,
            group,
            self.weight_kind,
            self.weight_kind == "probability",
            self.n_boot,
            self.confidence,
            seed_sequence(self.random_state),
            n_threads(None),
        )


def totals(read: Predictions, values: Mapping[Any, NDArray[np.float64]], options: IntervalOptions) -> dict[Any, Money]:
    """Sum values over the rows, with BCa intervals that share their bootstrap replicates.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> read = read_predictions([0, 1, 1], [0.2, 0.7, 0.6], sample_weight=[1, 1, 2])
    >>> totals(read, {"profit": np.array([-1.0, 4.0, 4.0])}, IntervalOptions(confidence=None))
    {'profit': 11.00}
    """
    sums = {name: float((read.weight * value).sum()) for name, value in values.items()}
    if options.confidence is None:
        return {name: Money(value) for name, value in sums.items()}
    plan = options.for_rows(read)
    replicates, left_out = plan.replicate_means([np.ascontiguousarray(value) for value in values.values()])
    money = {}
    for column, (name, value) in enumerate(sums.items()):
        jackknife = None if left_out is None else read.total * left_out[:, column]
        ends = bca_interval(value, read.total * replicates[:, column], jackknife, options.confidence)
        money[name] = Money(value, *ends)
    return money


_DRAWS = 400  # of maps, for the upper bound: its quantile at 97.5 % then has a standard error of 0.8 points
_MOST_ROWS = 10_000  # on which the loss of each draw is computed; more change the bound by less than its own error
_RIDGE = 1e-12  # part of the variance, added where rounding makes a covariance indefinite
_PRIOR_VARIANCE = 4.0  # of slopes and intercepts around the identity: weak, but finite where classes are separable


def loss_interval(costed: CostedPredictions, after: NDArray[np.intp], gain: Money, options: IntervalOptions) -> Money:
    """Return the gain of recalibrated decisions with an interval of what miscalibration loses.

    The bootstrap interval of the gain takes the maps as fixed and knows no outcome that did not occur: where a few
    decisions change it excludes 0 too often, and where none does it is [0, 0]. Its lower end is kept above 0 only where
    the gain is also improbable for calibrated probabilities, and its upper end is at least that of `largest_loss`.

    Parameters
    ----------
    costed : CostedPredictions
        The predictions, with costs.
    after : array of shape (n_rows,)
        The decisions by recalibrated probabilities.
    gain : Money
        What these earn in excess of the present ones, with its bootstrap interval.
    options : IntervalOptions
        Options of the intervals.

    Returns
    -------
    Money
        The same value, with an interval of the loss.
    """
    if gain.low is None or gain.high is None or options.confidence is None:
        return gain
    is_chance = gain.value <= chance_gain(costed, after, options)
    low = min(gain.low, 0.0) if is_chance else gain.low
    return Money(gain.value, low, max(gain.high, largest_loss(costed, options)))


def chance_gain(costed: CostedPredictions, after: NDArray[np.intp], options: IntervalOptions) -> float:
    """Return the gain that other decisions exceed with a probability of (1 - confidence) / 2 by chance.

    The classes of rows have the predicted probabilities then, and the sum over the changed rows a distribution of known
    mean, variance and skewness; its quantile is that of Cornish & Fisher (1938), to the first order.
    """
    read, before = costed.predictions, costed.decisions()
    rows = np.flatnonzero(before != after)
    if not len(rows):
        return 0.0
    proba, weight = read.proba[rows], read.weight[rows]
    gains = np.stack([_gains_of_class(costed, rows, before, after, k) for k in range(read.n_classes)], axis=1)
    mean = (proba * gains).sum(axis=1)
    variance, third = ((proba * (gains - mean[:, np.newaxis]) ** power).sum(axis=1) for power in (2, 3))
    is_copies = options.weight_kind == "frequency"  # a weight of 2 is two independent rows, or one that counts twice
    spread = float(np.sqrt((weight if is_copies else weight**2) @ variance))
    group = options.for_rows(read).group
    if group is not None:  # rows of a group may have like outcomes
        error = gains[np.arange(len(rows)), read.label[rows]] - mean
        spread = max(spread, float(np.linalg.norm(np.bincount(group[rows], weight * error))))
    skewness = (weight if is_copies else weight**3) @ third / spread**3 if spread > 0 else 0.0
    z = float(ndtri(0.5 + (options.confidence or 0.95) / 2.0))
    return float(weight @ mean + spread * (z + (z**2 - 1.0) * skewness / 6.0))


def _gains_of_class(
    costed: CostedPredictions, rows: NDArray[np.intp], before: NDArray[np.intp], after: NDArray[np.intp], label: int
) -> NDArray[np.float64]:
    """Return the gain of the new decisions of some rows if all rows are of one class."""
    certain = np.zeros((len(rows), costed.predictions.n_classes))
    certain[:, label] = 1.0
    costs, each = costed.expected_costs(certain, rows), np.arange(len(rows))
    return np.asarray(costs[each, before[rows]] - costs[each, after[rows]])


def largest_loss(costed: CostedPredictions, options: IntervalOptions) -> float:
    """Return an upper confidence bound of what miscalibration loses.

    Maps softmax(v * ln p + b), for two classes those of beta calibration, are drawn from the normal approximation to
    their distribution given the rows; the loss under each is what the present decisions cost in excess of the best
    ones if the map were right. It is convex in the map, so its quantiles are biased upwards.
    """
    read, rng = costed.predictions, stream(seed_sequence(options.random_state), 8)  # apart from folds and bootstrap
    proba = np.where(read.proba > 0.0, read.proba, 1.0 / (read.total + 2.0))
    logs, group = np.log(proba), options.for_rows(read).group
    centre, root = _map_distribution(logs, read, group, is_copies=options.weight_kind == "frequency")
    rows = np.arange(read.n_rows)
    rows = rows if read.n_rows <= _MOST_ROWS else np.sort(rng.choice(rows, _MOST_ROWS, replace=False))
    each, before = np.arange(len(rows)), costed.decisions()[rows]
    chosen, losses = logs[rows], np.empty(_DRAWS)
    unit, n_units = (each, len(rows)) if group is None else (group[rows], int(group.max()) + 1)
    for draw in range(_DRAWS):
        slopes, intercepts = (centre + root @ rng.standard_normal(len(centre))).reshape(2, -1)
        costs = costed.expected_costs(softmax_rows(chosen * slopes + intercepts), rows)
        lost = costs[each, before] - costs.min(axis=1)
        # Weights of the Bayesian bootstrap, of rows or of whole groups
        share = read.weight[rows] * rng.standard_exponential(n_units)[unit]
        losses[draw] = read.total * (share @ lost) / share.sum()
    return float(np.quantile(losses, (1.0 + (options.confidence or 0.95)) / 2.0))


def _map_distribution(
    logs: NDArray[np.float64], read: Predictions, group: NDArray[Any] | None, *, is_copies: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the fitted slopes and intercepts, and a square root of their covariance."""
    n_classes = read.n_classes
    centre, hessian = _fit_two(logs, read) if n_classes == 2 else _fit_several(logs, read)
    precision = np.full(2 * n_classes, 1.0 / _PRIOR_VARIANCE)
    covariance = np.linalg.inv(hessian + np.diag(precision))
    if group is not None or not is_copies:
        slopes, intercepts = centre.reshape(2, -1)
        residual = np.eye(n_classes)[read.label] - softmax_rows(logs * slopes + intercepts)
        scores = np.hstack([residual * logs, residual]) * read.weight[:, np.newaxis]
        if group is not None:
            scores = np.stack([np.bincount(group, column) for column in scores.T], axis=1)
        covariance = covariance @ (scores.T @ scores + np.diag(precision)) @ covariance
    floor = _RIDGE * np.trace(covariance) * np.eye(2 * n_classes)
    return centre, np.linalg.cholesky((covariance + covariance.T) / 2.0 + floor)


def _fit_several(logs: NDArray[np.float64], read: Predictions) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return slopes and intercepts, and the Hessian of the loss of all rows without the prior's."""
    n_classes = read.n_classes
    prior = Penalty(np.full(2 * n_classes, 0.5 / (_PRIOR_VARIANCE * read.total)), np.repeat([1.0, 0.0], n_classes))
    loss = DiagonalLoss(logs, read.label, read.weights)
    centre = loss.fit(prior)
    return centre, read.total * loss.hessian(np.exp(loss.log_proba(centre)))


def _fit_two(logs: NDArray[np.float64], read: Predictions) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the same for two classes, by logistic regression on both logarithms, in a tenth of the time.

    Only the difference of the intercepts matters, of twice the prior's variance; each is half of it.
    """
    columns = [np.ascontiguousarray(-logs[:, 0]), np.ascontiguousarray(logs[:, 1])]
    target, start = Target(read.label == 1, weight=read.weights), np.array([1.0, 1.0, 0.0])
    penalty = np.array([1.0, 1.0, 0.5]) / _PRIOR_VARIANCE
    coef = target.fit(columns, start, penalty=penalty, towards=start)
    parts = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, -1.0, 1.0]])  # of each coefficient
    hessian = parts.T @ target.hessian(columns, coef) @ parts
    return np.array([coef[0], coef[1], -coef[2] / 2.0, coef[2] / 2.0]), hessian
