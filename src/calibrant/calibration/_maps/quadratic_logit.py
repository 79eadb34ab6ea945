"""Quadratic scaling: a sigmoid of the log-odds and their square, kept monotone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant._params import Bool, Real, Rule
from calibrant._saved import Number, need
from calibrant.calibration._base import LARGEST, ScoreMap, learned
from calibrant.calibration._fitting.axis import AXIS_FIELD, FARTHEST_SAVED, AxisMapMixin, find_axis
from calibrant.calibration._fitting.logistic import Target
from calibrant.calibration._maps.platt import platt_target
from calibrant.calibration._validation import BinaryScores, check_has_inverse
from calibrant.exceptions import DataError

_OUTER = 0.05  # rows on either side where the map is straight: a few scores of 0 or 1 would otherwise decide the bend
_NARROW = 1e-9  # between ends this close the map has no bend


@learned(
    **dict.fromkeys(("quadratic_", "linear_", "intercept_"), Number(-LARGEST, LARGEST)),
    **dict.fromkeys(("low_", "high_", "centre_"), Number(-FARTHEST_SAVED, FARTHEST_SAVED)),
    axis_=AXIS_FIELD,
)
class QuadraticLogit(AxisMapMixin, ScoreMap):
    """A sigmoid of ``quadratic_ d^2 + linear_ d + intercept_``, where d is the log-odds of the score minus ``centre_``.

    Platt's sigmoid with one more parameter, for a model whose log-odds are bent: with a different slope at each end. It
    is worth using from a few hundred rows on. The square is shrunk to 0 by `penalty`, so with few rows it is almost
    Platt's sigmoid.

    Scores outside [0, 1] are margins, standardized and used in place of log-odds.

    Parameters
    ----------
    penalty : float
        How strongly ``quadratic_`` is shrunk to 0: ``penalty / 2 * quadratic_**2`` is added to the log-loss of all
        rows, a normal prior with standard deviation ``penalty ** -0.5``. In simulations with 50 to 5,000 rows and
        true curves of six kinds anything from 25 to 100 lost little to the best.
    monotone : bool
        Whether the map is nondecreasing. It is then bent between the 5 % and the 95 % point of the scores in ``fit``
        only, with a straight line of log-odds on either side, so that a few scores of 0 or 1 do not decide its bend.
        Where the best such map would decrease, the best that does not is flat at an end. False: a parabola throughout.
    smooth : bool
        Whether the targets are Platt's, (N+ + 1) / (N+ + 2) and 1 / (N- + 2), or 1 and 0. With False, no penalty and
        ``monotone=False`` this is the quadratic scaling of the benchmark CalArena.

    Attributes
    ----------
    quadratic_, linear_, intercept_ : float
        The coefficients.
    low_, high_ : float
        Where the bend begins and ends.
    centre_ : float
        The flatter end of the bend, so that no rounding makes the map decrease; its middle where it may decrease.
    axis_ : dict
        How scores become log-odds.

    Examples
    --------
    >>> calibrator = QuadraticLogit().fit([0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9], [0, 1, 0, 0, 1, 0, 1, 1])
    >>> calibrator.predict([0.2, 0.5, 0.8]).round(3)
    array([0.338, 0.494, 0.663])
    >>> QuadraticLogit().is_monotone, QuadraticLogit(monotone=False).is_monotone
    (True, False)
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"penalty": Real(0), "monotone": Bool(), "smooth": Bool()}

    penalty: float = 50.0
    monotone: bool = True
    smooth: bool = True

    @property
    def _is_monotone(self) -> bool:  # type: ignore[override]
        return bool(self.monotone)

    def _learn(self, sample: BinaryScores) -> None:
        axis = find_axis(sample)
        x = axis.transform(sample.scores)
        self.axis_, (self.low_, self.high_) = axis.to_dict(), self._ends(x, sample)
        target = platt_target(sample) if self.smooth else Target(sample.positive, weight=sample.weight)
        negatives, positives = sample.totals()
        mean = (target.low * negatives + target.high * positives) / (negatives + positives)
        base = math.log(mean / (1.0 - mean))
        start = np.array([0.0, 0.0, base])
        self.centre_ = (self.low_ + self.high_) / 2
        columns = [x - self.centre_, self._bend(x, self.centre_)]
        coef = target.fit(columns, start, penalty=np.array([0.0, self.penalty, 0.0]))
        self.linear_, self.quadratic_, self.intercept_ = coef.tolist()
        if self.monotone:
            self._make_nondecreasing(x, target, base)

    def _make_nondecreasing(self, x: NDArray[np.float64], target: Target, base: float) -> None:
        """Write the map from its flatter end; replace it by one that is flat there if it decreases.

        The loss is convex: the best monotone map has slope 0 at an end where the best of all maps decreases.
        """
        middle = self.centre_
        slopes = {end: 2.0 * self.quadratic_ * (end - middle) + self.linear_ for end in (self.low_, self.high_)}
        if min(slopes.values()) >= 0.0:
            end = self.low_ if self.quadratic_ >= 0.0 else self.high_
            self.intercept_ += (self.quadratic_ * (end - middle) + self.linear_) * (end - middle)
            self.linear_, self.centre_ = slopes[end], end
            return
        self.linear_, self.quadratic_, self.intercept_ = 0.0, 0.0, base
        for end, sign in ((self.low_, 1.0), (self.high_, -1.0)):
            if slopes[end] < 0.0 and self.quadratic_ == 0.0:
                self._fit_flat_end(end, sign, x, target, base)

    def _fit_flat_end(self, end: float, sign: float, x: NDArray[np.float64], target: Target, base: float) -> None:
        """Fit the best monotone map that is flat at an end, and keep it if it is not flat throughout."""
        column, penalty = sign * self._bend(x, end), np.array([self.penalty, 0.0])
        size, intercept = target.fit([column], np.array([0.0, base]), penalty=penalty).tolist()
        if size > 0.0:
            self.quadratic_, self.intercept_, self.centre_ = sign * size, intercept, end

    def _ends(self, x: NDArray[np.float64], sample: BinaryScores) -> tuple[float, float]:
        """Return the positions between which the map is bent: of all rows but a twentieth on either side."""
        if not self.monotone:
            return float(x.min()), float(x.max())
        low, high = _quantiles(x, sample.weight, (_OUTER, 1.0 - _OUTER))
        return (low, high) if high - low > _NARROW else (low, low)

    def _bend(self, x: NDArray[np.float64], centre: float) -> NDArray[np.float64]:
        """Return the squared distance from a position; for a monotone map its tangent beyond the ends."""
        near = np.clip(x, self.low_, self.high_) if self.monotone else x
        return np.asarray((near - centre) * (2.0 * x - near - centre))

    def _log_odds(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        bent = self.quadratic_ * self._bend(x, self.centre_)
        return np.asarray(bent + self.linear_ * (x - self.centre_) + self.intercept_)

    def _check_invertible(self) -> None:
        if not self.monotone:
            raise DataError("a map with monotone=False may increase and decrease, so it has no inverse.")
        check_has_inverse(is_constant=self.quadratic_ == self.linear_ == 0.0)

    def _check_learned(self) -> None:
        super()._check_learned()
        need(self.low_ <= self.high_, "has ends that are not in order")


def _quantiles(x: NDArray[np.float64], weight: NDArray[np.float64] | None, shares: Sequence[float]) -> list[float]:
    """Return, for each share, the least position that at least this share of the weight does not exceed."""
    if weight is None:
        numbers = [max(math.ceil(share * len(x)) - 1, 0) for share in shares]
        return [float(value) for value in np.partition(x, numbers)[numbers]]
    order = np.argsort(x, kind="stable")
    up_to = np.cumsum(weight[order])
    return [float(x[order[np.searchsorted(up_to, share * up_to[-1])]]) for share in shares]
