"""Fits that several calibrated classifiers share: of one estimator, to all rows and to the folds of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from calibrant.calibration._classifier.response import response_method, score_columns
from calibrant.calibration._classifier.run_folds import run_folds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.calibration._classifier.fit_data import FitData
    from calibrant.calibration._classifier.held_out_scores import Scoring, Split

    Scores: TypeAlias = list[NDArray[np.float64]]  # of one set of rows, by each reading

__all__ = ["ReadingOfFits", "SharedFits", "responses_of"]


@dataclass(eq=False)
class SharedFits:
    """An estimator fitted to all rows, and on demand to folds, each once for all that calibrate it.

    Parameters
    ----------
    estimator, fitted : classifier
        The estimator as it is cloned for each fold, and fitted to all rows.
    readings : sequence of classifiers
        What a fit is read as, by the estimator's `_predict_readings`; empty for `estimator` alone.
    seconds : float
        How long the folds took.
    """

    estimator: Any
    fitted: Any
    readings: Sequence[Any] = ()
    seconds: float = 0.0
    _folds: list[_ScoredFolds] = field(default_factory=list)

    def fold_scores(self, scoring: Scoring, data: FitData, splits: list[Split], n_jobs: int | None) -> list[Scores]:
        """Return the scores of the test rows of each split by each reading; equal splits are fitted once."""
        wanted = _ScoredFolds.of(scoring, data, splits)
        known = next((each for each in self._folds if each.is_same(wanted)), None)
        if known is None:
            start = perf_counter()
            jobs = [(self, scoring, data, *split) for split in splits]
            found = run_folds(_fit_fold, jobs, estimator=self.estimator, n_rows=data.n_rows, n_jobs=n_jobs)
            wanted.scores.extend(found)
            self.seconds += perf_counter() - start
            self._folds.append(wanted)
            known = wanted
        return known.scores

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "fitted": None, "_folds": []}  # a process that fits a fold needs neither


class ReadingOfFits(NamedTuple):
    """Shared fits, and the number of the reading that a calibrated classifier takes its scores from."""

    fits: SharedFits
    number: int = 0

    def fold_scores(self, scoring: Scoring, data: FitData, splits: list[Split], n_jobs: int | None) -> Scores:
        """Return the scores of the test rows of each split."""
        return [scores[self.number] for scores in self.fits.fold_scores(scoring, data, splits, n_jobs)]


@dataclass(frozen=True, eq=False)
class _ScoredFolds:
    """What fits of folds depend on, as arrays, and the scores of each fold by each reading."""

    method: str
    arrays: list[NDArray[Any]]
    scores: list[Scores] = field(default_factory=list)

    @classmethod
    def of(cls, scoring: Scoring, data: FitData, splits: list[Split]) -> _ScoredFolds:
        by_row = (np.empty(0) if each is None else each for each in (data.weight, data.pieces_of))
        return cls(scoring.method, [data.codes, *by_row, *(rows for split in splits for rows in split)])

    def is_same(self, other: _ScoredFolds) -> bool:
        """Return whether the fits, and the scores taken from them, are the same."""
        is_alike = self.method == other.method and len(self.arrays) == len(other.arrays)
        return is_alike and all(map(np.array_equal, self.arrays, other.arrays))


def _fit_fold(
    fits: SharedFits, scoring: Scoring, data: FitData, train: NDArray[np.intp], test: NDArray[np.intp]
) -> Scores:
    fitted = data.fit_clone(fits.estimator, train)
    name = response_method(fitted, scoring.method)
    found = responses_of(fitted, data.test_rows(fits.estimator, test, train), name, fits.readings)
    return [score_columns(fitted, name, each, scoring.classes) for each in found]


def responses_of(fitted: Any, X: Any, name: str, readings: Sequence[Any]) -> list[Any]:
    """Return what a method of a fitted estimator returns, or its `predict_proba` when read in several ways.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> bayes = GaussianNB().fit([[0.0], [1.0]], [0, 1])
    >>> [table.round(2).tolist() for table in responses_of(bayes, [[0.5]], "predict_proba", ())]
    [[[0.5, 0.5]]]
    """
    return list(fitted._predict_readings(X, readings)) if readings else [getattr(fitted, name)(X)]
