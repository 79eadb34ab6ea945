"""Spline calibration: a smooth curve of log-odds over log-odds, as bent as the rows warrant (after Lucena 2018)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.linalg.lapack import dposv

from calibrant._params import Int, Rule
from calibrant.calibration._base import ScoreMap
from calibrant.calibration._fitting.axis import Axis, find_axis
from calibrant.calibration._fitting.logits import from_logits
from calibrant.calibration._fitting.natural_spline import SplineLoss, Sums, curve_through, never_falls, place_knots
from calibrant.calibration._fitting.ties import pool_ties
from calibrant.calibration._maps.platt import platt_target

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.calibration._validation import BinaryRows

__all__ = ["Spline"]

_APART = 1e-3  # knots nearer than this share of the range are one
_PENALTIES = 10.0 ** np.arange(2.0, -8.25, -0.5)  # a row, of the roughness of a curve over a range of 1
_ENOUGH = 4
_DEAR = 1.4  # Kim & Gu 2004: a degree of freedom costs more than its expectation, or curves are too rough
_ROUNDS, _LEAST_STEP, _DECREASE, _NEAR = 100, 1e-10, 1e-4, 1e-10
_ROUNDING, _SINGULAR = 1e-14, 1e-13
_SURE = 1e-3  # the least of Cholesky's diagonal, of a matrix with ones on its own, by which nothing is singular


class Spline(ScoreMap):
    """A natural cubic spline of the log-odds of the score, smoothed by a penalty that the rows choose.

    For models whose log-odds are bent in more than one place, from about 500 rows on; with fewer, or where there is
    nothing to bend, it comes near to Platt's sigmoid, which an infinite penalty makes of it. It may fall in places, so
    that ranks can change. Beyond the scores in ``fit`` it goes on as a straight line of log-odds.

    The log-loss, with Platt's targets, is penalised by the integral of the squared second derivative. The penalty is
    the one, of up to 21, of least generalised cross-validation in its form for a known variance (UBRE: the loss plus
    1.4 for each degree of freedom; Kim & Gu 2004). They are tried from the greatest down until four in a row do worse,
    each by Newton's method over all rows; nothing is binned.

    Scores out of [0, 1] are margins, brought to mean 0 and deviation 1 in place of log-odds.

    Parameters
    ----------
    n_knots : int
        At most how many knots, at quantiles of the scores.

    Attributes
    ----------
    knots_, values_ : array
        Places, and the log-odds of the map there.
    penalty_ : float
        The penalty chosen, a row.
    degrees_ : float
        The degrees of freedom that it leaves; 2 is a straight line.
    axis_ : dict
        How scores become places.

    Examples
    --------
    >>> import numpy as np
    >>> score = np.linspace(0.01, 0.99, 99)
    >>> spline = Spline().fit(score, score > 0.3 + 0.4 * np.sin(40 * score))
    >>> spline.predict([0.1, 0.5, 0.9]).round(2), round(spline.degrees_, 1)
    (array([0.25, 0.75, 0.96]), 2.0)
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"n_knots": Int(2, 100)}
    _learnt = ("knots_", "values_", "penalty_", "degrees_", "axis_")

    knots_: NDArray[np.float64]
    values_: NDArray[np.float64]
    penalty_: float
    degrees_: float
    axis_: dict[str, Any]

    def __init__(self, *, n_knots: int = 10) -> None:
        self.n_knots = n_knots

    @property
    def is_monotone(self) -> bool:
        """Whether a greater score never has a smaller probability, as was learnt; False before.

        Examples
        --------
        >>> Spline().is_monotone, Spline().fit([0.2, 0.3, 0.6, 0.9], [0, 1, 0, 1]).is_monotone
        (False, True)
        """
        return hasattr(self, "knots_") and never_falls(self.knots_, self.values_)

    def _learn(self, sample: BinaryRows) -> None:
        axis, pooled, target = find_axis(sample), pool_ties(sample), platt_target(sample)
        places, self.axis_ = axis.place(pooled.scores), axis.to_dict()
        goal = target.low + (target.high - target.low) * pooled.positive / pooled.weight
        base = float((pooled.weight * goal).sum() / pooled.weight.sum())
        self.knots_ = place_knots(places, pooled.weight, self.n_knots, _APART)
        self.values_ = np.full(len(self.knots_), math.log(base / (1.0 - base)))
        self.penalty_, self.degrees_ = float(_PENALTIES[0]), 1.0
        if len(self.knots_) > 1:
            self._smooth(places, pooled.weight, goal)

    def _smooth(self, places: NDArray[np.float64], weight: NDArray[np.float64], goal: NDArray[np.float64]) -> None:
        low, wide, total = self.knots_[0], self.knots_[-1] - self.knots_[0], float(weight.sum())
        loss = SplineLoss((self.knots_ - low) / wide, (places - low) / wide, weight, goal)
        amounts = loss.shapes.T @ self.values_
        sums, least, worse = loss.sums(amounts), math.inf, 0
        for penalty in _PENALTIES:
            rough = total * penalty * loss.roughness
            amounts, sums = _fit(loss, rough, amounts, sums)
            degrees = float(np.trace(_solve(sums.hessian, rough, sums.hessian)))
            worse += 1
            if sums.loss + _DEAR * degrees < least:
                least, worse = sums.loss + _DEAR * degrees, 0
                self.values_, self.penalty_, self.degrees_ = loss.shapes @ amounts, float(penalty), degrees
            if worse == _ENOUGH:
                break

    def _map(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return from_logits(curve_through(self.knots_, self.values_, Axis(**self.axis_).place(scores)))


def _fit(
    loss: SplineLoss, rough: NDArray[np.float64], amounts: NDArray[np.float64], here: Sums
) -> tuple[NDArray[np.float64], Sums]:
    """Take Newton steps, halved until the loss falls enough, from where the sums are known."""
    for _ in range(_ROUNDS):
        gradient = here.gradient + rough * amounts
        direction = -_solve(here.hessian, rough, gradient)
        slope, before = float(gradient @ direction), here.loss + 0.5 * float(rough @ amounts**2)
        step = 1.0
        while step >= _LEAST_STEP:
            moved = amounts + step * direction
            there = loss.sums(moved)
            if there.loss + 0.5 * float(rough @ moved**2) <= before * (1.0 + _ROUNDING) + _DECREASE * step * slope:
                break
            step /= 2
        else:
            break
        amounts, here = moved, there
        if -slope <= _NEAR * max(1.0, before):
            break
    return amounts, here


def _solve(hessian: NDArray[np.float64], rough: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Solve with the penalty on the diagonal, each shape in a unit of its own; what no row tells stays as it is."""
    diagonal = np.diagonal(hessian) + rough
    units = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    scaled, wanted = (hessian + np.diag(rough)) * units * units[:, np.newaxis], (units * right.T).T
    factor, found, is_short = dposv(scaled, wanted)
    if is_short or np.diagonal(factor).min() < _SURE:
        found = np.linalg.lstsq(scaled, wanted, rcond=_SINGULAR)[0]
    return np.asarray((units * found.T).T)
