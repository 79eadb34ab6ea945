"""Trials of a nested plan: in each split one method is chosen by validation rows, and only that one is tested."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from calibrant.exceptions import DataError, ParameterError
from calibrant.resampling._trials.scoring import Scorer
from calibrant.resampling._trials.trials import PreparedMethods, Trial, run_trials

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._plans.nested import Nested
    from calibrant.resampling._plans.plan import Split

__all__ = ["run_nested_trials"]


def run_nested_trials(
    methods: PreparedMethods,
    plan: Nested,
    splits: Iterable[Split],
    scorer: Scorer,
    *,
    choose_by: str | None,
    choices: list[str],
    tests_training: bool = False,
    n_jobs: int | None = None,
) -> Iterator[Trial]:
    """Choose a method within the training rows of each split and try it; its name is appended to `choices`.

    Examples
    --------
    >>> from calibrant.resampling import Holdout, Nested
    >>> from calibrant.resampling._trials.trial_data import read_trial_data
    >>> from calibrant.resampling._trials.scoring import read_scorer
    >>> from calibrant.resampling._trials.trials import prepare_methods
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> data = read_trial_data([[i] for i in range(40)], [0, 1] * 20, None, None, is_regression=False)
    >>> trees = {name: ProbabilityTreeClassifier(estimate=name) for name in ("frequency", "laplace")}
    >>> methods = prepare_methods(trees, data)
    >>> plan, choices, scorer = Nested(Holdout()), [], read_scorer(data, ["log_loss"], None, None)
    >>> found = list(run_nested_trials(methods, plan, plan.split(data.X), scorer, choose_by=None, choices=choices))
    >>> len(found), choices
    (1, ['laplace'])
    """
    metric = _check_metric(choose_by, scorer)
    inner_scorer = replace(scorer, metrics={metric: scorer.metrics[metric]})
    for train, test in splits:
        inner = _inner_splits(plan, np.asarray(train), scorer)
        trials = run_trials(methods, inner, inner_scorer, n_jobs=n_jobs)
        best = _best(np.mean([trial.values[:, 0] for trial in trials], axis=0), metric, scorer)
        choices.append(methods.names[best])
        yield from run_trials(methods.only(best), [(train, test)], scorer, tests_training=tests_training, n_jobs=n_jobs)


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


def _inner_splits(plan: Nested, rest: NDArray[np.intp], scorer: Scorer) -> list[Split]:
    """Return the training and validation rows of a split, as positions among all rows."""
    data = scorer.data
    inner = plan.inner_split(rest, data.X, data.y, data.groups)
    return [(rest[np.asarray(train)], rest[np.asarray(validation)]) for train, validation in inner]


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
