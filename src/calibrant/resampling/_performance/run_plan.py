"""The run of a plan: all trials of an experiment, summarized as a `Performance`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._fit_warnings import one_warning_a_fit
from calibrant._progress import progress
from calibrant.metrics import Interval
from calibrant.resampling._performance.bootstrap_632 import bootstrap_632_values
from calibrant.resampling._performance.intervals import NO_INTERVAL, row_intervals, split_interval
from calibrant.resampling._performance.performance import Performance, Pooled
from calibrant.resampling._plans import splitters
from calibrant.resampling._plans.across_groups import AcrossGroups
from calibrant.resampling._plans.nested import Nested
from calibrant.resampling._plans.plan import Plan
from calibrant.resampling._plans.predefined_splits import PredefinedSplits
from calibrant.resampling._plans.resubstitution import Resubstitution
from calibrant.resampling._trials.method_trial import ALL_ROWS, MethodTrial
from calibrant.resampling._trials.scoring import Scorer
from calibrant.resampling._trials.trial_data import TrialData

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._plans.plan import IntervalKind
    from calibrant.resampling._trials.experiment import Experiment

__all__ = ["run_plan"]

_NO_GROUP_NOTE = (
    AcrossGroups,
    PredefinedSplits,
    Resubstitution,
)  # they do not keep groups whole, or are named for them

_INTERVALS = {
    "splits": "Intervals at {:g} % of the mean over training sets of this size, corrected for splits that share rows "
    "(Nadeau & Bengio).",
    "rows": "Intervals at {:g} % of the one model fitted, by the test rows.",
    "none": "",
}


_POOL_THEM = (
    "no interval over splits: a calibration error of few rows is above 0 by chance, and none is proved; estimate it by "
    "the predictions of all splits, evaluate(pooled.y_true, pooled.y_pred)"
)


def run_plan(experiment: Experiment, plan: Any, choose_by: str | None = None) -> Performance:
    """Try the methods on every split of a plan, and summarize the trials."""
    data, scorer, metrics = experiment.data, experiment.scorer, tuple(experiment.scorer.metrics)
    with one_warning_a_fit():
        names = experiment.split_names(plan)
        by_method = _try(experiment, plan, choose_by, len(names))
        of_all = _fit_to_all(experiment, plan, choose_by)
    plan = experiment.plan_for_rows(plan)
    values, trials = _values(by_method, of_all, plan, scorer), by_method[0]
    choices = tuple(trial.choice for trial in trials if trial.choice)
    methods = ("chosen",) if choices else tuple(experiment.methods)
    kind = _interval_kind(plan, trials)
    k = splitters.n_independent(plan, len(trials))
    intervals = _intervals(methods, values, by_method, scorer, kind, experiment.confidence, k)
    has_interval = any(each != NO_INTERVAL for each in intervals.values())
    return Performance(
        methods,
        metrics,
        values,
        intervals,
        np.array([trial.n_train for trial in trials]),
        np.array([len(trial.test) for trial in trials]),
        tuple(names),
        _describe_plan(plan, data),
        splitters.caution(plan),
        _INTERVALS[kind].format(100 * experiment.confidence) if has_interval else "",
        experiment.confidence,
        data.n_rows,
        tuple(_pool(data, each) for each in by_method),
        choices,
        {name: _POOL_THEM for name in metrics if kind == "splits" and scorer.is_calibration_error(name)},
    )


def _try(experiment: Experiment, plan: Any, choose_by: str | None, n_splits: int) -> list[list[MethodTrial]]:
    """Return the trials of each method (outer) on each split (inner)."""
    tests_training = splitters.bootstrap_kind(plan) == ".632"
    found = experiment.trials(plan, choose_by=choose_by, tests_training=tests_training)
    by_method: dict[int, list[MethodTrial]] = {}
    n_trials = n_splits * len(experiment.families(plan) if isinstance(plan, Nested) else experiment.methods)
    for trial in progress(found, total=n_trials, description="Estimating performance"):
        by_method.setdefault(trial.method, []).append(trial)
    return [by_method[method] for method in sorted(by_method)]


def _fit_to_all(experiment: Experiment, plan: Any, choose_by: str | None) -> list[MethodTrial] | None:
    """Return the trials on the rows they were fitted to, all there are, where the plan is .632+."""
    if splitters.bootstrap_kind(plan) != ".632+":
        return None
    return list(experiment.trials(plan, choose_by=choose_by, splits=[ALL_ROWS]))


def _describe_plan(plan: Any, data: TrialData) -> str:
    """Return what a plan does to these rows: regression does not stratify, and groups stay whole."""
    words = splitters.describe(plan)
    if data.classes is None:
        words = words.replace(", stratified", "")
    keeps_groups = isinstance(plan, Plan) and not isinstance(plan, _NO_GROUP_NOTE)
    return f"{words}, in whole groups" if data.groups is not None and keeps_groups else words


def _interval_kind(plan: Any, trials: Sequence[MethodTrial]) -> IntervalKind:
    """Return what intervals are computed from; with one split, its test rows if none of them was trained on."""
    kind = splitters.interval_kind(plan)
    if kind != "splits" or len(trials) > 1:
        return kind
    return "rows" if trials[0].is_disjoint and splitters.bootstrap_kind(plan) is None else "none"


def _values(
    by_method: list[list[MethodTrial]], of_all: list[MethodTrial] | None, plan: Any, scorer: Scorer
) -> NDArray[np.float64]:
    """Return the values of methods, metrics and splits, training rows weighted in where the plan is a bootstrap."""
    test, kind = _stack([[trial.values for trial in trials] for trials in by_method]), splitters.bootstrap_kind(plan)
    if kind is None:
        return test
    fitted = by_method if of_all is None else [[trial] for trial in of_all]
    training = _stack([[trial.training_values for trial in trials] for trials in fitted])
    guessing = training if of_all is None else _stack([[trial.no_information] for trial in of_all])
    is_better = [None if own is not None else scorer.is_better(name) for name, own in scorer.metrics.items()]
    return bootstrap_632_values(test, training, guessing, kind, is_better)


def _stack(values: Sequence[Sequence[NDArray[np.float64] | None]]) -> NDArray[np.float64]:
    """Return values of methods, splits and metrics with the splits last."""
    return np.ascontiguousarray(np.array(values, dtype=np.float64).transpose(0, 2, 1))


def _intervals(
    names: tuple[str, ...],
    values: NDArray[np.float64],
    by_method: Sequence[Sequence[MethodTrial]],
    scorer: Scorer,
    kind: IntervalKind,
    confidence: float,
    k: int,
) -> dict[tuple[str, str], Interval]:
    """Return the interval of every mean."""
    found = {(name, metric): NO_INTERVAL for name in names for metric in scorer.metrics}
    trials = by_method[0]
    if kind == "rows" and len(trials) == 1:
        for name, (trial,) in zip(names, by_method, strict=True):
            by_rows = row_intervals(scorer, trial, confidence)
            found |= {(name, metric): interval for metric, interval in by_rows.items()}
    elif kind == "splits":
        sizes = [np.array(each) for each in zip(*((t.n_train, len(t.test)) for t in trials), strict=True)]
        for column, metric in enumerate(scorer.metrics):
            if scorer.is_calibration_error(metric):
                continue
            low, high = scorer.range_of(metric)
            counts = _counts(metric, trials, scorer)
            for row, name in enumerate(names):
                found[name, metric] = split_interval(
                    *(values[row, column], *sizes, confidence, k), low=low, high=high, n_counted=counts
                )
    return found


def _counts(metric: str, trials: Sequence[MethodTrial], scorer: Scorer) -> NDArray[np.float64] | None:
    """Return the rows that a proportion or an area counts in each split; they depend on the actual classes alone."""
    found = [scorer.n_counted(metric, np.asarray(trial.predictions), trial.test) for trial in trials]
    return None if None in found else np.array(found, dtype=np.float64)


def _pool(data: TrialData, trials: Sequence[MethodTrial]) -> Pooled:
    """Return the predictions of a method for the test rows of all splits."""
    test = np.concatenate([trial.test for trial in trials])
    split = np.repeat(np.arange(len(trials)), [len(trial.test) for trial in trials])
    outcome = data.outcome[test]
    y_true, classes = (outcome, ()) if data.classes is None else (data.classes[outcome], tuple(data.classes.tolist()))
    predictions = np.concatenate([np.asarray(trial.predictions) for trial in trials])
    return Pooled(data.rows[test], split, y_true, predictions, classes)
