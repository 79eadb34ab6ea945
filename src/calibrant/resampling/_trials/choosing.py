"""One method chosen within each split, by rows that are neither learnt from nor tested on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from calibrant.exceptions import DataError, ParameterError
from calibrant.resampling._trials.scoring import Judge, better_of, cut_params
from calibrant.resampling._trials.trials import Trial, run_trials

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._plans.nested import Nested
    from calibrant.resampling._plans.plan import Split
    from calibrant.resampling._trials.methods import Methods
    from calibrant.resampling._trials.trial_data import Case

__all__ = ["chosen_trials"]


def chosen_trials(
    methods: Methods,
    case: Case,
    plan: Nested,
    splits: Iterable[Split],
    judge: Judge,
    choose_by: str | None,
    choices: list[str],
    n_jobs: int | None,
) -> Iterator[Trial]:
    """Choose a method within the training rows of each split, fit it to all of them, and try it; note each choice.

    Examples
    --------
    >>> from calibrant.resampling import Holdout, Nested
    >>> from calibrant.resampling._trials.trial_data import read_case
    >>> from calibrant.resampling._trials.scoring import read_judge
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> case = read_case([[i] for i in range(40)], [0, 1] * 20, None, None, is_regression=False)
    >>> methods = {name: ProbabilityTreeClassifier(estimate=name) for name in ("frequency", "laplace")}
    >>> plan, choices = Nested(Holdout()), []
    >>> judge = read_judge(case, ["log_loss"], None, None)
    >>> found = list(chosen_trials(methods, case, plan, list(plan.split(case.X)), judge, None, choices, None))
    >>> len(found), choices
    (1, ['laplace'])
    """
    metric = next(iter(judge.metrics)) if choose_by is None else choose_by
    if metric not in judge.metrics:
        raise ParameterError(f"choose_by={metric!r} is not among metrics: {', '.join(judge.metrics)}.")
    if judge.metrics[metric] is not None:
        raise ParameterError(
            f"choose_by={metric!r} is a function, of which nobody knows whether more is better; choose by an id of "
            "calibrant.metrics.METRICS among metrics."
        )
    weighs = getattr(plan, "_weighing", None) is not None
    for train, test in splits:
        split = (np.asarray(train), np.asarray(test))
        values = _inner_values(methods, case, plan, split[0], judge, metric, n_jobs)
        choices.append(_best(list(methods), values, metric, judge))
        chosen = {choices[-1]: methods[choices[-1]]}
        yield from run_trials(chosen, case, [split], judge, tests_training=weighs, n_jobs=n_jobs)


def _inner_values(
    methods: Methods,
    case: Case,
    plan: Nested,
    rest: NDArray[np.intp],
    judge: Judge,
    metric: str,
    n_jobs: int | None,
) -> NDArray[np.float64]:
    """Give the mean of a metric over the validation rows, for each method."""
    within = case.only(rest)
    splits = plan.inner_split(rest, case.X, case.y, case.groups)
    params = cut_params(judge.params, rest, case.n_rows)
    own = replace(judge, case=within, metrics={metric: judge.metrics[metric]}, params=params)
    trials = run_trials(methods, within, splits, own, n_jobs=n_jobs)
    return np.asarray(np.mean([trial.values[:, 0] for trial in trials], axis=0))


def _best(names: list[str], values: NDArray[np.float64], metric: str, judge: Judge) -> str:
    if np.isnan(values).all():
        raise DataError(
            f"choose_by={metric!r} has no value on the validation rows; take more of them or another metric."
        )
    is_better = better_of(metric, judge.case.classes is None)
    best = int(np.flatnonzero(~np.isnan(values))[0])
    for place, value in enumerate(values.tolist()):
        if is_better(value, float(values[best])):
            best = place
    return names[best]
