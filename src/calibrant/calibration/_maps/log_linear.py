"""Maps of all classes at once that are linear in log-probabilities: softmax(W ln p + b).

Dirichlet calibration is that of Kull, Perelló Nieto, Kängsepp, Silva Filho, Song & Flach (2019); matrix and vector
scaling (Guo et al. 2017) have the structured regularisation of Berta, Holzmüller, Jordan & Bach (2025).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from calibrant._docstrings import fill_docstring
from calibrant._estimator import with_parameters
from calibrant._params import Real, Rule
from calibrant._saved import Array, Field, Number, need
from calibrant.calibration._base import LARGEST, Calibrator, learned
from calibrant.calibration._fitting.logistic import Target
from calibrant.calibration._fitting.logits import SCALE_FIELD, Scale, as_logs, find_scale
from calibrant.calibration._fitting.multinomial import DiagonalLoss, FullLoss, Penalty
from calibrant.calibration._fitting.replace_certain import CERTAIN_ATTRIBUTE, CERTAIN_FIELD, ReplaceCertainMixin
from calibrant.calibration._maps.temperature import Temperature
from calibrant.calibration._validation import ScoredRows, check_every_class_has_rows

_FARTHEST = 1e300  # differences of scaled margins beyond it would overflow
_NEAREST = 1e-290  # the inverse of a smaller scale would overflow
_NEGLIGIBLE = 1e-15  # margins so much smaller than the greatest count as 0: no temperature suits both


# Attributes that MatrixScaling and VectorScaling document alike.
SCALE_ATTRIBUTES = f"""\
inverse_temperature_, uniform_share_ : float
    The factor of the logarithms, and the weight of the uniform distribution.
on_ : "logit" or "score"
    Whether the scores were probabilities; margins are read as log-odds on an unknown scale.
{CERTAIN_ATTRIBUTE}"""

_LEARNED: dict[str, Field] = {
    "coef_": Array("f8", ndim=2, finite=True, low=-LARGEST, high=LARGEST),
    "intercept_": Array("f8", finite=True, low=-LARGEST, high=LARGEST),
    "inverse_temperature_": Number(0),
    "uniform_share_": Number(0, 1),
    "on_": SCALE_FIELD,
    "certain_": CERTAIN_FIELD,
}


@fill_docstring(certain_attribute=CERTAIN_ATTRIBUTE)
class LogLinear(ReplaceCertainMixin, Calibrator):
    """The softmax of a linear function of log-probabilities, certain ones replaced first.

    One column is read as two: the probability p as (1 - p, p), a margin m as (0, m). Margins have no scale of their
    own: they are turned into log-probabilities by the temperature of least log-loss first.

    Attributes
    ----------
    coef_ : array of shape (n_classes, n_classes)
        W; row k has the coefficients of the logit of class k.
    intercept_ : array of shape (n_classes,)
        b.
    inverse_temperature_ : float
        The factor of log-probabilities or margins, before they are normalised.
    uniform_share_ : float
        The weight of the uniform distribution that is mixed in after that.
    on_ : "logit" or "score"
        Whether the scores were probabilities.
    %(certain_attribute)s
    """

    @property
    def _is_structured(self) -> bool:
        """Whether temperature comes first for probabilities too, and every class keeps a share."""
        return bool(getattr(self, "strength", 0.0) > 0)

    @abstractmethod
    def _find(self, logs: NDArray[np.float64], scored: ScoredRows) -> NDArray[np.float64]:
        """Return [W | b], fitted to log-probabilities."""

    @property
    def _is_monotone(self) -> bool:  # type: ignore[override]
        if len(getattr(self, "coef_", ())) != 2:
            return False
        of_first, of_second = self.coef_[1] - self.coef_[0]
        return bool(of_first <= 0.0 <= of_second)

    def _check_learned(self) -> None:
        super()._check_learned()
        n_classes = len(self.classes_)
        need(self.coef_.shape == (n_classes, n_classes), "has other coefficients than classes")
        need(self.intercept_.shape == (n_classes,), "has other intercepts than classes")

    def _fit_scored(self, scored: ScoredRows) -> None:
        self.on_ = find_scale(scored.scores, "auto")
        self._fit_certain(scored, self.on_)
        is_scaled = self._is_structured or self.on_ == "score"
        self.inverse_temperature_ = _inverse_temperature(scored, self.on_) if is_scaled else 1.0
        total = float(scored.class_weights().sum())
        self.uniform_share_ = 1.0 / (total + 1.0) if self._is_structured else 0.0
        found = self._find(self._logs(scored.scores), scored)
        self.coef_, self.intercept_ = np.ascontiguousarray(found[:, :-1]), np.ascontiguousarray(found[:, -1])

    def _logs(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log-probabilities that the map is linear in."""
        logs = log_columns(self._replace_certain(table), self.on_, self.inverse_temperature_)
        if not self.uniform_share_:
            return logs
        return np.asarray(np.log((1.0 - self.uniform_share_) * np.exp(logs) + self.uniform_share_ / logs.shape[1]))

    def _predict_table(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        proba = softmax(self._logs(table) @ self.coef_.T + self.intercept_, axis=1)
        return np.asarray(proba[:, 1] if self.n_columns_ == 1 else proba)


@with_parameters
class StructuredScalingMixin:
    """The parameter that `MatrixScaling` and `VectorScaling` share: the strength of the structured penalty.

    Berta, Holzmüller, Jordan & Bach (2025): the penalty decreases as 1 / n and grows with the number of parameters, so
    that it needs no cross-validation.
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"strength": Real(0)}

    strength: float = 1.0

    def _penalty_weight(self, scored: ScoredRows) -> float:
        """Return the weight of a squared distance; without any, raise if a class has no rows."""
        if self.strength == 0:  # else the penalty bounds every intercept
            check_every_class_has_rows(scored)
        return self.strength * len(scored.classes) / float(scored.class_weights().sum())


def log_columns(table: NDArray[np.float64], scale: Scale, inverse_temperature: float = 1.0) -> NDArray[np.float64]:
    """Return log-probabilities, a column for each class, none below ln 1e-12.

    On the scale "logit" the scores are probabilities, and one column p is read as (1 - p, p); on "score" they are
    margins, read as log-odds, and one margin m as (0, m). Logarithms or margins are multiplied by the inverse
    temperature before they are normalised.

    Examples
    --------
    >>> np.exp(log_columns(np.array([[0.2]]), "logit")), np.exp(log_columns(np.array([[0.0, 0.0]]), "score"))
    (array([[0.8, 0.2]]), array([[0.5, 0.5]]))
    """
    table = np.clip(table, 0.0, 1.0) if scale == "logit" else table
    if table.shape[1] == 1:
        table = np.hstack([1.0 - table if scale == "logit" else np.zeros_like(table), table])
    with np.errstate(over="ignore"):
        scaled = inverse_temperature * (as_logs(table) if scale == "logit" else table)
    return as_logs(softmax(np.clip(scaled, -_FARTHEST, _FARTHEST), axis=1))


def identity_penalty(n_classes: int, diagonal: float, off_diagonal: float, intercept: float) -> Penalty:
    """Return the penalty on the distance of [W | b] from [I | 0].

    Examples
    --------
    >>> penalty = identity_penalty(2, 1.0, 3.0, 2.0)
    >>> penalty.weight.reshape(2, 3)
    array([[1., 3., 2.],
           [3., 1., 2.]])
    """
    weight = np.full((n_classes, n_classes + 1), off_diagonal)
    np.fill_diagonal(weight, diagonal)
    weight[:, -1] = intercept
    return Penalty(weight.ravel(), np.eye(n_classes, n_classes + 1).ravel())


def _inverse_temperature(scored: ScoredRows, scale: Scale) -> float:
    size = 1.0 if scale == "logit" else max(float(np.abs(scored.scores).max()), _NEAREST)
    scores = scored.scores / size
    rows = replace(scored, scores=np.where(np.abs(scores) < _NEGLIGIBLE, 0.0, scores))
    return Temperature()._fit_clone(rows).inverse_temperature_ / size


@learned(**_LEARNED)
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

    off_diagonal: float = 0.1
    intercept: float = 0.1
    l2: float = 0.01

    def _find(self, logs: NDArray[np.float64], scored: ScoredRows) -> NDArray[np.float64]:
        if self.intercept + self.l2 == 0:
            check_every_class_has_rows(scored)
        k = logs.shape[1]
        odir = identity_penalty(k, 0.0, self.off_diagonal / (k * (k - 1)), self.intercept / k)
        towards = np.zeros_like(odir.towards) if self.l2 else odir.towards
        penalty = Penalty(odir.weight + self.l2 / (k * (k + 1)), towards)
        return FullLoss(logs, scored.codes, scored.weight).fit(penalty).reshape(k, k + 1)


@learned(**_LEARNED)
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
        found = FullLoss(logs, scored.codes, scored.weight).fit(penalty)
        return found.reshape(n_classes, n_classes + 1)


@learned(**_LEARNED)
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
        slopes, intercepts = DiagonalLoss(logs, scored.codes, scored.weight).fit(penalty).reshape(2, -1)
        return np.column_stack([np.diag(slopes), intercepts])

    def _fit_two_classes(self, logs: NDArray[np.float64], scored: ScoredRows) -> NDArray[np.float64]:
        """Return [W | b] of two classes: one logistic regression, since of two intercepts only the difference counts.

        Of the pairs with a given difference, the one nearest to 0 is plus and minus half of it; their squares sum to
        half the square of the difference.
        """
        penalty, towards = 2.0 * self.strength * np.array([2.0, 2.0, 1.0]), np.array([1.0, 1.0, 0.0])
        columns = [np.ascontiguousarray(-logs[:, 0]), np.ascontiguousarray(logs[:, 1])]
        target = Target(scored.codes == 1, weight=scored.weight)
        coef = target.fit(columns, towards, penalty=penalty, towards=towards)
        first, second, apart = coef
        return np.array([[first, 0.0, -apart / 2], [0.0, second, apart / 2]])
