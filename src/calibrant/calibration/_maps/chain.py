"""Two calibrators one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import clone

from calibrant._params import InstanceOf, Rule
from calibrant.calibration._base import Calibrator
from calibrant.calibration._validation import ScoredRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Chain"]

_CALIBRATOR = InstanceOf(Calibrator, words="a calibrator of calibrant.calibration")


class Chain(Calibrator):
    """A calibrator of the probabilities of another one.

    Parameters
    ----------
    first : Calibrator
        The map of the scores.
    then : Calibrator
        The map of the probabilities that `first` returns.

    Attributes
    ----------
    first_, then_ : Calibrator
        Both, fitted to the same rows.

    Examples
    --------
    >>> from calibrant.calibration import Binning, Platt, PriorShift
    >>> chain = Chain(PriorShift(train_prior=0.5), Platt()).fit([0.2, 0.3, 0.4, 0.6, 0.7, 0.9], [0, 0, 0, 0, 1, 1])
    >>> chain.predict([0.3, 0.8]).round(3)
    array([0.164, 0.62 ])
    >>> Chain(PriorShift(), Platt()).is_monotone, Chain(PriorShift(), Binning()).is_monotone
    (True, False)
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"first": _CALIBRATOR, "then": _CALIBRATOR}

    first_: Calibrator
    then_: Calibrator

    def __init__(self, first: Calibrator, then: Calibrator) -> None:
        self.first = first
        self.then = then

    @property
    def _is_monotone(self) -> bool:  # type: ignore[override]
        is_fitted = hasattr(self, "then_")  # before that, what both calibrators promise
        parts = (self.first_, self.then_) if is_fitted else (self.first, self.then)
        return all(part.is_monotone for part in parts)

    def _fit_scored(self, scored: ScoredRows) -> None:
        self.first_ = self.first._fit_clone(scored)
        self.then_ = self.then._fit_clone(replace(scored, scores=self._between(scored.scores)))

    def _between(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.first_._predict_table(table).reshape(table.shape)

    def _predict_table(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.then_._predict_table(self._between(table))

    def _write(self) -> dict[str, Any]:
        return {"first": self.first_.to_dict(), "then": self.then_.to_dict()}

    def _read(self, learned: Mapping[str, Any]) -> None:
        self.first_ = clone(self.first)._restore(learned["first"])
        self.then_ = clone(self.then)._restore(learned["then"])
