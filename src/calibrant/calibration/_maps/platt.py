"""Platt scaling: a sigmoid of the score (Platt 1999; Lin, Lin & Weng 2007)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant._params import Rule
from calibrant._saved import Number
from calibrant.calibration._base import INVERSE_SECTIONS, LARGEST, ScoreMap, learned, read_probabilities
from calibrant.calibration._fitting.logistic import Target
from calibrant.calibration._fitting.logits import (
    ON,
    SCALE_FIELD,
    On,
    as_logits,
    find_scale,
    from_logits,
    on_scale,
)
from calibrant.calibration._fitting.replace_certain import CERTAIN_ATTRIBUTE, CERTAIN_FIELD, ReplaceCertainMixin
from calibrant.calibration._validation import BinaryScores, check_has_inverse


@learned(slope_=Number(), intercept_=Number(-LARGEST, LARGEST), on_=SCALE_FIELD, certain_=CERTAIN_FIELD)
@fill_docstring(certain_attribute=CERTAIN_ATTRIBUTE)
class Platt(ReplaceCertainMixin, ScoreMap):
    """A sigmoid of the score, or of its logit where the score is a probability.

    For a few hundred calibration rows or more, and scores that are margins or logits. On probabilities themselves,
    as in the papers and scikit-learn, it cannot be the identity and often does harm; on their logits it can. There
    certain probabilities are replaced first, so that one wrong 0 or 1 does not bend the map.

    Parameters
    ----------
    on : "auto", "logit" or "score"
        The argument of the sigmoid. ``"auto"``: scores that all lie in [0, 1] are probabilities and the sigmoid is of
        their logit, others are taken as they are; decided in ``fit``. ``"score"``: as in the papers.

    Attributes
    ----------
    slope_, intercept_ : float
        The probability is ``1 / (1 + exp(-(slope_ * score + intercept_)))``.
    on_ : "logit" or "score"
        The argument of the sigmoid.
    %(certain_attribute)s

    Examples
    --------
    >>> platt = Platt().fit([-3.0, -1.0, 0.5, -0.5, 1.0, 4.0], ["no", "no", "no", "yes", "yes", "yes"])
    >>> platt.predict([-1.0, 0.0, 1.0]).round(3)
    array([0.388, 0.488, 0.588])
    """

    _is_monotone = True
    _rules: ClassVar[Mapping[str, Rule]] = {"on": ON}

    on: On = "auto"

    def _learn(self, sample: BinaryScores) -> None:
        self.on_ = find_scale(sample.scores, self.on)
        self._fit_certain(sample, self.on_)
        negatives, positives = sample.totals()
        start = np.array([0.0, math.log((positives + 1.0) / (negatives + 1.0))])
        coef = platt_target(sample).fit([self._positions(sample.scores)], start)
        self.slope_, self.intercept_ = map(float, coef)

    def _positions(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return on_scale(self._replace_certain(scores), self.on_)

    def _map(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(over="ignore"):  # an infinite logit is a probability of 0 or 1
            return from_logits(self.slope_ * self._positions(scores) + self.intercept_)

    @fill_docstring(inverse_sections=INVERSE_SECTIONS)
    def inverse(self, proba: Any) -> NDArray[np.float64]:
        """Return the scores that have these probabilities.

        %(inverse_sections)s

        Examples
        --------
        >>> platt = Platt().fit([-3.0, -1.0, 0.5, -0.5, 1.0, 4.0], [0, 0, 0, 1, 1, 1])
        >>> platt.inverse(platt.predict([-1.0, 2.0])).round(9)
        array([-1.,  2.])
        """
        logits = as_logits(read_probabilities(self, proba))
        check_has_inverse(is_constant=self.slope_ == 0.0)
        scores = (logits - self.intercept_) / self.slope_
        return self._replace_certain(from_logits(scores) if self.on_ == "logit" else scores)


def platt_target(sample: BinaryScores) -> Target:
    """Return Platt's targets: (N+ + 1) / (N+ + 2) for positive rows, 1 / (N- + 2) for negative ones.

    Examples
    --------
    >>> target = platt_target(BinaryScores(np.zeros(3), np.array([False, True, True])))
    >>> target.low, target.high
    (0.3333333333333333, 0.75)
    """
    negatives, positives = sample.totals()
    return Target(sample.positive, 1.0 / (negatives + 2.0), (positives + 1.0) / (positives + 2.0), sample.weight)
