"""Quadratic scaling: a sigmoid of the log-odds and their square, kept from falling."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._params import Bool, Real, Rule
from calibrant.calibration._axis import Axis, find_axis, solve_increasing
from calibrant.calibration._base import ScoreMap, read_probabilities
from calibrant.calibration._logistic import Target, fit_logistic
from calibrant.calibration._logits import as_logits, from_logits
from calibrant.calibration._platt import platt_target
from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.calibration._scores import TwoClass

__all__ = ["QuadraticLogit"]


class QuadraticLogit(ScoreMap):
    """A sigmoid of ``quadratic_ x^2 + linear_ x + intercept_``, where x are the log-odds of the score.

    Platt's sigmoid with one more number, for a model whose log-odds are bent: of two slopes, one at each end. It pays
    from a few hundred rows on. The square is drawn towards 0 by `penalty`, so that few rows give almost Platt's.

    Scores out of [0, 1] are margins, brought to mean 0 and deviation 1 in place of log-odds.

    Parameters
    ----------
    penalty : float
        How strongly ``quadratic_`` is drawn to 0: ``penalty / 2 * quadratic_**2`` is added to the log-loss of all
        rows, as if it were known to be 0 give or take ``penalty ** -0.5``. In simulations with 50 to 5,000 rows and
        true curves of six kinds anything from 25 to 100 lost little to the best.
    monotone : bool
        Whether the map may not fall between the least and the greatest score in ``fit``; beyond these it goes on as a
        straight line of log-odds. Where the best parabola would fall, the best one that does not has its top or bottom
        at an end. False: the plain parabola.
    smooth : bool
        Whether the targets are Platt's, (N+ + 1) / (N+ + 2) and 1 / (N- + 2), or 1 and 0. With False, no penalty and
        ``monotone=False`` this is the quadratic scaling of the benchmark CalArena.

    Attributes
    ----------
    quadratic_, linear_, intercept_ : float
        The coefficients.
    low_, high_ : float
        The least and the greatest x in ``fit``.
    axis_ : dict
        How scores become x.

    Examples
    --------
    >>> calibrator = QuadraticLogit().fit([0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9], [0, 1, 0, 0, 1, 0, 1, 1])
    >>> calibrator.predict([0.2, 0.5, 0.8]).round(3)
    array([0.338, 0.494, 0.663])
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"penalty": Real(0), "monotone": Bool(), "smooth": Bool()}
    _learnt = ("quadratic_", "linear_", "intercept_", "low_", "high_", "axis_")

    quadratic_: float
    linear_: float
    intercept_: float
    low_: float
    high_: float
    axis_: dict[str, Any]

    def __init__(self, *, penalty: float = 50.0, monotone: bool = True, smooth: bool = True) -> None:
        self.penalty = penalty
        self.monotone = monotone
        self.smooth = smooth

    @property
    def is_monotone(self) -> bool:  # type: ignore[override]
        """Whether a greater score never has a smaller probability.

        Examples
        --------
        >>> QuadraticLogit().is_monotone, QuadraticLogit(monotone=False).is_monotone
        (True, False)
        """
        return bool(self.monotone)

    def _learn(self, sample: TwoClass) -> None:
        axis = find_axis(sample)
        x = axis.place(sample.scores)
        self.axis_, self.low_, self.high_ = axis.to_dict(), float(x.min()), float(x.max())
        target = platt_target(sample) if self.smooth else Target(sample.positive, weight=sample.weight)
        start = np.array([0.0, 0.0, _base_logit(target)])
        coef = fit_logistic([x, x * x], target, start, penalty=np.array([0.0, self.penalty, 0.0]))
        self.linear_, self.quadratic_, self.intercept_ = map(float, coef)
        if self.monotone and min(self._slope(self.low_), self._slope(self.high_)) < 0.0:
            self._learn_half(x, target)

    def _learn_half(self, x: NDArray[np.float64], target: Target) -> None:
        """Take the half of a parabola that rises from its bottom at the lower end, or to its top at the upper one.

        The loss is convex, so that the best map that does not fall has no slope at an end where the best of all falls.
        """
        for end, bend, falls in (
            (self.low_, 1.0, self._slope(self.low_) < 0),
            (self.high_, -1.0, self._slope(self.high_) < 0),
        ):
            penalty, start = np.array([self.penalty, 0.0]), np.array([0.0, _base_logit(target)])
            size, top = fit_logistic([bend * (x - end) ** 2], target, start, penalty=penalty) if falls else (0.0, 0.0)
            if size > 0.0:
                bent = bend * float(size)
                self.quadratic_, self.linear_, self.intercept_ = bent, -2 * bent * end, float(top) + bent * end**2
                return
        self.quadratic_, self.linear_, self.intercept_ = 0.0, 0.0, _base_logit(target)

    def _map(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return from_logits(self._log_odds(Axis(**self.axis_).place(scores)))

    def _log_odds(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        near = np.clip(x, self.low_, self.high_) if self.monotone else x
        curve = (self.quadratic_ * near + self.linear_) * near + self.intercept_
        return np.asarray(curve + self._slope(near) * (x - near))

    def _slope(self, x: Any) -> Any:
        return 2.0 * self.quadratic_ * x + self.linear_

    def inverse(self, proba: Any) -> NDArray[np.float64]:
        """Give the scores that have these probabilities.

        Parameters
        ----------
        proba : array of shape (n_rows,)
            Probabilities of the positive class.

        Returns
        -------
        array of shape (n_rows,)
            Scores, on the scale of those in ``fit``; one that no score reaches gets the end of the scale.

        Examples
        --------
        >>> calibrator = QuadraticLogit().fit([0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9], [0, 1, 0, 0, 1, 0, 1, 1])
        >>> calibrator.inverse(calibrator.predict([0.2, 0.7])).round(9)
        array([0.2, 0.7])
        """
        values = as_logits(read_probabilities(self, proba))
        if not self.monotone:
            raise DataError("a map with monotone=False may rise and fall, so that it has no inverse.")
        if self.quadratic_ == self.linear_ == 0.0:
            raise DataError("this map is constant, so that it has no inverse: the scores in fit told nothing.")
        axis = Axis(**self.axis_)
        return axis.back(solve_increasing(self._log_odds, values, *axis.ends()))


def _base_logit(target: Target) -> float:
    weight = np.ones(len(target.positive)) if target.weight is None else target.weight
    mean = float((weight * np.where(target.positive, target.high, target.low)).sum() / weight.sum())
    return math.log(mean / (1.0 - mean))
