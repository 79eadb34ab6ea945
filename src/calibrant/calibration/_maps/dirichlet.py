"""Dirichlet calibration (Kull, Perelló Nieto, Kängsepp, Silva Filho, Song & Flach 2019)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from calibrant._params import Real, Rule
from calibrant.calibration._fitting.log_linear import LogLinear, check_every_class_has_rows, identity_penalty
from calibrant.calibration._fitting.multinomial import FullLoss, Penalty, fit_multinomial
from calibrant.calibration._validation import ScoredRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Dirichlet"]


class Dirichlet(LogLinear):
    """softmax(W ln p + b), which is exact where the probabilities of each class have a Dirichlet distribution.

    The penalty is the paper's off-diagonal and intercept regularisation (ODIR): the mean log-loss plus

        off_diagonal / (K (K - 1)) * the squares of W's entries off the diagonal + intercept / K * those of b
        + l2 / (K (K + 1)) * those of all.

    The paper's packages have 0 by default, or choose the weights by cross-validation, since they do not decrease
    with the number of rows; ours are weak, yet enough to keep W finite where the classes are separable.
    `MatrixScaling`, the same map with a penalty that needs no such choice, did better in our benchmark
    (``benchmarks/calibration_quality.py``).

    Parameters
    ----------
    off_diagonal : float >= 0
        The weight of W's entries off the diagonal, which is free: one rate of confidence for each class.
    intercept : float >= 0
        The weight of b.
    l2 : float >= 0
        The weight of all entries, which shrinks the probabilities towards equality; the paper's plain L2.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (n_classes, n_classes) and (n_classes,)
        W and b; row k has the coefficients of the logit of class k.
    inverse_temperature_, on_ : float, and "logit" or "score"
        Margins are turned into log-probabilities by the temperature of least log-loss first; 1 for probabilities.

    Examples
    --------
    >>> proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.1, 0.3, 0.6], [0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]]
    >>> Dirichlet().fit(proba, ["a", "b", "c", "b", "b", "c"]).predict([[0.7, 0.2, 0.1]]).round(3)
    array([[0.809, 0.189, 0.002]])
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"off_diagonal": Real(0), "intercept": Real(0), "l2": Real(0)}

    def __init__(self, *, off_diagonal: float = 0.1, intercept: float = 0.1, l2: float = 0.01) -> None:
        self.off_diagonal = off_diagonal
        self.intercept = intercept
        self.l2 = l2

    @property
    def _is_structured(self) -> bool:
        return False

    def _find(self, logs: NDArray[np.float64], scored: ScoredRows) -> NDArray[np.float64]:
        if self.intercept + self.l2 == 0:
            check_every_class_has_rows(scored)
        n_classes = logs.shape[1]
        found = fit_multinomial(FullLoss(logs, scored.codes, scored.weight), self._penalty(n_classes))
        return found.reshape(n_classes, n_classes + 1)

    def _penalty(self, k: int) -> Penalty:
        odir = identity_penalty(k, 0.0, self.off_diagonal / (k * (k - 1)), self.intercept / k)
        return Penalty(odir.weight + self.l2 / (k * (k + 1)), np.zeros_like(odir.towards) if self.l2 else odir.towards)
