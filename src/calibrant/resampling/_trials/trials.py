"""Every method on every split: tables coded once, trees grown once, other methods fitted in parallel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._fit_warnings import collect_warnings, pass_on
from calibrant._threads import n_threads
from calibrant.resampling._trials.coded_trees import CodedTrees, row_counts
from calibrant.resampling._trials.fitting import fit_predict
from calibrant.resampling._trials.methods import Family, Methods, group_families

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._plans.plan import Split
    from calibrant.resampling._trials.scoring import Scorer, TrainingSummary
    from calibrant.resampling._trials.trial_data import TrialData

__all__ = ["PreparedMethods", "Trial", "prepare_methods", "run_trials"]

_SPLITS_AT_ONCE = 64  # the row counts of all splits of leave-one-out would take memory n_rows squared
_FITS_PER_WORKER = 4  # between two steps of the progress bar: more keep workers busier, fewer move it more often

# The predictions of each method (inner) for each set of rows (outer).
PredictionSets = list[list["NDArray[np.float64]"]]


@dataclass(frozen=True, eq=False)
class Trial:
    """One split.

    Parameters
    ----------
    test : array of int
        The test rows.
    n_train : int
        Number of different training rows.
    training : TrainingSummary
        What metrics need to know about the training rows.
    values : array of shape (n_methods, n_metrics)
        The metrics on the test rows.
    predictions : list of arrays
        The predictions of each method for the test rows.
    is_disjoint : bool
        Whether no test row is a training row.
    training_values, no_information : arrays of shape (n_methods, n_metrics) or None
        The metrics on the training rows, and those of predictions independent of the outcomes; where requested.
    """

    test: NDArray[np.intp]
    n_train: int
    training: TrainingSummary
    values: NDArray[np.float64]
    predictions: list[NDArray[np.float64]]
    is_disjoint: bool = True
    training_values: NDArray[np.float64] | None = None
    no_information: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class PreparedMethods:
    """Methods in families; ``coded`` holds the coded table of each family of trees that can be grown on one."""

    names: tuple[str, ...]
    families: list[Family]
    coded: list[CodedTrees | None]

    def only(self, position: int) -> PreparedMethods:
        """Return a single method, by its position among all."""
        number = next(i for i, family in enumerate(self.families) if position in family.positions)
        family, coded = self.families[number], self.coded[number]
        member = family.positions.index(position)
        alone = Family((0,), (family.members[member],))
        return PreparedMethods((self.names[position],), [alone], [None if coded is None else coded.only(alone, member)])


def prepare_methods(methods: Methods, data: TrialData) -> PreparedMethods:
    """Group methods into families and code the table for those of trees."""
    families = group_families(methods)
    return PreparedMethods(tuple(methods), families, [CodedTrees.of(family, data) for family in families])


def run_trials(
    methods: PreparedMethods,
    splits: Iterable[Split],
    scorer: Scorer,
    *,
    tests_training: bool = False,
    n_jobs: int | None = None,
) -> Iterator[Trial]:
    """Fit the methods to the training rows of all splits, and score their predictions for the test rows.

    Examples
    --------
    >>> from calibrant.resampling._trials.trial_data import read_trial_data
    >>> from calibrant.resampling._trials.scoring import read_scorer
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> data = read_trial_data([[i] for i in range(8)], [0] * 4 + [1] * 4, None, None, is_regression=False)
    >>> splits = [(np.array([0, 1, 6, 7]), np.array([2, 3, 4, 5]))]
    >>> methods = prepare_methods({"tree": ProbabilityTreeClassifier()}, data)
    >>> next(run_trials(methods, splits, read_scorer(data, ["error"], None, None))).values
    array([[0.5]])
    """
    pairs = ((np.asarray(train), np.asarray(test)) for train, test in splits)
    while block := list(islice(pairs, _SPLITS_AT_ONCE)):
        row_sets = [[test, train] if tests_training else [test] for train, test in block]
        predictions = _predict(methods, scorer.data, block, row_sets, n_jobs)
        for split, found in zip(block, predictions, strict=True):
            yield _score(scorer, split, found)


def _score(scorer: Scorer, split: Split, predictions: Sequence[Any]) -> Trial:
    """Score the predictions of each method for the test rows and, where there are some, for the training rows."""
    train, test = split
    training = scorer.summarize(train)
    values = np.array([scorer.scores(each[0], test, training) for each in predictions])
    n_train = int(np.count_nonzero(np.bincount(train)))
    is_disjoint = not np.isin(test, train).any()
    trial = Trial(test, n_train, training, values, [each[0] for each in predictions], is_disjoint)
    if len(predictions[0]) == 1:
        return trial
    return replace(
        trial,
        training_values=np.array([scorer.scores(each[1], train, training) for each in predictions]),
        no_information=np.array([scorer.no_information_scores(each[1], train, training) for each in predictions]),
    )


def _predict(
    methods: PreparedMethods,
    data: TrialData,
    splits: list[Split],
    row_sets: list[list[NDArray[np.intp]]],
    n_jobs: int | None,
) -> Iterator[list[Any]]:
    """Yield the predictions of each method for each set of rows of a split: trees on coded tables where possible."""
    on_table = [_growable(coded, splits, data.n_rows) for coded in methods.coded]
    grown = [
        _grow_predict(coded, splits, row_sets, which, n_jobs)
        for coded, which in zip(methods.coded, on_table, strict=True)
    ]
    others = [
        [family for family, which in zip(methods.families, on_table, strict=True) if not which[number]]
        for number in range(len(splits))
    ]
    for number, fitted in enumerate(_fit_predict_splits(others, data, splits, row_sets, n_jobs)):
        by_position: dict[int, Sequence[Any]] = {}
        rest = iter(fitted)
        for family, which, trees in zip(methods.families, on_table, grown, strict=True):
            found = next(trees) if which[number] else next(rest)
            by_position.update(zip(family.positions, zip(*found, strict=True), strict=True))
        yield [by_position[position] for position in sorted(by_position)]


def _growable(coded: CodedTrees | None, splits: Sequence[Split], n_rows: int) -> list[bool]:
    """Return for which splits trees can be grown on the coded table."""
    if coded is None:
        return [False] * len(splits)
    return [coded.can_grow(row_counts([split], n_rows)[0]) for split in splits]


def _grow_predict(
    coded: CodedTrees | None,
    splits: Sequence[Split],
    row_sets: Sequence[list[NDArray[np.intp]]],
    growable: list[bool],
    n_jobs: int | None,
) -> Iterator[PredictionSets]:
    """Grow the trees of all growable splits at once, and yield their predictions one split after the other."""
    numbers = np.flatnonzero(growable).tolist()
    if coded is None or not numbers:
        return
    counts = row_counts([splits[number] for number in numbers], coded.data.n_rows)
    for number, growth in zip(numbers, coded.grow(counts, n_jobs), strict=True):
        yield coded.predict(growth, row_sets[number])


def _fit_predict_splits(
    families: Sequence[list[Family]],
    data: TrialData,
    splits: Sequence[Split],
    row_sets: Sequence[list[NDArray[np.intp]]],
    n_jobs: int | None,
) -> Iterator[list[PredictionSets]]:
    """Fit the remaining families of each split, in several processes where requested."""
    jobs = [(each, data, train, rows) for each, (train, _), rows in zip(families, splits, row_sets, strict=True)]
    workers = n_threads(n_jobs)
    if workers == 1 or not any(families):
        yield from (_fit_predict_split(*job) for job in jobs)
        return
    from sklearn.utils.parallel import Parallel, delayed  # only here: it takes time to import

    with Parallel(n_jobs=n_jobs) as parallel:
        for first in range(0, len(jobs), _FITS_PER_WORKER * workers):
            batch = jobs[first : first + _FITS_PER_WORKER * workers]
            for found, warned in parallel(delayed(collect_warnings)(_fit_predict_split, *job) for job in batch):
                pass_on(warned)
                yield found


def _fit_predict_split(
    families: list[Family], data: TrialData, train: NDArray[np.intp], row_sets: list[NDArray[np.intp]]
) -> list[PredictionSets]:
    return [fit_predict(family, data, train, row_sets) for family in families]
