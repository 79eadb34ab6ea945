"""Every method on every split: tables coded once, trees grown once, other methods fitted in parallel."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calibrant._fit_warnings import collect_warnings, pass_on
from calibrant._threads import n_threads
from calibrant.resampling._trials.coded_rows import CodedRows, fits_coded_rows
from calibrant.resampling._trials.coded_trees import CodedTrees, row_counts
from calibrant.resampling._trials.families import Family
from calibrant.resampling._trials.fitting import fit_predict
from calibrant.resampling._trials.method_trial import ALL_ROWS, MethodTrial, NumberedSplit, SplitPredictions
from calibrant.resampling._trials.methods import same_value
from calibrant.resampling._trials.seeds import open_seeds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._trials.method_trial import TrialSeconds
    from calibrant.resampling._trials.scoring import Scorer, TrainingSummary
    from calibrant.resampling._trials.trial_data import TrialData
    from calibrant.trees._internal import GrownTree

__all__ = ["PreparedMethods", "failed_trial", "prepare_methods", "run_trials"]

_SPLITS_AT_ONCE = 64  # the row counts of all splits of leave-one-out would take memory n_rows squared
_FITS_PER_WORKER = 4  # between two steps of the progress bar: more keep workers busier, fewer move it more often


@dataclass(frozen=True, eq=False)
class PreparedMethods:
    """Methods in families; ``coded`` holds the coded table of each family of trees that can be grown on one.

    With `records_errors` a method that fails has a traceback instead of a result and does not stop the others.
    """

    names: tuple[str, ...]
    families: list[Family]
    coded: list[CodedTrees | None]
    records_errors: bool = False

    @cached_property
    def open_positions(self) -> frozenset[int]:
        """The positions of the methods that take the seed of the split."""
        return frozenset(
            position
            for family in self.families
            for position, member in zip(family.positions, family.members, strict=True)
            if family.open_seeds or open_seeds(member)
        )

    def subset(self, positions: Iterable[int]) -> PreparedMethods:
        """Return some of the methods, by their positions among all, which they keep."""
        wanted, families, coded = set(positions), [], []
        for family, trees in zip(self.families, self.coded, strict=True):
            numbers = [number for number, position in enumerate(family.positions) if position in wanted]
            if numbers:
                families.append(family.subset(numbers))
                coded.append(None if trees is None else trees.subset(numbers))
        return PreparedMethods(self.names, families, coded, self.records_errors)


def prepare_methods(
    families: Sequence[Family], names: Iterable[str], data: TrialData, *, records_errors: bool = False
) -> PreparedMethods:
    """Code the table once for all families that can be fitted to coded rows."""
    prepared, tables = [], list[tuple[Any, CodedRows | None]]()
    for family in families:
        rows = _code_rows(family.first, data, tables, records_errors) if fits_coded_rows(family.first) else None
        prepared.append(replace(family, rows=rows))
    coded = [_code_trees(family, data, records_errors) for family in prepared]
    return PreparedMethods(tuple(names), prepared, coded, records_errors)


def _code_rows(
    method: Any, data: TrialData, tables: list[tuple[Any, CodedRows | None]], records_errors: bool
) -> CodedRows | None:
    """Return the table coded for a method, the same for all methods with the same nominal columns."""
    for nominal, rows in tables:
        if same_value(nominal, method.nominal):
            return rows
    try:
        coded = CodedRows.of(data, method.nominal, 1)
    except Exception:
        if not records_errors:
            raise
        coded = None  # the `fit` of each method raises its own error
    tables.append((method.nominal, coded))
    return coded


def _code_trees(family: Family, data: TrialData, records_errors: bool) -> CodedTrees | None:
    if family.rows is None:
        return None
    try:
        return CodedTrees.of(family, data)
    except Exception:
        if not records_errors:
            raise
        return None  # the `fit` of each member raises its own error, or none


def run_trials(
    methods: PreparedMethods, splits: Iterable[NumberedSplit], scorer: Scorer, *, n_jobs: int | None = None
) -> Iterator[MethodTrial]:
    """Fit the methods to the training rows of all splits, and score their predictions for the test rows.

    Examples
    --------
    >>> from calibrant.resampling._trials.trial_data import read_trial_data
    >>> from calibrant.resampling._trials.scoring import read_scorer
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> data = read_trial_data([[i] for i in range(8)], [0] * 4 + [1] * 4, None, None, is_regression=False)
    >>> splits = [NumberedSplit(0, np.array([0, 1, 6, 7]), np.array([2, 3, 4, 5]))]
    >>> methods = prepare_methods([Family((0,), (ProbabilityTreeClassifier(),))], ["tree"], data)
    >>> next(run_trials(methods, splits, read_scorer(data, ["error"], None, None))).values
    array([0.5])
    """
    pending = iter(splits)
    while block := list(islice(pending, _SPLITS_AT_ONCE)):
        predictions = _predict(methods, scorer.data, block, n_jobs)
        for split, found in zip(block, predictions, strict=True):
            yield from _score_split(methods, scorer, split, found)


class _SplitFacts(NamedTuple):
    """What the trials of all methods on a split have in common."""

    split: int
    test: NDArray[np.intp]
    n_train: int
    training: TrainingSummary
    is_disjoint: bool

    @classmethod
    def of(cls, scorer: Scorer, split: NumberedSplit) -> _SplitFacts:
        is_trained = np.zeros(scorer.data.n_rows, dtype=np.bool_)
        is_trained[split.train] = True
        n_train, is_disjoint = int(np.count_nonzero(is_trained)), not is_trained[split.test].any()
        return cls(split.number, split.test, n_train, scorer.summarize(split.train), is_disjoint)


def failed_trial(
    scorer: Scorer, split: NumberedSplit, seconds: TrialSeconds, seed: int | None, error: str
) -> MethodTrial:
    """Return the trial of the only method on a split, which failed."""
    facts = _SplitFacts.of(scorer, split)
    return MethodTrial(**facts._asdict(), method=0, seconds=seconds, seed=seed, error=error)


def _score_split(
    methods: PreparedMethods, scorer: Scorer, split: NumberedSplit, predictions: dict[int, SplitPredictions]
) -> Iterator[MethodTrial]:
    """Score the predictions of each method, in the order of the methods."""
    facts = _SplitFacts.of(scorer, split)
    common = facts._asdict()
    for position, found in sorted(predictions.items()):
        scores = _score(methods, scorer, split, facts.training, found)
        seed = split.seed if position in methods.open_positions else None
        yield MethodTrial(**common, method=position, seconds=found.seconds, seed=seed, **scores)


def _score(
    methods: PreparedMethods, scorer: Scorer, split: NumberedSplit, training: TrainingSummary, found: SplitPredictions
) -> dict[str, Any]:
    """Return the metrics and predictions of a trial, or the traceback of its error or of an error in a metric."""
    if found.error:
        return {"error": found.error}
    predictions = found.predictions
    try:
        scores: dict[str, Any] = {"values": np.array(scorer.scores(predictions[0], split.test, training))}
        if split.tests_training:
            scores["training_values"] = np.array(scorer.scores(predictions[-1], split.train, training))
            scores |= {"train": split.train, "training_predictions": predictions[-1]}
        if split.number == ALL_ROWS:
            guessing = scorer.no_information_scores(predictions[-1], split.train, training)
            scores["no_information"] = np.array(guessing)
    except Exception:
        if not methods.records_errors:
            raise
        return {"error": traceback.format_exc()}
    return {**scores, "predictions": predictions[0]}


def _predict(
    methods: PreparedMethods, data: TrialData, splits: list[NumberedSplit], n_jobs: int | None
) -> Iterator[dict[int, SplitPredictions]]:
    """Yield the predictions of each method, by its position, for each split: trees on coded tables where possible."""
    grown = _grow_all(methods, data, splits, n_jobs)
    others = [
        [family for family, trees in zip(methods.families, grown, strict=True) if number not in trees]
        for number in range(len(splits))
    ]
    fitted = _fit_predict_splits(others, data, splits, methods.records_errors, n_jobs)
    for number, (split, rest) in enumerate(zip(splits, fitted, strict=True)):
        found = dict(rest)
        for coded, trees in zip(methods.coded, grown, strict=True):
            if coded is not None and number in trees:
                read = _read(coded, split, *trees.pop(number), data, methods.records_errors)
                found.update(zip(coded.family.positions, read, strict=True))
        yield found


# The grown tree of each split, by its position in a block, and the seconds that growing it took
Growth = dict[int, tuple["GrownTree", float]]


def _grow_all(
    methods: PreparedMethods, data: TrialData, splits: list[NumberedSplit], n_jobs: int | None
) -> list[Growth]:
    """Grow the trees of each family for all splits where they can be grown on the coded table."""
    if not any(methods.coded):
        return [{} for _ in methods.coded]
    counts = row_counts([(split.train, split.test) for split in splits], data.n_rows)
    return [
        {} if coded is None else _grow(coded, splits, counts, methods.records_errors, n_jobs) for coded in methods.coded
    ]


def _grow(
    coded: CodedTrees,
    splits: list[NumberedSplit],
    counts: NDArray[np.uint16],
    records_errors: bool,
    n_jobs: int | None,
) -> Growth:
    try:
        numbers = [number for number, each in enumerate(counts) if coded.can_grow(each)]
        if not numbers:
            return {}
        seeds = [splits[number].seed for number in numbers]
        grown, seconds = coded.grow(counts if len(numbers) == len(splits) else counts[numbers], seeds, n_jobs)
        return {number: (tree, seconds) for number, tree in zip(numbers, grown, strict=True)}
    except Exception:
        if not records_errors:
            raise
        return {}  # an ordinary `fit` of each member shows which of them fails, and where


def _read(
    coded: CodedTrees, split: NumberedSplit, tree: GrownTree, seconds: float, data: TrialData, records_errors: bool
) -> list[SplitPredictions]:
    try:
        return coded.predict(tree, split, seconds)
    except Exception:
        if not records_errors:
            raise
        return fit_predict(coded.family, data, split, records_errors=True)


def _fit_predict_splits(
    families: Sequence[list[Family]],
    data: TrialData,
    splits: Sequence[NumberedSplit],
    records_errors: bool,
    n_jobs: int | None,
) -> Iterator[list[tuple[int, SplitPredictions]]]:
    """Fit the remaining families of each split, in several processes where requested."""
    jobs: list[Any] = [(each, data, split, records_errors) for each, split in zip(families, splits, strict=True)]
    workers = n_threads(n_jobs) if any(families) else 1
    if workers == 1:
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
    families: list[Family], data: TrialData, split: NumberedSplit, records_errors: bool
) -> list[tuple[int, SplitPredictions]]:
    found = [(family, fit_predict(family, data, split, records_errors=records_errors)) for family in families]
    return [pair for family, each in found for pair in zip(family.positions, each, strict=True)]
