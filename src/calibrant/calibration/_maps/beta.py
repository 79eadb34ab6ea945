"""Beta calibration: the log-odds as a weighted sum of ln p and -ln(1 - p) (Kull, Silva Filho & Flach 2017)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calibrant._params import Choice, Rule
from calibrant._saved import Number
from calibrant.calibration._base import LARGEST, ScoreMap, learned
from calibrant.calibration._fitting.axis import AXIS_FIELD, AxisMapMixin, find_axis
from calibrant.calibration._fitting.logistic import Target
from calibrant.calibration._validation import BinaryScores, check_has_inverse

Form: TypeAlias = Literal["abm", "am", "ab"]

_PENALTY = 1e-11  # that of the authors' package betacal, which is scikit-learn's LogisticRegression(C=99999999999)


@learned(a_=Number(0, LARGEST), b_=Number(0, LARGEST), intercept_=Number(-LARGEST, LARGEST), axis_=AXIS_FIELD)
class Beta(AxisMapMixin, ScoreMap):
    """The map that is exact where the scores of each class follow a beta distribution.

    The log-odds are ``a_ ln 2p - b_ ln 2(1 - p) + intercept_``, with neither coefficient below 0, so the map is
    monotone. It bends each end of [0, 1] on its own, and the identity (a = b = 1, intercept 0) is one of its shapes:
    among the safest maps for probabilities, from a few hundred rows on. Without penalty except for 1e-11, as in the
    authors' package; where that leaves a coefficient negative, ours is 0.

    Scores outside [0, 1] are margins. They are standardized and taken as log-odds: the map is then
    a sigmoid with one slope far to the left and another far to the right. With ``form="ab"`` 0 stays the middle.

    Parameters
    ----------
    form : "abm", "am" or "ab"
        All three parameters; one slope on both sides (a sigmoid of the log-odds); no intercept (1/2 stays 1/2).

    Attributes
    ----------
    a_, b_, intercept_ : float
        The coefficients.
    axis_ : dict
        How scores become log-odds.

    Examples
    --------
    >>> beta = Beta().fit([0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9], [0, 1, 0, 0, 1, 0, 1, 1])
    >>> beta.predict([0.2, 0.5, 0.8]).round(3)
    array([0.244, 0.429, 0.795])
    """

    _is_monotone = True

    _rules: ClassVar[Mapping[str, Rule]] = {"form": Choice("abm", "am", "ab")}

    form: Form = "abm"

    def _learn(self, sample: BinaryScores) -> None:
        axis = find_axis(sample, centred=self.form != "ab")
        self.axis_ = axis.to_dict()
        left, right = _sides(axis.transform(sample.scores))
        columns = [left + right] if self.form == "am" else [left, right]
        coef, self.intercept_ = _fit_nonnegative(columns, sample, pinned=self.form == "ab")
        self.a_, self.b_ = coef[0], coef[-1]

    def _log_odds(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        left, right = _sides(positions)
        return np.asarray(self.a_ * left + self.b_ * right + self.intercept_)

    def _check_invertible(self) -> None:
        check_has_inverse(is_constant=self.a_ == self.b_ == 0.0)


def _sides(log_odds: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return ln 2p and -ln 2(1 - p), which are both 0 in the middle and of full precision at either end."""
    rest = np.log1p(np.exp(-np.abs(log_odds))) - math.log(2.0)
    return np.minimum(log_odds, 0.0) - rest, np.maximum(log_odds, 0.0) + rest


def _fit_nonnegative(
    columns: list[NDArray[np.float64]], sample: BinaryScores, *, pinned: bool
) -> tuple[list[float], float]:
    """Return the best coefficients of which none is negative, and the intercept.

    The loss is convex: where one of two is negative at the minimum, it is 0 at the constrained one, and the other
    fitted alone.
    """
    coef, intercept = _fit(columns, sample, pinned=pinned)
    if min(coef) >= 0.0:
        return coef, intercept
    for kept in (kept for kept in reversed(range(len(coef))) if len(coef) == 2 and coef[1 - kept] < 0.0):
        (alone,), its_intercept = _fit([columns[kept]], sample, pinned=pinned)
        if alone > 0.0:
            return [alone * (column == kept) for column in range(2)], its_intercept
    negatives, positives = sample.totals()
    return [0.0] * len(coef), 0.0 if pinned else math.log(positives / negatives)


def _fit(columns: list[NDArray[np.float64]], sample: BinaryScores, *, pinned: bool) -> tuple[list[float], float]:
    rows = sample
    if pinned:
        columns, rows = [np.concatenate([each, -each]) for each in columns], _mirrored(sample)
    negatives, positives = rows.totals()
    penalty, start = np.full(len(columns) + 1, _PENALTY), np.zeros(len(columns) + 1)
    penalty[-1], start[-1] = 0.0, math.log(positives / negatives)
    target = Target(rows.positive, weight=rows.weight)
    found = target.fit(columns, start, penalty=penalty)
    *coef, intercept = found.tolist()
    return coef, 0.0 if pinned else intercept


def _mirrored(sample: BinaryScores) -> BinaryScores:
    """Return each row and its mirror image at half the weight, for which the best intercept is 0."""
    half = sample.weights() / 2
    return BinaryScores(
        np.concatenate([sample.scores, -sample.scores]),
        np.concatenate([sample.positive, ~sample.positive]),
        np.concatenate([half, half]),
    )
