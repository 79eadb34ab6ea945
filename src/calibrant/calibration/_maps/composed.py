"""Calibrators made of others: in a chain, or one for each pair of classes.

Pairs are coupled as by Zadrozny & Elkan (2002) and Wu, Lin & Weng (2004).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from calibrant._docstrings import fill_docstring
from calibrant._params import InstanceOf, Nothing, Rule
from calibrant._saved import ListOf, Object, need
from calibrant.calibration._base import Calibrator, learned, normalised
from calibrant.calibration._fitting.logits import SCALE_FIELD, as_logs, find_scale, from_logits
from calibrant.calibration._fitting.replace_certain import CERTAIN_ATTRIBUTE, CERTAIN_FIELD, ReplaceCertainMixin
from calibrant.calibration._maps.platt import Platt
from calibrant.calibration._validation import ScoredRows, check_every_class_has_rows

_CALIBRATOR = InstanceOf(Calibrator, words="a calibrator of calibrant.calibration")


@learned(first_=Object(), then_=Object())
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

    first: Calibrator = field(kw_only=False)
    then: Calibrator = field(kw_only=False)

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

    def _check_learned(self) -> None:
        super()._check_learned()
        parts, n_classes = (self.first_, self.then_), len(self.classes_)
        fits = (isinstance(part, Calibrator) and part._is_of(n_classes, self.n_columns_) for part in parts)
        need(all(fits), "has parts of other classes")

    def _write(self) -> dict[str, Any]:
        return {"first": self.first_.to_dict(), "then": self.then_.to_dict()}

    def _read(self, learned: Mapping[str, Any]) -> None:
        self.first_ = clone(self.first)._restore(learned["first"])
        self.then_ = clone(self.then)._restore(learned["then"])


_LEAST = 1e-12  # with probabilities of pairs in (0, 1) the solution is unique
_CHUNK = 8192  # rows whose matrices of pairs are held in memory at once


@learned(on_=SCALE_FIELD, certain_=CERTAIN_FIELD, parts_=ListOf(Object(), least=1))
@fill_docstring(certain_attribute=CERTAIN_ATTRIBUTE)
class Pairwise(ReplaceCertainMixin, Calibrator):
    """A calibrator of two classes fitted to every pair of classes, and the probabilities that fit all pairs best.

    For three classes or more, where scores of the classes need different maps; K (K - 1) / 2 maps
    are fitted, each to the rows of two classes. The score of a pair is the second probability as a share of both,
    certain ones replaced first, or the difference of two margins. The pairs are coupled by the second method of Wu, Lin
    & Weng (2004), which has one solution and takes one linear system per row. One class against all the rest, divided
    by the sum, is what every calibrator of one score does by itself with several columns.

    Parameters
    ----------
    calibrator : Calibrator, optional
        What is fitted to each pair; `Platt` by default.

    Attributes
    ----------
    parts_ : list of Calibrator
        The calibrators of the pairs (0, 1), (0, 2), ..., (K - 2, K - 1).
    on_ : "logit" or "score"
        Whether the scores were probabilities.
    %(certain_attribute)s

    Examples
    --------
    >>> proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.1, 0.3, 0.6], [0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]]
    >>> Pairwise().fit(proba, ["a", "b", "c", "b", "a", "c"]).predict([[0.7, 0.2, 0.1]]).round(3)
    array([[0.529, 0.322, 0.149]])
    """

    _rules: ClassVar[Mapping[str, Rule]] = {
        "calibrator": InstanceOf(Calibrator, words="a calibrator of calibrant.calibration") | Nothing()
    }

    calibrator: Calibrator | None = field(default=None, kw_only=False)

    def _fit_scored(self, scored: ScoredRows) -> None:
        check_every_class_has_rows(scored)
        self.on_ = find_scale(scored.scores, "auto")
        if len(scored.classes) == 2:
            self.certain_ = None  # the part replaces certain probabilities where it needs
            self.parts_ = [self._template()._fit_clone(scored)]
            return
        self._fit_certain(scored, self.on_)
        self.parts_ = [self._template()._fit_clone(self._pair_rows(scored, low, high)) for low, high in self._pairs()]

    def _pairs(self) -> Iterator[tuple[int, int]]:
        return combinations(range(len(self.classes_)), 2)

    def _pair_rows(self, scored: ScoredRows, low: int, high: int) -> ScoredRows:
        rows = np.flatnonzero((scored.codes == low) | (scored.codes == high))
        score = self._score(scored.scores[rows], low, high)
        codes = (scored.codes[rows] == high).astype(np.int32)
        return replace(scored.take(rows), scores=score, codes=codes, classes=scored.classes[[low, high]])

    def _score(self, table: NDArray[np.float64], low: int, high: int) -> NDArray[np.float64]:
        if self.on_ == "logit":
            logs = as_logs(self._replace_certain(table)[:, [low, high]])
            return from_logits(logs[:, 1] - logs[:, 0])[:, np.newaxis]
        most = np.finfo(np.float64).max / 4
        clipped = np.clip(table[:, [low, high]], -most, most)
        return (clipped[:, 1] - clipped[:, 0])[:, np.newaxis]

    def _template(self) -> Calibrator:
        made: Calibrator = Platt() if self.calibrator is None else clone(self.calibrator)
        return made

    def _predict_table(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        if len(self.classes_) == 2:
            return self.parts_[0]._predict_table(table)
        parts = [self._couple(table[start : start + _CHUNK]) for start in range(0, len(table), _CHUNK)]
        return np.concatenate(parts)

    def _couple(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        n_classes = len(self.classes_)
        wins = np.zeros((len(table), n_classes, n_classes))
        for (low, high), part in zip(self._pairs(), self.parts_, strict=True):
            wins[:, high, low] = part._predict_table(self._score(table, low, high))
            wins[:, low, high] = 1.0 - wins[:, high, low]
        return couple(wins)

    def _check_learned(self) -> None:
        super()._check_learned()
        n_classes, columns = len(self.classes_), self.n_columns_ if len(self.classes_) == 2 else 1
        need(len(self.parts_) == n_classes * (n_classes - 1) // 2, "must have a map for each pair")
        fits = (isinstance(part, Calibrator) and part._is_of(2, columns) for part in self.parts_)
        need(all(fits), "has maps of other classes")

    def _write(self) -> dict[str, Any]:
        return {"on_": self.on_, "certain_": self.certain_, "parts": [part.to_dict() for part in self.parts_]}

    def _read(self, learned: Mapping[str, Any]) -> None:
        self.on_, self.certain_ = learned["on_"], learned["certain_"]
        self.parts_ = [self._template()._restore(part) for part in learned["parts"]]


def couple(wins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of classes that fit the probabilities of pairs best.

    They minimise the sum over i and j of (r_ji p_i - r_ij p_j)^2 among those that sum to 1 (Wu, Lin & Weng 2004).

    Parameters
    ----------
    wins : array of shape (n_rows, n_classes, n_classes)
        r_ij, the probability of class i given i or j; the diagonal is ignored.

    Returns
    -------
    array of shape (n_rows, n_classes)
        Probabilities.

    Examples
    --------
    >>> proba = np.array([0.5, 0.3, 0.2])
    >>> couple((proba[:, None] / (proba[:, None] + proba))[None])
    array([[0.5, 0.3, 0.2]])
    """
    n_classes = wins.shape[1]
    own = np.arange(n_classes)
    clipped = np.clip(wins, _LEAST, 1.0 - _LEAST)
    clipped[:, own, own] = 0.0
    against = np.swapaxes(clipped, 1, 2)
    system = 1.0 - clipped * against
    system[:, own, own] += (clipped**2).sum(axis=1)
    found = np.linalg.solve(system, np.ones((len(wins), n_classes, 1)))[:, :, 0]
    return normalised(np.maximum(found, 0.0))
