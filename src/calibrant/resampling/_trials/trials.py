"""Every method on every split: the table coded once, trees grown once, other methods fitted in parallel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._threads import n_threads
from calibrant.resampling._trials.fitted import fitted_answers
from calibrant.resampling._trials.methods import Family, Methods, families
from calibrant.resampling._trials.tree_runs import TreeRuns, times_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._plans.plan import Split
    from calibrant.resampling._trials.scoring import Judge, Learnt
    from calibrant.resampling._trials.trial_data import Case

__all__ = ["Trial", "run_trials"]

_SPLITS_AT_ONCE = 64  # leaving one row of many out, the rows of all splits would fill the memory
_FITS_AT_ONCE = 4  # for each worker, between two steps of the bar

# For each set of rows that is asked about, what each method says of it.
Answers = list[list["NDArray[np.float64]"]]


@dataclass(frozen=True, eq=False)
class Trial:
    """One split.

    Parameters
    ----------
    test : array of int
        The rows tested on.
    n_train : int
        Number of different rows learnt from.
    learnt : Learnt
        What metrics ask about the rows learnt from.
    values : array of shape (n_methods, n_metrics)
        The metrics on the test rows.
    answers : list of arrays
        What each method says of the test rows.
    is_apart : bool
        Whether no row tested on was learnt from.
    training, guessing : arrays of shape (n_methods, n_metrics) or None
        The metrics on the training rows, and of predictions that have nothing to do with them; where asked for.
    """

    test: NDArray[np.intp]
    n_train: int
    learnt: Learnt
    values: NDArray[np.float64]
    answers: list[NDArray[np.float64]]
    is_apart: bool = True
    training: NDArray[np.float64] | None = None
    guessing: NDArray[np.float64] | None = None


def run_trials(
    methods: Methods,
    case: Case,
    splits: Iterable[Split],
    judge: Judge,
    *,
    tests_training: bool = False,
    n_jobs: int | None = None,
) -> Iterator[Trial]:
    """Try methods on all splits.

    Examples
    --------
    >>> from calibrant.resampling._trials.trial_data import read_case
    >>> from calibrant.resampling._trials.scoring import read_judge
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> case = read_case([[i] for i in range(8)], [0] * 4 + [1] * 4, None, None, is_regression=False)
    >>> splits = [(np.array([0, 1, 6, 7]), np.array([2, 3, 4, 5]))]
    >>> judge = read_judge(case, ["error"], None, None)
    >>> next(run_trials({"tree": ProbabilityTreeClassifier()}, case, splits, judge)).values
    array([[0.5]])
    """
    kin = families(methods)
    runs = [TreeRuns.of(family, case) for family in kin]
    pairs = ((np.asarray(train), np.asarray(test)) for train, test in splits)
    while block := list(islice(pairs, _SPLITS_AT_ONCE)):
        yield from _run_block(kin, runs, case, block, judge, tests_training, n_jobs)


def _run_block(
    kin: list[Family],
    runs: list[TreeRuns | None],
    case: Case,
    splits: list[Split],
    judge: Judge,
    tests_training: bool,
    n_jobs: int | None,
) -> Iterator[Trial]:
    """Try the methods on some splits: trees on the coded table where they can be, the rest in the ordinary way."""
    asked = [[test, train] if tests_training else [test] for train, test in splits]
    coded = [_covered(run, splits, case) for run in runs]
    grown = [_grown(run, splits, asked, done, n_jobs) for run, done in zip(runs, coded, strict=True)]
    left = [[family for family, done in zip(kin, coded, strict=True) if not done[s]] for s in range(len(splits))]
    for number, fitted in enumerate(_fitted(left, case, splits, asked, n_jobs)):
        answers: dict[int, Sequence[Any]] = {}
        rest = iter(fitted)
        for family, done, trees in zip(kin, coded, grown, strict=True):
            found = next(trees) if done[number] else next(rest)
            answers.update(zip(family.places, zip(*found, strict=True), strict=True))
        ours = {place for family, done in zip(kin, coded, strict=True) if done[number] for place in family.places}
        yield _judged(judge, splits[number], [answers[place] for place in sorted(answers)], ours)


def _judged(judge: Judge, split: Split, answers: Sequence[Any], ours: set[int]) -> Trial:
    train, test = split
    learnt = judge.learnt(train)
    values = [judge.values(each[0], test, learnt, is_ours=place in ours) for place, each in enumerate(answers)]
    n_train = int(np.count_nonzero(np.bincount(train)))
    is_apart = not np.isin(test, train).any()
    tried = Trial(test, n_train, learnt, np.array(values), [each[0] for each in answers], is_apart)
    if len(answers[0]) == 1:
        return tried
    training = [judge.values(each[1], train, learnt, is_ours=place in ours) for place, each in enumerate(answers)]
    guessing = [judge.guessing(each[1], train, learnt) for each in answers]
    return replace(tried, training=np.array(training), guessing=np.array(guessing))


def _covered(run: TreeRuns | None, splits: Sequence[Split], case: Case) -> list[bool]:
    """Say for which splits trees can be grown on the coded table."""
    if run is None:
        return [False] * len(splits)
    return [run.covers(times_of([split], case.n_rows)[0]) for split in splits]


def _grown(
    run: TreeRuns | None,
    splits: Sequence[Split],
    asked: Sequence[list[NDArray[np.intp]]],
    covered: list[bool],
    n_jobs: int | None,
) -> Iterator[Answers]:
    """Grow trees all at once, and give their answers one by one."""
    places = np.flatnonzero(covered).tolist()
    if run is None or not places:
        return
    times = times_of([splits[place] for place in places], run.case.n_rows)
    for place, growth in zip(places, run.grow(times, n_jobs), strict=True):
        yield run.answers(growth, asked[place])


def _fitted(
    left: Sequence[list[Family]],
    case: Case,
    splits: Sequence[Split],
    asked: Sequence[list[NDArray[np.intp]]],
    n_jobs: int | None,
) -> Iterator[list[Answers]]:
    """Fit what is left of each split, in several processes where that was asked for."""
    jobs = [(kin, case, train, rows) for kin, (train, _), rows in zip(left, splits, asked, strict=True)]
    workers = n_threads(n_jobs)
    if workers == 1 or not any(left):
        yield from (_fit_split(*job) for job in jobs)
        return
    from sklearn.utils.parallel import Parallel, delayed  # only here: it takes time to import

    with Parallel(n_jobs=n_jobs) as parallel:
        for first in range(0, len(jobs), _FITS_AT_ONCE * workers):
            part = jobs[first : first + _FITS_AT_ONCE * workers]
            yield from parallel(delayed(_fit_split)(*job) for job in part)


def _fit_split(kin: list[Family], case: Case, train: NDArray[np.intp], asked: list[NDArray[np.intp]]) -> list[Answers]:
    return [fitted_answers(family, case, train, asked) for family in kin]
