"""Fits of a classifier to folds, in parallel or shared with others."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from joblib import effective_n_jobs
from joblib.parallel import get_active_backend
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.parallel import Parallel, delayed

from calibrant._fit_warnings import collect_warnings, pass_on
from calibrant._folds import Pieces, count_by_group, cut_into_units, deal_groups, unit_weight
from calibrant._random import SeedLike, seed_sequence, stream, stream_seed
from calibrant.calibration._classifier.fit_data import FitData
from calibrant.calibration._classifier.response import final_step, response_method, score_columns
from calibrant.data._internal import caller_level, can_be_frequencies
from calibrant.exceptions import CalibrantWarning, DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Split: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]
    from calibrant.calibration._classifier.held_out_scores import Scoring

    Scores: TypeAlias = list[NDArray[np.float64]]  # of one set of rows, by each reading

T = TypeVar("T")

_FEW_ROWS = 5_000  # up to here most models are fitted sooner than processes start, so the first fold is timed
_START = 2.0  # seconds: what starting joblib's processes takes; 2 to 17 were measured on two cores


def run_folds(
    fit: Callable[..., T], folds: Sequence[tuple[Any, ...]], *, estimator: Any, n_rows: int, n_jobs: int | None
) -> list[T]:
    """Return ``fit(*fold)`` for each fold; the result is the same for any number of jobs.

    Parameters
    ----------
    fit : callable
        Fits the model of a fold.
    folds : sequence of tuple
        The arguments of `fit`.
    estimator : classifier
        What is fitted: our own learners release the lock of the interpreter and are fitted in threads.
    n_rows : int
        Number of rows. With few, the first fold of another estimator is fitted in this process, and the others too if
        that takes less time than starting processes.
    n_jobs : int or None
        Folds fitted at once, counted as joblib counts.

    Returns
    -------
    list
        The results in the order of the folds.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> run_folds(pow, [(2, 3), (3, 2)], estimator=GaussianNB(), n_rows=100, n_jobs=2)
    [8, 9]
    """
    if fits_in_threads(estimator):
        with warnings.catch_warnings():  # threads that filter warnings may restore each other's filters
            return _run_parallel(fit, folds, n_jobs, prefer="threads")
    done: list[T] = []
    starts_processes = type(get_active_backend()[0]).__name__ == "LokyBackend" and effective_n_jobs(n_jobs) > 1
    if n_rows <= _FEW_ROWS and starts_processes:
        start = time.perf_counter()
        done = [fit(*folds[0])]
        if (time.perf_counter() - start) * (len(folds) - 1) < _START:
            n_jobs = 1
    return done + _run_parallel(fit, folds[len(done) :], n_jobs)


def _run_parallel(
    fit: Callable[..., T], folds: Sequence[tuple[Any, ...]], n_jobs: int | None, *, prefer: str | None = None
) -> list[T]:
    jobs = (delayed(collect_warnings)(fit, *fold) for fold in folds)
    found = list(Parallel(n_jobs=n_jobs, prefer=prefer)(jobs))
    for _, warned in found:
        pass_on(warned)
    return [result for result, _ in found]


def fits_in_threads(estimator: Any) -> bool:
    """Return whether an estimator, the last step of a pipeline, is one of ours and holds none of somebody else's.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> fits_in_threads(ProbabilityTreeClassifier()), fits_in_threads(GaussianNB())
    (True, False)
    """
    last = final_step(estimator)
    held = (value for value in last.get_params().values() if hasattr(value, "fit")) if _is_ours(last) else ()
    return _is_ours(last) and all(_is_ours(value) for value in held)


def _is_ours(value: Any) -> bool:
    return type(value).__module__.startswith("calibrant.")


_FOLDS = 0  # key of the random stream of one fit


def stratified_folds(data: FitData, n_folds: int, random_state: SeedLike) -> NDArray[np.intp]:
    """Return the fold of each row, each class spread evenly; groups are kept whole.

    Examples
    --------
    >>> data = FitData(np.zeros((6, 1)), np.array([0, 1]), np.array([0, 1, 0, 1, 0, 1]))
    >>> stratified_folds(data, 3, 0)
    array([0, 1, 1, 0, 2, 2])
    """
    seed = seed_sequence(random_state)
    if data.groups is None:
        return deal_rows(data.codes, _possible_folds(data, n_folds), stream_seed(seed, _FOLDS) % 2**32)
    counts = count_by_group(data.groups, data.codes, data.weight)
    return deal_groups(counts, np.ones(_possible_folds(data, n_folds)), stream(seed, _FOLDS))[data.groups]


def deal_rows(codes: NDArray[Any], n_folds: int, seed: int) -> NDArray[np.intp]:
    """Return the fold of each row, each class spread evenly."""
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    fold = np.empty(len(codes), dtype=np.intp)
    for number, (_, test) in enumerate(folds.split(codes, codes)):
        fold[test] = number
    return fold


def splits_of_folds(fold: NDArray[np.intp]) -> list[Split]:
    """Return the rows outside and inside each fold.

    Examples
    --------
    >>> splits_of_folds(np.array([0, 1, 0]))
    [(array([1]), array([0, 2])), (array([0, 2]), array([1]))]
    """
    return [(np.flatnonzero(fold != number), np.flatnonzero(fold == number)) for number in range(int(fold.max()) + 1)]


def unit_pieces(data: FitData, n_folds: int, random_state: SeedLike) -> Pieces | None:
    """Return the weight of each row in each fold, the units of a weighted row in folds of their own; None if whole.

    The folds are those of the rows with each repeated in its place as often as it weighs. Rows stay whole where there
    are groups, where the estimator is fitted without the weights, and where no weight is 1.5 or more.

    Examples
    --------
    >>> weight = np.array([1.0, 1.0, 2.0, 2.0])
    >>> arguments = {"weight": weight, "to_fit": {"sample_weight": weight}}
    >>> pieces = unit_pieces(FitData(np.zeros((4, 1)), np.array([0, 1]), np.array([0, 1, 0, 1]), **arguments), 2, 0)
    >>> pieces.rows, pieces.weight, pieces.fold
    (array([0, 1, 2, 2, 3, 3]), array([1., 1., 1., 1., 1., 1.]), array([0, 1, 0, 1, 0, 1]))
    """
    weight = data.weight
    if weight is None or data.groups is not None or "sample_weight" not in data.to_fit:
        return None
    if not can_be_frequencies(weight) or weight.max() < 1.5:
        return None
    units = cut_into_units(np.arange(data.n_rows), weight / unit_weight(weight))
    codes = data.codes[units.rows]
    seed = stream_seed(seed_sequence(random_state), _FOLDS) % 2**32
    fold = deal_rows(codes, _fewest(n_folds, np.bincount(codes), data.classes), seed)
    parts, part = np.unique(units.rows * (fold.max() + 1) + fold, return_inverse=True)
    rows, share = parts // (fold.max() + 1), np.bincount(part) / np.bincount(units.rows)[parts // (fold.max() + 1)]
    return Pieces(rows, share * weight[rows], parts % (fold.max() + 1))


def _possible_folds(data: FitData, n_folds: int) -> int:
    """Return the number of folds, at most the rows, or groups, of the rarest class: every fold needs some of it."""
    if data.groups is None:
        return _fewest(n_folds, np.bincount(data.codes), data.classes)
    sizes = (count_by_group(data.groups, data.codes) > 0).sum(axis=0)
    return _fewest(n_folds, sizes, data.classes, units="groups")


def _fewest(n_folds: int, sizes: NDArray[Any], classes: NDArray[Any], units: str = "rows") -> int:
    fewest, rare = int(sizes.min()), classes.tolist()[sizes.argmin()]
    if fewest < 2:
        raise DataError(
            f"the class {rare!r} has 1 {units[:-1]} only, which cannot be both fitted and scored: folds need 2 {units} "
            "of a class or more. Drop the class or merge it with another."
        )
    if fewest < n_folds:
        warnings.warn(
            f"the class {rare!r} has {fewest} {units}, fewer than cv={n_folds} folds: {fewest} folds are used.",
            CalibrantWarning,
            stacklevel=caller_level(),
        )
    return min(n_folds, fewest)


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


@dataclass(frozen=True, eq=False)
class _ScoredFolds:
    """The arguments that fits of folds depend on, as arrays, with the scores of each fold by each reading."""

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
    """Return the result of a method of a fitted estimator, or its `predict_proba` when read in several ways.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> bayes = GaussianNB().fit([[0.0], [1.0]], [0, 1])
    >>> [table.round(2).tolist() for table in responses_of(bayes, [[0.5]], "predict_proba", ())]
    [[[0.5, 0.5]]]
    """
    return list(fitted._predict_readings(X, readings)) if readings else [getattr(fitted, name)(X)]
