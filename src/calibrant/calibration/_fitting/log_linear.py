"""Maps of all classes at once that are linear in log-probabilities: softmax(W ln p + b)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.special import softmax

from calibrant._docstrings import fill_docstring
from calibrant._params import Real, Rule
from calibrant.calibration._base import Calibrator
from calibrant.calibration._fitting.logits import Scale, as_logs, find_scale
from calibrant.calibration._fitting.multinomial import Penalty
from calibrant.calibration._fitting.replace_certain import CERTAIN_ATTRIBUTE, ReplaceCertainMixin
from calibrant.calibration._maps.temperature import Temperature
from calibrant.calibration._validation import ScoredRows
from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "SCALE_ATTRIBUTES",
    "LogLinear",
    "StructuredScalingMixin",
    "check_every_class_has_rows",
    "identity_penalty",
    "log_columns",
]

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

    _learned = ("coef_", "intercept_", "inverse_temperature_", "uniform_share_", "on_", "certain_")

    coef_: NDArray[np.float64]
    intercept_: NDArray[np.float64]
    inverse_temperature_: float
    uniform_share_: float
    on_: Scale

    @property
    @abstractmethod
    def _is_structured(self) -> bool:
        """Whether temperature comes first for probabilities too, and every class keeps a share."""

    @abstractmethod
    def _find(self, logs: NDArray[np.float64], scored: ScoredRows) -> NDArray[np.float64]:
        """Return [W | b], fitted to log-probabilities."""

    @property
    def _is_monotone(self) -> bool:  # type: ignore[override]
        if len(getattr(self, "coef_", ())) != 2:
            return False
        of_first, of_second = self.coef_[1] - self.coef_[0]
        return bool(of_first <= 0.0 <= of_second)

    def _fit_scored(self, scored: ScoredRows) -> None:
        self.on_ = find_scale(scored.scores, "auto")
        self._fit_certain(scored, self.on_)
        self._begin(scored)
        found = self._find(self._logs(scored.scores), scored)
        self.coef_, self.intercept_ = np.ascontiguousarray(found[:, :-1]), np.ascontiguousarray(found[:, -1])

    def _begin(self, scored: ScoredRows) -> None:
        total = float(scored.class_weights().sum())
        is_scaled = self._is_structured or self.on_ == "score"
        self.inverse_temperature_ = _inverse_temperature(scored, self.on_) if is_scaled else 1.0
        self.uniform_share_ = 1.0 / (total + 1.0) if self._is_structured else 0.0

    def _logs(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log-probabilities that the map is linear in."""
        logs = log_columns(self._replace_certain(table), self.on_, self.inverse_temperature_)
        if not self.uniform_share_:
            return logs
        return np.asarray(np.log((1.0 - self.uniform_share_) * np.exp(logs) + self.uniform_share_ / logs.shape[1]))

    def _predict_table(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        proba = softmax(self._logs(table) @ self.coef_.T + self.intercept_, axis=1)
        return np.asarray(proba[:, 1] if self.n_columns_ == 1 else proba)


class StructuredScalingMixin:
    """The parameter that `MatrixScaling` and `VectorScaling` share: the strength of the structured penalty.

    Berta, Holzmüller, Jordan & Bach (2025): the penalty decreases as 1 / n and grows with the number of parameters, so
    that it needs no cross-validation.
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"strength": Real(0)}

    def __init__(self, *, strength: float = 1.0) -> None:
        self.strength = strength

    @property
    def _is_structured(self) -> bool:
        return self.strength > 0

    def _penalty_weight(self, scored: ScoredRows) -> float:
        """Return the weight of a squared distance; without any, raise if a class has no rows."""
        if not self._is_structured:
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


def check_every_class_has_rows(scored: ScoredRows) -> None:
    """Raise if a class has no rows, since nothing would bound its intercept."""
    empty = np.flatnonzero(scored.class_weights() == 0)
    if len(empty):
        name = scored.classes.tolist()[empty[0]]
        raise DataError(
            f"y must have rows of every class; got none of the class {name!r}. Calibrate with rows of every class or a "
            "penalty."
        )


def _inverse_temperature(scored: ScoredRows, scale: Scale) -> float:
    size = 1.0 if scale == "logit" else max(float(np.abs(scored.scores).max()), _NEAREST)
    scores = scored.scores / size
    rows = replace(scored, scores=np.where(np.abs(scores) < _NEGLIGIBLE, 0.0, scores))
    return Temperature()._fit_clone(rows).inverse_temperature_ / size
