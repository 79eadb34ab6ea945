"""Vector scaling with structured regularisation (Guo et al. 2017; Berta, Holzmüller, Jordan & Bach 2025)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant.calibration._fitting.log_linear import SCALE_ATTRIBUTES, LogLinear, StructuredScalingMixin
from calibrant.calibration._fitting.logistic import Target, fit_logistic
from calibrant.calibration._fitting.multinomial import DiagonalLoss, Penalty, fit_multinomial
from calibrant.calibration._validation import ScoredRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["VectorScaling"]


@fill_docstring(scale_attributes=SCALE_ATTRIBUTES)
class VectorScaling(StructuredScalingMixin, LogLinear):
    """softmax(v * ln p + b), each class by its own slope and intercept: structured vector scaling.

    For so many classes that those of `MatrixScaling`, whose diagonal this is, cost too much time; with few it is about
    as good. Temperature and mixing come first as there, then v and b have the least mean log-loss plus
    ``strength K / n`` times the squared distance of v from 1 and of b from 0.

    Parameters
    ----------
    strength : float >= 0
        The factor of the penalty. With 0 there is none, no temperature and no mixing: vector scaling as Guo et
        al. have it, and for two classes beta calibration without its constraint.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (n_classes, n_classes) and (n_classes,)
        The diagonal matrix of v, and b, for log-probabilities after temperature and mixing.
    %(scale_attributes)s

    Examples
    --------
    >>> proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.1, 0.3, 0.6], [0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]]
    >>> VectorScaling().fit(proba, ["a", "b", "c", "b", "b", "c"]).predict([[0.7, 0.2, 0.1]]).round(3)
    array([[0.809, 0.141, 0.05 ]])
    >>> VectorScaling().is_monotone, VectorScaling().fit([0.2, 0.3, 0.6, 0.9], [0, 1, 0, 1]).is_monotone
    (False, True)
    """

    def _find(self, logs: NDArray[np.float64], scored: ScoredRows) -> NDArray[np.float64]:
        n_classes, each = logs.shape[1], self._penalty_weight(scored)
        if n_classes == 2:
            return self._fit_two_classes(logs, scored)
        penalty = Penalty(np.full(2 * n_classes, each), np.repeat([1.0, 0.0], n_classes))
        slopes, intercepts = fit_multinomial(DiagonalLoss(logs, scored.codes, scored.weight), penalty).reshape(2, -1)
        return np.column_stack([np.diag(slopes), intercepts])

    def _fit_two_classes(self, logs: NDArray[np.float64], scored: ScoredRows) -> NDArray[np.float64]:
        """Return [W | b] of two classes: one logistic regression, since of two intercepts only the difference counts.

        Of the pairs with a given difference, the one nearest to 0 is plus and minus half of it; their squares sum to
        half the square of the difference.
        """
        penalty, towards = 2.0 * self.strength * np.array([2.0, 2.0, 1.0]), np.array([1.0, 1.0, 0.0])
        columns = [np.ascontiguousarray(-logs[:, 0]), np.ascontiguousarray(logs[:, 1])]
        target = Target(scored.codes == 1, weight=scored.weight)
        coef = fit_logistic(columns, target, towards, penalty=penalty, towards=towards)
        first, second, apart = coef
        return np.array([[first, 0.0, -apart / 2], [0.0, second, apart / 2]])
