"""Trials of a nested plan: in each split one method is chosen by validation rows, and only that one is tested."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from calibrant.exceptions import DataError, ParameterError
from calibrant.resampling._trials.method_trial import MethodTrial, NumberedSplit, Stopwatch, TrialSeconds
from calibrant.resampling._trials.scoring import Scorer
from calibrant.resampling._trials.trials import PreparedMethods, failed_trial, run_trials

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._plans.nested import Nested

__all__ = ["run_nested_trials"]


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
            yield failed_trial(scorer, split, seconds, seed, traceback.format_exc())


def _run_split(
    methods: PreparedMethods, plan: Nested, scorer: Scorer, metric: str, n_jobs: int | None, split: NumberedSplit
) -> MethodTrial:
    """Choose the method that is best on validation rows, and try it; choosing is part of fitting."""
    watch = Stopwatch()
    inner_scorer = replace(scorer, metrics={metric: scorer.metrics[metric]})
    inner = list(run_trials(methods, _inner_splits(plan, split, scorer), inner_scorer, n_jobs=n_jobs))
    positions = sorted({trial.method for trial in inner})
    values = np.array([trial.values for trial in inner]).reshape(-1, len(positions))
    best = positions[_best(values.mean(axis=0), metric, scorer)]
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


def _best(values: NDArray[np.float64], metric: str, scorer: Scorer) -> int:
    """Return the position of the best value, the first of equal ones."""
    if np.isnan(values).all():
        raise DataError(
            f"choose_by={metric!r} has no value on the validation rows; take more of them or another metric."
        )
    is_better = scorer.is_better(metric)
    best = int(np.flatnonzero(~np.isnan(values))[0])
    for position, value in enumerate(values.tolist()):
        if is_better(value, float(values[best])):
            best = position
    return best
