"""Spline calibration: a smooth curve of log-odds over log-odds, its smoothness chosen by the rows (Lucena 2018)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv

from calibrant._params import Int, Rule
from calibrant._saved import Array, Number, need
from calibrant.calibration._base import ScoreMap, learned
from calibrant.calibration._fitting.axis import AXIS_FIELD, FARTHEST_SAVED, ScoreAxis, check_axis, find_axis
from calibrant.calibration._fitting.bins import pool_ties
from calibrant.calibration._fitting.logistic import LossDerivatives
from calibrant.calibration._fitting.logits import from_logits
from calibrant.calibration._fitting.natural_spline import (
    SplineLoss,
    choose_knots,
    evaluate_spline,
    is_nondecreasing,
)
from calibrant.calibration._maps.platt import platt_target
from calibrant.calibration._validation import BinaryScores

_APART = 1e-3  # knots nearer than this part of the range make the equations nearly singular
_PENALTIES = 10.0 ** np.arange(2.0, -8.25, -0.5)  # per row, from a straight line to hardly any penalty
_PATIENCE = (
    4  # penalties without improvement before the search ends: saves time, as the criterion rarely has two minima
)
_PRICE_OF_DEGREE = 1.4  # Kim & Gu 2004: with 1, the expectation, curves are often too rough
_MAX_STEPS, _LEAST_STEP, _DECREASE, _NEAR = 100, 1e-10, 1e-4, 1e-10  # as in _fitting/logistic.py
_ROUNDING, _SINGULAR = 1e-14, 1e-13  # relative errors of a sum of losses and of a solution
_REGULAR = 1e-3  # a Cholesky factor of a matrix of unit diagonal, with a diagonal above this, is far from singular
_NARROWEST = 1e-9  # of the range of the knots in a model file, which are at least a thousandth of it apart


@learned(
    knots_=Array("f8", finite=True, low=-FARTHEST_SAVED, high=FARTHEST_SAVED),
    values_=Array("f8", finite=True, low=-1e100, high=1e100),
    penalty_=Number(0),
    degrees_=Number(),
    axis_=AXIS_FIELD,
)
class Spline(ScoreMap):
    """A natural cubic spline of the log-odds of the score, with a smoothing penalty chosen by the rows.

    For models whose log-odds are bent in more than one place, from about 500 rows on; with fewer, or where there is
    nothing to bend, it comes near to Platt's sigmoid, its limit for an infinite penalty. It may decrease in places, so
    that ranks can change. Beyond the scores in ``fit`` it continues as a straight line of log-odds.

    The log-loss, with Platt's targets, is penalised by the integral of the squared second derivative. The penalty is
    the one, of up to 21, of least generalised cross-validation in its form for a known variance (UBRE: the loss plus
    1.4 for each degree of freedom; Kim & Gu 2004). They are tried from the greatest down until four in a row do worse,
    each by Newton's method over all rows; nothing is binned.

    Scores outside [0, 1] are margins, standardized and used in place of log-odds.

    Parameters
    ----------
    n_knots : int
        The greatest number of knots, at quantiles of the scores.

    Attributes
    ----------
    knots_, values_ : array
        Positions on the axis, and the log-odds of the map there.
    penalty_ : float
        The penalty chosen, per row.
    degrees_ : float
        The degrees of freedom that it leaves; 2 is a straight line.
    axis_ : dict
        How scores become positions.

    Examples
    --------
    >>> import numpy as np
    >>> score = np.linspace(0.01, 0.99, 99)
    >>> spline = Spline().fit(score, score > 0.3 + 0.4 * np.sin(40 * score))
    >>> spline.predict([0.1, 0.5, 0.9]).round(2), round(spline.degrees_, 1)
    (array([0.25, 0.75, 0.96]), 2.0)
    >>> Spline().is_monotone, Spline().fit([0.2, 0.3, 0.6, 0.9], [0, 1, 0, 1]).is_monotone
    (False, True)
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"n_knots": Int(2, 100)}

    n_knots: int = 10

    @property
    def _is_monotone(self) -> bool:  # type: ignore[override]
        return hasattr(self, "knots_") and is_nondecreasing(self.knots_, self.values_)

    def _learn(self, sample: BinaryScores) -> None:
        axis, pooled, target = find_axis(sample), pool_ties(sample), platt_target(sample)
        positions, self.axis_ = axis.transform(pooled.scores), axis.to_dict()
        goals = target.low + (target.high - target.low) * pooled.positive / pooled.weight
        base = float((pooled.weight * goals).sum() / pooled.weight.sum())
        self.knots_ = choose_knots(positions, pooled.weight, self.n_knots, _APART)
        self.values_ = np.full(len(self.knots_), math.log(base / (1.0 - base)))
        self.penalty_, self.degrees_ = float(_PENALTIES[0]), 1.0
        if len(self.knots_) > 1:
            self._smooth(positions, pooled.weight, goals)

    def _smooth(self, positions: NDArray[np.float64], weight: NDArray[np.float64], goals: NDArray[np.float64]) -> None:
        low, wide, total = self.knots_[0], self.knots_[-1] - self.knots_[0], float(weight.sum())
        loss = SplineLoss((self.knots_ - low) / wide, (positions - low) / wide, weight, goals)
        amounts = loss.shapes.T @ self.values_
        sums, least, worse = loss.derivatives(amounts), math.inf, 0
        for penalty in _PENALTIES:
            ridge = total * penalty * loss.roughness
            amounts, sums = _fit(loss, ridge, amounts, sums)
            degrees = float(np.trace(_solve(sums.hessian, ridge, sums.hessian)))
            worse += 1
            if sums.loss + _PRICE_OF_DEGREE * degrees < least:
                least, worse = sums.loss + _PRICE_OF_DEGREE * degrees, 0
                self.values_, self.penalty_, self.degrees_ = loss.shapes @ amounts, float(penalty), degrees
            if worse == _PATIENCE:
                break

    def _map(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return from_logits(evaluate_spline(self.knots_, self.values_, ScoreAxis(**self.axis_).transform(scores)))

    def _check_learned(self) -> None:
        super()._check_learned()
        check_axis(self.axis_)
        knots = self.knots_
        need(len(knots) == len(self.values_) >= 1, "has other values than knots")
        need((np.diff(knots) > _NARROWEST * (knots[-1] - knots[0])).all(), "has knots that are not in order")


def _fit(
    loss: SplineLoss, ridge: NDArray[np.float64], amounts: NDArray[np.float64], here: LossDerivatives
) -> tuple[NDArray[np.float64], LossDerivatives]:
    """Take Newton steps, halved until the loss decreases enough, from where the derivatives are known."""
    for _ in range(_MAX_STEPS):
        gradient = here.gradient + ridge * amounts
        direction = -_solve(here.hessian, ridge, gradient)
        slope, before = float(gradient @ direction), here.loss + 0.5 * float((ridge * amounts) @ amounts)
        step = 1.0
        while step >= _LEAST_STEP:
            moved = amounts + step * direction
            there = loss.derivatives(moved)
            after = there.loss + 0.5 * float((ridge * moved) @ moved)  # squares of far moves overflow without a ridge
            if after <= before * (1.0 + _ROUNDING) + _DECREASE * step * slope:
                break
            step /= 2
        else:
            break
        amounts, here = moved, there
        if -slope <= _NEAR * max(1.0, before):
            break
    return amounts, here


def _solve(hessian: NDArray[np.float64], ridge: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Solve with the penalty on the diagonal, scaled to a unit diagonal; directions that the rows leave open stay 0."""
    diagonal = np.diagonal(hessian) + ridge
    units = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    scaled, wanted = (hessian + np.diag(ridge)) * units * units[:, np.newaxis], (units * right.T).T
    factor, found, is_short = dposv(scaled, wanted)
    if is_short or np.diagonal(factor).min() < _REGULAR:
        found = np.linalg.lstsq(scaled, wanted, rcond=_SINGULAR)[0]
    return np.asarray((units * found.T).T)
