"""Every method on every split: tables coded once, trees grown once, other methods fitted in parallel."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from calibrant._fit_warnings import collect_warnings, pass_on
from calibrant._threads import n_threads
from calibrant.exceptions import DataError, ParameterError
from calibrant.resampling._plans import splitters
from calibrant.resampling._plans.derived_plans import Nested
from calibrant.resampling._trials.coded_rows import CodedRows, CodedTrees, fits_coded_rows
from calibrant.resampling._trials.families import Family, open_seeds, same_value
from calibrant.resampling._trials.fitting import fit_predict
from calibrant.resampling._trials.scoring import Scorer, TrainingSummary, better_of
from calibrant.resampling._trials.trial_data import (
    MethodTrial,
    NumberedSplit,
    SplitPredictions,
    Stopwatch,
    TrialData,
    TrialSeconds,
)
from calibrant.trees._internal import GrownTree

T = TypeVar("T")

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
    tables: list[tuple[Any, CodedRows | None]] = []  # by nominal columns: methods with the same ones share a table
    prepared: list[Family] = []
    for family in families:
        rows, method = None, family.first
        if fits_coded_rows(method):
            known = [table for nominal, table in tables if same_value(nominal, method.nominal)]
            if not known:
                known = [_recovered(partial(CodedRows.of, data, method.nominal, 1), None, records_errors)]
                tables.append((method.nominal, known[0]))
            rows = known[0]
        prepared.append(replace(family, rows=rows))
    coded = [
        None if each.rows is None else _recovered(partial(CodedTrees.of, each, data), None, records_errors)
        for each in prepared
    ]
    return PreparedMethods(tuple(names), prepared, coded, records_errors)


def _recovered(work: Callable[[], T], fallback: T, records_errors: bool) -> T:
    """Return the result of some work, or a fallback where it fails: an ordinary `fit` raises each method's error."""
    try:
        return work()
    except Exception:
        if not records_errors:
            raise
        return fallback


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
            untried = _untried(scorer, split)
            for position, own in sorted(found.items()):
                scores = _score(methods, scorer, split, untried.training, own)
                seed = split.seed if position in methods.open_positions else None
                yield replace(untried, method=position, seconds=own.seconds, seed=seed, **scores)


def _untried(scorer: Scorer, split: NumberedSplit) -> MethodTrial:
    """Return a trial with the facts that all methods on a split share."""
    is_trained = np.zeros(scorer.data.n_rows, dtype=np.bool_)
    is_trained[split.train] = True
    n_train, is_disjoint = int(np.count_nonzero(is_trained)), not is_trained[split.test].any()
    return MethodTrial(split.number, 0, split.test, n_train, scorer.summarize(split.train), is_disjoint)


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
        if split.number == splitters.ALL_ROWS:
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
                tree, seconds = trees.pop(number)
                predict = partial(coded.predict, tree, split, seconds)
                read: list[SplitPredictions] = _recovered(predict, [], methods.records_errors)
                read = read or fit_predict(coded.family, data, split, records_errors=True)
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
    # The number of times that each row (columns) is trained on in each split (rows)
    counts = np.stack([np.bincount(split.train, minlength=data.n_rows).astype(np.uint16) for split in splits])
    return [
        {} if coded is None else _recovered(partial(_grow, coded, splits, counts, n_jobs), {}, methods.records_errors)
        for coded in methods.coded
    ]


def _grow(coded: CodedTrees, splits: list[NumberedSplit], counts: NDArray[np.uint16], n_jobs: int | None) -> Growth:
    numbers = [number for number, each in enumerate(counts) if coded.can_grow(each)]
    if not numbers:
        return {}
    seeds = [splits[number].seed for number in numbers]
    grown, seconds = coded.grow(counts if len(numbers) == len(splits) else counts[numbers], seeds, n_jobs)
    return {number: (tree, seconds) for number, tree in zip(numbers, grown, strict=True)}


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


def run_nested_trials(
    methods: PreparedMethods,
    plan: Nested,
    splits: Iterable[NumberedSplit],
    scorer: Scorer,
    *,
    choose_by: str | None = None,
    n_jobs: int | None = None,
) -> Iterator[MethodTrial]:
    """Choose a method within the training rows of each split, and try it.

    Examples
    --------
    >>> from calibrant.resampling import Holdout, Nested
    >>> from calibrant.resampling._trials.trial_data import read_trial_data
    >>> from calibrant.resampling._trials.scoring import read_scorer
    >>> from calibrant.resampling._trials.families import group_families
    >>> from calibrant.resampling._trials.trials import prepare_methods
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> data = read_trial_data([[i] for i in range(40)], [0, 1] * 20, None, None, is_regression=False)
    >>> trees = {name: ProbabilityTreeClassifier(estimate=name) for name in ("frequency", "laplace")}
    >>> plan, scorer = Nested(Holdout()), read_scorer(data, ["log_loss"], None, None)
    >>> splits = [NumberedSplit(0, *split) for split in plan.split(data.X)]
    >>> methods = prepare_methods(group_families(trees), trees, data)
    >>> [trial.choice for trial in run_nested_trials(methods, plan, splits, scorer)]
    ['laplace']
    """
    metric = _check_metric(choose_by, scorer)
    run = partial(_run_split, replace(methods, records_errors=False), plan, scorer, metric, n_jobs)
    for split in splits:
        watch = Stopwatch()
        try:
            yield run(split)
        except Exception:
            if not methods.records_errors:
                raise
            seconds, seed = TrialSeconds(fit=watch.total), _seed_of(methods, split)
            yield replace(_untried(scorer, split), seconds=seconds, seed=seed, error=traceback.format_exc())


def _run_split(
    methods: PreparedMethods, plan: Nested, scorer: Scorer, metric: str, n_jobs: int | None, split: NumberedSplit
) -> MethodTrial:
    """Choose the method that is best on validation rows, and try it; choosing is part of fitting."""
    watch = Stopwatch()
    inner_scorer = replace(scorer, metrics={metric: scorer.metrics[metric]})
    inner = list(run_trials(methods, _inner_splits(plan, split, scorer), inner_scorer, n_jobs=n_jobs))
    positions = sorted({trial.method for trial in inner})
    values = np.array([trial.values for trial in inner]).reshape(-1, len(positions))
    best = positions[_best(values.mean(axis=0), metric)]
    choosing = watch.lap()
    trial = next(run_trials(methods.subset([best]), [split], scorer, n_jobs=n_jobs))
    seconds = trial.seconds._replace(fit=trial.seconds.fit + choosing)
    return replace(trial, method=0, choice=methods.names[best], seconds=seconds, seed=_seed_of(methods, split))


def _seed_of(methods: PreparedMethods, split: NumberedSplit) -> int | None:
    return split.seed if methods.open_positions else None


def _check_metric(choose_by: str | None, scorer: Scorer) -> str:
    metric = next(iter(scorer.metrics)) if choose_by is None else choose_by
    if metric not in scorer.metrics:
        raise ParameterError(f"choose_by={metric!r} is not among metrics: {', '.join(scorer.metrics)}.")
    if scorer.metrics[metric] is not None:
        raise ParameterError(
            f"choose_by={metric!r} is a function, of which it is not known whether more is better; choose by an id of "
            "calibrant.metrics.METRICS among metrics."
        )
    return metric


def _inner_splits(plan: Nested, split: NumberedSplit, scorer: Scorer) -> list[NumberedSplit]:
    """Return the training and validation rows of a split, as positions among all rows."""
    data, rest = scorer.data, split.train
    inner = plan.inner_split(rest, data.X, data.y, data.groups)
    return [
        NumberedSplit(number, rest[np.asarray(train)], rest[np.asarray(validation)], split.seed)
        for number, (train, validation) in enumerate(inner)
    ]


def _best(values: NDArray[np.float64], metric: str) -> int:
    """Return the position of the best value, the first of equal ones."""
    if np.isnan(values).all():
        raise DataError(
            f"choose_by={metric!r} has no value on the validation rows; take more of them or another metric."
        )
    is_better, best = better_of(metric), int(np.flatnonzero(~np.isnan(values))[0])
    for position, value in enumerate(values.tolist()):
        if is_better is not None and is_better(value, float(values[best])):
            best = position
    return best
