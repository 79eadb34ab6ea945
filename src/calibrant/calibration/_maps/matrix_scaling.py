"""Matrix scaling with structured regularisation (Guo et al. 2017; Berta, Holzmüller, Jordan & Bach 2025)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant._docstrings import fill_docstring
from calibrant.calibration._fitting.log_linear import (
    SCALE_ATTRIBUTES,
    LogLinear,
    StructuredScalingMixin,
    identity_penalty,
)
from calibrant.calibration._fitting.multinomial import FullLoss, fit_multinomial
from calibrant.calibration._validation import ScoredRows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MatrixScaling"]


@fill_docstring(scale_attributes=SCALE_ATTRIBUTES)
class MatrixScaling(StructuredScalingMixin, LogLinear):
    """softmax(W ln p + b), W drawn to the identity and b to 0 the more, the fewer the rows: structured matrix scaling.

    The map to take for three classes or more. Temperature comes first, without any penalty; then the uniform
    distribution is mixed in with the weight of one row, 1 / (n + 1), so that no class is impossible; then W and b have
    the least mean log-loss plus ``strength / n`` times

        K (the squared distance of W's diagonal from 1, and of b from 0) + K (K - 1) (the squares of W's other entries).

    Thus a hundred rows for ten classes change little but the temperature, and a million have W almost free. A score
    that decreases with its class gets an infinite temperature, and only the base rates are learned.

    Parameters
    ----------
    strength : float >= 0
        The factor of the penalty. With 0 there is none, no temperature and no mixing: matrix scaling as Guo et
        al. have it, which needs many rows of every class. On scores that are log-odds it is Dirichlet calibration
        without a penalty.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (n_classes, n_classes) and (n_classes,)
        W and b, for log-probabilities after temperature and mixing.
    %(scale_attributes)s

    Examples
    --------
    >>> proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.1, 0.3, 0.6], [0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]]
    >>> MatrixScaling().fit(proba, ["a", "b", "c", "b", "b", "c"]).predict([[0.7, 0.2, 0.1]]).round(3)
    array([[0.724, 0.214, 0.062]])
    """

    def _find(self, logs: NDArray[np.float64], scored: ScoredRows) -> NDArray[np.float64]:
        n_classes, each = logs.shape[1], self._penalty_weight(scored)
        penalty = identity_penalty(n_classes, each, (n_classes - 1) * each, each)
        found = fit_multinomial(FullLoss(logs, scored.codes, scored.weight), penalty)
        return found.reshape(n_classes, n_classes + 1)
