"""Temperature scaling: all log-odds divided by one number (Guo, Pleiss, Sun & Weinberger 2017)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import softmax

from calibrant._docstrings import fill_docstring
from calibrant._saved import Number
from calibrant.calibration._base import Calibrator, learned, read_probabilities
from calibrant.calibration._fitting.logits import SCALE_FIELD, as_logits, as_logs, find_scale, from_logits, on_scale
from calibrant.calibration._fitting.replace_certain import CERTAIN_ATTRIBUTE, CERTAIN_FIELD, ReplaceCertainMixin
from calibrant.calibration._validation import ScoredRows, are_probabilities, check_has_inverse, read_named_scores
from calibrant.exceptions import DataError

_EXACT = 1e-13  # the relative error of the root
_COLDEST = 1e300  # the greatest 1 / T, whose products are still finite
_LARGEST = float(np.finfo(np.float64).max)


@learned(inverse_temperature_=Number(0), on_=SCALE_FIELD, certain_=CERTAIN_FIELD)
@fill_docstring(certain_attribute=CERTAIN_ATTRIBUTE)
class Temperature(ReplaceCertainMixin, Calibrator):
    """The softmax of the scores divided by a temperature, or the sigmoid for one column.

    It has one parameter, so a hundred rows are enough, and keeps the order of the classes of a row. For models that are
    over- or underconfident to the same degree everywhere, such as neural networks and boosted trees; it cannot correct
    a base rate. Probabilities, certain ones replaced first, are turned into their logarithms; other scores are taken as
    log-odds.

    The log-loss is convex in 1 / T and its minimum exact to a relative 1e-12. Scores that are worse than random get
    an infinite temperature: all classes equally likely. Where every row has its highest score at its own class, the
    colder the better, and the temperature is the one with the loss of Laplace's rule, ln((n + 2) / (n + 1)) a row.

    Attributes
    ----------
    inverse_temperature_ : float
        1 / T.
    on_ : "logit" or "score"
        Whether the scores were probabilities.
    %(certain_attribute)s

    Examples
    --------
    >>> calibrator = Temperature().fit([0.05, 0.02, 0.1, 0.9, 0.97, 0.99], [0, 0, 1, 1, 0, 1])
    >>> round(calibrator.temperature_, 3), calibrator.predict([0.1, 0.9]).round(3)
    (3.897, array([0.363, 0.637]))
    """

    _is_monotone = True

    @property
    def temperature_(self) -> float:
        """The divisor of the log-odds.

        Examples
        --------
        >>> Temperature().fit([1.0, 2.0, 3.0], ["b", "a", "a"]).temperature_
        inf
        """
        return math.inf if self.inverse_temperature_ == 0.0 else 1.0 / self.inverse_temperature_

    def _fit_scored(self, scored: ScoredRows) -> None:
        self.on_ = find_scale(scored.scores, "auto")
        self._fit_certain(scored, self.on_)
        gaps = _Gaps(_gaps(self._log_odds(scored.scores), scored.codes), scored.weights())
        self.inverse_temperature_ = _best(gaps)

    def _predict_table(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        log_odds = self._log_odds(table)
        with np.errstate(over="ignore"):
            if self.n_columns_ == 1:
                return from_logits(self.inverse_temperature_ * log_odds[:, 0])
            below = np.maximum(log_odds - log_odds.max(axis=1, keepdims=True), -_LARGEST)
            return np.asarray(softmax(self.inverse_temperature_ * below, axis=1))

    def _log_odds(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.n_columns_ == 1 or self.on_ == "score":
            return on_scale(self._replace_certain(table), self.on_)
        return as_logs(self._replace_certain(table))

    def inverse(self, proba: Any) -> NDArray[np.float64]:
        """Return the scores that have these probabilities.

        Parameters
        ----------
        proba : array of shape (n_rows,) or (n_rows, n_classes)
            Probabilities, as many columns as in ``fit``.

        Returns
        -------
        array of shape (n_rows,) or (n_rows, n_classes)
            Scores, on the scale of those in ``fit``; the log-odds of a row of several columns sum to 0.

        Examples
        --------
        >>> calibrator = Temperature().fit([0.05, 0.02, 0.1, 0.9, 0.97, 0.99], [0, 0, 1, 1, 0, 1])
        >>> calibrator.inverse(calibrator.predict([0.1, 0.7])).round(9)
        array([0.1, 0.7])
        """
        one = not hasattr(self, "n_columns_") or self.n_columns_ == 1
        log_odds = as_logits(read_probabilities(self, proba)) if one else as_logs(self._read_rows(proba))
        check_has_inverse(is_constant=self.inverse_temperature_ == 0.0)
        scores = log_odds / self.inverse_temperature_
        if self.on_ == "logit":
            return self._replace_certain(from_logits(scores) if one else np.asarray(softmax(scores, axis=1)))
        return scores if one else np.asarray(scores - scores.mean(1, keepdims=True))

    def _read_rows(self, proba: Any) -> NDArray[np.float64]:
        table = read_named_scores(proba, self.classes_)
        if table.shape[1] != self.n_columns_ or not are_probabilities(table):
            raise DataError(f"proba must have {self.n_columns_} columns of probabilities, and rows that sum to 1.")
        return table


class _Gaps:
    """The log-odds of the other classes above each row's own, scaled to at most 1, and the loss at some 1 / T."""

    def __init__(self, gaps: NDArray[np.float64], weight: NDArray[np.float64]) -> None:
        self.size = float(np.abs(gaps).max())
        self.rows, self.weight, self.total = gaps / (self.size or 1.0), weight, float(weight.sum())
        self.highest = self.rows.max(axis=1)

    def slope(self, inverse: float) -> float:
        """Return the derivative of the mean loss."""
        others, own = self._powers(inverse)
        if others.shape[1] == 1:  # sums over one column are slow
            slopes = others[:, 0] * self.rows[:, 0] / (own + others[:, 0])
        else:
            slopes = (others * self.rows).sum(axis=1) / (own + others.sum(axis=1))
        return float((self.weight * slopes).sum()) / self.total

    def beyond_laplace(self, inverse: float) -> float:
        """Return the loss of Laplace's rule less the mean loss beyond its limit for 1 / T to infinity."""
        others, own = self._powers(inverse)
        limit = np.log1p((self.rows == 0.0).sum(axis=1))
        excess = float((self.weight * (np.log1p(own - 1.0 + others.sum(axis=1)) - limit)).sum()) / self.total
        return math.log((self.total + 2.0) / (self.total + 1.0)) - excess

    def _powers(self, inverse: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return e^(gap / T) of each other class and of the own, scaled so that the greatest of a row is 1."""
        top = np.maximum(self.highest, 0.0) * inverse
        return np.exp(inverse * self.rows - top[:, np.newaxis]), np.exp(-top)


def _gaps(log_odds: NDArray[np.float64], codes: NDArray[np.int32]) -> NDArray[np.float64]:
    if log_odds.shape[1] == 1:
        return log_odds * np.where(codes == 1, -1.0, 1.0)[:, np.newaxis]
    own = codes[:, np.newaxis] == np.arange(log_odds.shape[1])
    with np.errstate(over="ignore"):
        above = np.clip(log_odds - log_odds[own][:, np.newaxis], -_LARGEST, _LARGEST)
    return np.asarray(above[~own].reshape(len(codes), -1))


def _best(gaps: _Gaps) -> float:
    """Return the 1 / T >= 0 of least loss; 1 where every row has equal scores, so there is nothing to scale."""
    if gaps.size == 0.0:
        return 1.0
    if gaps.slope(0.0) >= 0.0:
        return 0.0
    root = _root(gaps.slope if gaps.highest.max() > 0.0 else gaps.beyond_laplace)
    return min(root, gaps.size * _COLDEST) / gaps.size


def _root(increasing: Callable[[float], float]) -> float:
    """Return the root of an increasing function; 0 where it is not negative there."""
    low, high = 0.0, 1.0
    if increasing(low) >= 0.0:
        return low
    while increasing(high) < 0.0 and high < _COLDEST:
        low, high = high, 2.0 * high
    return float(brentq(increasing, low, high, xtol=_EXACT * high, rtol=_EXACT)) if increasing(high) >= 0.0 else high
