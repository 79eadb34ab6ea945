"""Validated methods, rows and metrics, and the run of a plan on them that returns a `Performance`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._fit_warnings import one_warning_a_fit
from calibrant._params import check_param
from calibrant._progress import progress
from calibrant._repr import instance_hint, short_repr
from calibrant.exceptions import CalibrantWarning, ParameterError
from calibrant.metrics import Interval
from calibrant.metrics._internal import CONFIDENCE
from calibrant.resampling._performance.bootstrap_632 import bootstrap_632_values
from calibrant.resampling._performance.intervals import NO_INTERVAL, row_intervals, split_interval
from calibrant.resampling._performance.performance import Performance, Pooled
from calibrant.resampling._plans import splitters
from calibrant.resampling._plans.across_groups import AcrossGroups
from calibrant.resampling._plans.cross_validation import CrossValidation
from calibrant.resampling._plans.nested import Nested
from calibrant.resampling._plans.plan import Plan
from calibrant.resampling._plans.predefined_splits import PredefinedSplits
from calibrant.resampling._plans.resubstitution import Resubstitution
from calibrant.resampling._trials.fitting import takes_weights
from calibrant.resampling._trials.methods import Methods, are_regressors, read_methods
from calibrant.resampling._trials.nested_trials import run_nested_trials
from calibrant.resampling._trials.scoring import Scorer, read_scorer
from calibrant.resampling._trials.trial_data import TrialData, read_trial_data
from calibrant.resampling._trials.trials import PreparedMethods, Trial, prepare_methods, run_trials

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._plans.plan import IntervalKind, Split
    from calibrant.resampling._plans.plan_rows import PlanRows

__all__ = ["Experiment", "read_experiment", "read_plan"]

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


@dataclass(frozen=True, eq=False)
class Experiment:
    """Methods, and the rows and metrics to evaluate them; what they share, such as a coded table, serves all plans."""

    methods: Methods
    data: TrialData
    scorer: Scorer
    confidence: float
    n_jobs: int | None

    @cached_property
    def _prepared(self) -> PreparedMethods:
        return prepare_methods(self.methods, self.data)

    def run(self, plan: Any, choose_by: str | None = None) -> Performance:
        """Try the methods on every split of a plan."""
        data, metrics = self.data, tuple(self.scorer.metrics)
        plan = splitters.for_rows(plan, data.rows, data.n_passed)
        with one_warning_a_fit():
            names, trials, choices = self._try(plan, choose_by)
            values = _values(trials, self._fit_to_all(plan, choose_by), plan, self.scorer)
        methods = ("chosen",) if choices else tuple(self.methods)
        kind = _interval_kind(plan, trials)
        k = splitters.n_independent(plan, len(trials))
        intervals = _intervals(methods, values, trials, self.scorer, kind, self.confidence, k)
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
            _INTERVALS[kind].format(100 * self.confidence) if has_interval else "",
            self.confidence,
            data.n_rows,
            tuple(_pool(data, trials, method) for method in range(len(methods))),
            choices,
            {name: _POOL_THEM for name in metrics if kind == "splits" and self.scorer.is_calibration_error(name)},
        )

    def _try(self, plan: Any, choose_by: str | None) -> tuple[list[str], list[Trial], tuple[str, ...]]:
        """Return the names of the splits, the trials and, with a nested plan, the names of the chosen methods."""
        rows = self._plan_rows
        splits, names = splitters.split(plan, rows), splitters.names(plan, rows)
        choices: list[str] = []
        found = self._trials(plan, splits, choose_by, choices, splitters.bootstrap_kind(plan) == ".632")
        trials = list(progress(found, total=len(names), description="Estimating performance"))
        return names, trials, tuple(choices)

    def _fit_to_all(self, plan: Any, choose_by: str | None) -> Trial | None:
        """Return the trial on the rows it was fitted to, all there are, where the plan is .632+."""
        if splitters.bootstrap_kind(plan) != ".632+":
            return None
        rows = splitters.all_training_rows(plan, self._plan_rows)
        return next(self._trials(plan, [(rows, rows)], choose_by, [], True))

    def _trials(
        self, plan: Any, splits: Iterable[Split], choose_by: str | None, choices: list[str], tests_training: bool
    ) -> Iterator[Trial]:
        if not isinstance(plan, Nested):
            return run_trials(self._prepared, splits, self.scorer, tests_training=tests_training, n_jobs=self.n_jobs)
        return run_nested_trials(
            *(self._prepared, plan, splits, self.scorer),
            choose_by=choose_by,
            choices=choices,
            tests_training=tests_training,
            n_jobs=self.n_jobs,
        )

    @cached_property
    def _plan_rows(self) -> PlanRows:
        return self.data.plan_rows()


def read_experiment(
    estimator: Any,
    X: Any,
    y: Any,
    metrics: Any,
    groups: Any,
    sample_weight: Any,
    pos_label: Any,
    metric_params: Mapping[str, Mapping[str, Any]] | None,
    confidence: float,
    n_jobs: int | None,
) -> Experiment:
    """Validate the arguments of `estimate_performance` apart from the plan."""
    check_param("confidence", confidence, CONFIDENCE)
    methods = read_methods(estimator)
    data = read_trial_data(X, y, sample_weight, groups, is_regression=are_regressors(methods))
    _warn_of_ignored_weights(methods, data)
    scorer = read_scorer(data, metrics, metric_params, pos_label)
    return Experiment(methods, data, scorer, confidence, n_jobs)


def _warn_of_ignored_weights(methods: Methods, data: TrialData) -> None:
    ignoring = [] if data.weight is None else [name for name, each in methods.items() if not takes_weights(each)]
    if ignoring:
        warnings.warn(
            f"{', '.join(ignoring)}: fit does not take sample_weight, so the weights count in the metrics only. "
            "Pass weights to the step that takes them by metadata routing.",
            CalibrantWarning,
            stacklevel=4,
        )


def read_plan(plan: Any) -> Any:
    """Return the splitter that the parameter `plan` stands for.

    Examples
    --------
    >>> read_plan(None), read_plan(5)
    (CrossValidation(n_folds=10, n_repeats=1, random_state=0, stratified=True),
     CrossValidation(n_folds=5, n_repeats=1, random_state=0, stratified=True))
    """
    if plan is None:
        return CrossValidation()
    if isinstance(plan, int | np.integer) and not isinstance(plan, bool):
        return CrossValidation(int(plan))
    if plan in splitters.SPLITTER:
        return plan
    if isinstance(plan, str | type) or not hasattr(plan, "__iter__"):
        raise ParameterError(
            "plan must be a plan of calibrant.resampling, a scikit-learn splitter, pairs of (train, test), or a number "
            f"of folds; got {short_repr(plan)}.{instance_hint(plan)}"
        )
    return PredefinedSplits(plan)


def _describe_plan(plan: Any, data: TrialData) -> str:
    """Return what a plan does to these rows: regression does not stratify, and groups stay whole."""
    words = splitters.describe(plan)
    if data.classes is None:
        words = words.replace(", stratified", "")
    keeps_groups = isinstance(plan, Plan) and not isinstance(plan, _NO_GROUP_NOTE)
    return f"{words}, in whole groups" if data.groups is not None and keeps_groups else words


def _interval_kind(plan: Any, trials: Sequence[Trial]) -> IntervalKind:
    """Return what intervals are computed from; with one split, its test rows if none of them was trained on."""
    kind = splitters.interval_kind(plan)
    if kind != "splits" or len(trials) > 1:
        return kind
    return "rows" if trials[0].is_disjoint and splitters.bootstrap_kind(plan) is None else "none"


def _values(trials: Sequence[Trial], of_all: Trial | None, plan: Any, scorer: Scorer) -> NDArray[np.float64]:
    """Return the values of methods, metrics and splits, training rows weighted in where the plan is a bootstrap."""
    test, kind = np.stack([trial.values for trial in trials], axis=-1), splitters.bootstrap_kind(plan)
    if kind is None:
        return test
    fitted = trials if of_all is None else [of_all]
    training = np.stack([trial.training_values for trial in fitted if trial.training_values is not None], axis=-1)
    guessing = np.stack([trial.no_information for trial in fitted if trial.no_information is not None], axis=-1)
    is_better = [None if own is not None else scorer.is_better(name) for name, own in scorer.metrics.items()]
    return bootstrap_632_values(test, training, guessing, kind, is_better)


def _intervals(
    names: tuple[str, ...],
    values: NDArray[np.float64],
    trials: Sequence[Trial],
    scorer: Scorer,
    kind: IntervalKind,
    confidence: float,
    k: int,
) -> dict[tuple[str, str], Interval]:
    """Return the interval of every mean."""
    found = {(name, metric): NO_INTERVAL for name in names for metric in scorer.metrics}
    if kind == "rows" and len(trials) == 1:
        for number, name in enumerate(names):
            by_rows = row_intervals(scorer, trials[0], number, confidence)
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


def _counts(metric: str, trials: Sequence[Trial], scorer: Scorer) -> NDArray[np.float64] | None:
    """Return the rows that a proportion or an area counts in each split; they depend on the actual classes alone."""
    found = [scorer.n_counted(metric, trial.predictions[0], trial.test) for trial in trials]
    return None if None in found else np.array(found, dtype=np.float64)


def _pool(data: TrialData, trials: Sequence[Trial], method: int) -> Pooled:
    """Return the predictions of a method for the test rows of all splits."""
    test = np.concatenate([trial.test for trial in trials])
    split = np.repeat(np.arange(len(trials)), [len(trial.test) for trial in trials])
    outcome = data.outcome[test]
    y_true, classes = (outcome, ()) if data.classes is None else (data.classes[outcome], tuple(data.classes.tolist()))
    return Pooled(data.rows[test], split, y_true, np.concatenate([t.predictions[method] for t in trials]), classes)
