"""Vector scaling with structured regularisation (Guo et al. 2017; Berta, Holzmüller, Jordan & Bach 2025)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from calibrant._params import Real, Rule
from calibrant.calibration._fitting.log_linear import LogLinear, refuse_free_class
from calibrant.calibration._fitting.logistic import Target, fit_logistic
from calibrant.calibration._fitting.multinomial import Diagonal, Penalty, fit_multinomial
from calibrant.calibration._validation import ScoredRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["VectorScaling"]


class VectorScaling(LogLinear):
    """softmax(v * ln p + b), each class by its own slope and intercept: structured vector scaling.

    For so many classes that those of `MatrixScaling`, whose diagonal this is, cost too much time; with few it is about
    as good. Temperature and mixing come first as there, then v and b have the least mean log-loss plus
    ``strength K / n`` times the squared distance of v from 1 and of b from 0.

    Parameters
    ----------
    strength : float >= 0
        What the penalty is multiplied by. With 0 there is none, no temperature and no mixing: vector scaling as Guo et
        al. have it, and for two classes beta calibration without its constraint.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (n_classes, n_classes) and (n_classes,)
        The diagonal matrix of v, and b, for log-probabilities after temperature and mixing.
    inverse_temperature_, uniform_share_ : float
        What logarithms are multiplied by, and the share of the uniform distribution.
    on_ : "logit" or "score"
        Whether the scores were probabilities; margins are read as log-odds on an unknown scale.

    Examples
    --------
    >>> proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.1, 0.3, 0.6], [0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]]
    >>> VectorScaling().fit(proba, ["a", "b", "c", "b", "b", "c"]).predict([[0.7, 0.2, 0.1]]).round(3)
    array([[0.809, 0.141, 0.05 ]])
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"strength": Real(0)}

    def __init__(self, *, strength: float = 1.0) -> None:
        self.strength = strength

    @property
    def _is_structured(self) -> bool:
        return self.strength > 0

    def _find(self, logs: NDArray[np.float64], scored: ScoredRows) -> NDArray[np.float64]:
        if not self._is_structured:
            refuse_free_class(scored)
        n_classes = logs.shape[1]
        if n_classes == 2:
            return _of_two(logs, scored, self.strength)
        each = self.strength * n_classes / float(scored.class_weights().sum())
        penalty = Penalty(np.full(2 * n_classes, each), np.repeat([1.0, 0.0], n_classes))
        slopes, intercepts = fit_multinomial(Diagonal(logs, scored.codes, scored.weight), penalty).reshape(2, -1)
        return np.column_stack([np.diag(slopes), intercepts])


def _of_two(logs: NDArray[np.float64], scored: ScoredRows, strength: float) -> NDArray[np.float64]:
    """Give [W | b] of two classes: one logistic regression, since of two intercepts only the difference counts.

    The nearest to 0 of those that differ so are half of it each, of which the squares are half the square of it.
    """
    penalty, towards = 2.0 * strength * np.array([2.0, 2.0, 1.0]), np.array([1.0, 1.0, 0.0])
    target = Target(scored.codes == 1, weight=scored.weight)
    first, second, apart = fit_logistic([-logs[:, 0], logs[:, 1]], target, towards, penalty=penalty, towards=towards)
    return np.array([[first, 0.0, -apart / 2], [0.0, second, apart / 2]])
