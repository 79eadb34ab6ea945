"""`estimate_performance`: methods fitted and tested on every split of a plan."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._params import check_param
from calibrant._progress import progress
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
from calibrant.resampling._trials.trials import Trial, prepare_methods, run_trials

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._plans.plan import IntervalKind, Split

__all__ = ["estimate_performance", "read_plan"]

_NO_GROUP_NOTE = (AcrossGroups, PredefinedSplits, Resubstitution)  # plans that do not keep groups whole, or are them

_INTERVALS = {
    "splits": "Intervals at {:g} % of the mean over training sets of this size, corrected for splits that share rows "
    "(Nadeau & Bengio).",
    "rows": "Intervals at {:g} % of the one model fitted, by the test rows.",
    "none": "",
}


def estimate_performance(
    estimator: Any,
    X: Any,
    y: Any,
    plan: Any = None,
    metrics: Any = None,
    *,
    groups: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    metric_params: Mapping[str, Mapping[str, Any]] | None = None,
    choose_by: str | None = None,
    confidence: float = 0.95,
    n_jobs: int | None = None,
) -> Performance:
    """Estimate the performance of methods on rows that they were not fitted to.

    The table is coded once. Trees of calibrant that differ only in their estimate are grown once for each split, and
    so are forests that differ only in their reading; each predicts what it would after its own `fit`. Other
    classifiers and regressors are fitted as they are.

    Parameters
    ----------
    estimator : estimator, list of estimators, or dict of name to estimator
        The methods: classifiers, or regressors. Each is cloned for each split.
    X : frame or array of shape (n_rows, n_columns)
        The table.
    y : sequence of length n_rows
        The class of each row, or the number to predict.
    plan : plan of `calibrant.resampling`, any scikit-learn splitter, iterable of (train, test) or int, optional
        How rows are split; None: tenfold cross-validation, an int: that number of folds; both stratified. With
        `Nested` the methods are candidates, of which each split chooses one.
    metrics : list of str, or dict of name to function, optional
        Ids in `calibrant.metrics.METRICS`, or for regressors names in `calibrant.metrics.numeric`; functions take
        classes and probabilities (or numbers and predictions), and ``sample_weight`` if they have it. None: error,
        mse, log_loss and auc; or mean_absolute_error, root_mean_squared_error, root_relative_squared_error and
        correlation.
    groups : sequence of length n_rows, optional
        The group of each row, for the plan.
    sample_weight : sequence of length n_rows, optional
        The weight of each row, in `fit` where a method takes weights and in the metrics; a row of weight 0 is absent.
        A row of weight 2 is never split into a training row and a test row.
    pos_label : optional
        The positive class; by default the last sorted one.
    metric_params : dict of metric to dict, optional
        Keywords of metrics, such as ``{"profit": {"amount": gifts, "cost": 0.68}}``; arrays with a value for each row
        are cut to the test rows. Priors and training means are those of the training rows unless passed here.
    choose_by : str, optional
        With `Nested`, the metric that chooses; by default the first of `metrics`.
    confidence : float
        Confidence of the intervals.
    n_jobs : int, optional
        Number of threads that grow trees, and of processes that fit other methods, counted as scikit-learn counts
        them. The result is the same for any number.

    Returns
    -------
    Performance
        Every split's values, means, intervals, and pooled predictions.

    Notes
    -----
    The intervals are of the mean over training sets of that size drawn from the same population, by the variance of
    the splits and the correction of Nadeau & Bengio (2003) for the rows that splits share; repeats of a
    cross-validation do not count as further splits in it. That is a heuristic, as there is no unbiased estimate of the
    variance of cross-validation. For a single split they are of the model that was fitted, by its test rows. There is
    none where none holds: for resubstitution, and over groups that are tested one by one. To decide which of two
    methods is better compare them split by split, by `calibrant.comparison`.

    A classifier without `predict_proba` has probability 1 for the class that it predicts.

    References
    ----------
    C. Nadeau and Y. Bengio, "Inference for the generalization error", 2003. I. H. Witten, E. Frank and M. A. Hall,
    *Data Mining*, 3rd edition, 2011, chapter 5.

    Examples
    --------
    >>> from calibrant.data import load
    >>> from calibrant.resampling import CrossValidation, estimate_performance
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> donors = load("appeal")
    >>> methods = {name: ProbabilityTreeClassifier(estimate=name) for name in ("frequency", "laplace", "m")}
    >>> estimate_performance(methods, donors.X, donors.y, CrossValidation(5, 2), ["mse", "auc"])
    Performance by 2 times 5-fold cross-validation, stratified: 1,500 rows, 10 splits, 1,200 training rows, 300 test
    rows
                    mse                       auc
      frequency  0.2465  [0.2284, 0.2646]  0.5358  [0.4432, 0.6285]
      laplace    0.2226  [0.2042, 0.2409]  0.6103  [0.5277, 0.6928]
      m          0.1659  [0.1603, 0.1715]  0.6106  [0.5409, 0.6803]
    Intervals at 95 % of the mean over training sets of this size, corrected for splits that share rows
    (Nadeau & Bengio).
    Whatever was chosen by looking at all rows beforehand is not tested by this.
    """
    check_param("confidence", confidence, CONFIDENCE)
    methods = read_methods(estimator)
    data = read_trial_data(X, y, sample_weight, groups, is_regression=are_regressors(methods))
    _warn_of_ignored_weights(methods, data)
    plan = splitters.for_rows(read_plan(plan), data.rows, data.n_passed)
    scorer = read_scorer(data, metrics, metric_params, pos_label)
    rows = data.plan_rows()
    splits, split_labels = splitters.split(plan, rows), splitters.names(plan, rows)
    trials, choices = _run(methods, plan, splits, scorer, choose_by, n_jobs, len(split_labels))
    names = ("chosen",) if choices else tuple(methods)
    values = _values(trials, plan, scorer)
    kind = _interval_kind(plan, trials)
    intervals = _intervals(names, values, trials, scorer, kind, confidence, splitters.n_independent(plan, len(trials)))
    return Performance(
        names,
        tuple(scorer.metrics),
        values,
        intervals,
        np.array([trial.n_train for trial in trials]),
        np.array([len(trial.test) for trial in trials]),
        tuple(split_labels),
        _describe_plan(plan, data),
        splitters.caution(plan),
        "" if all(each == NO_INTERVAL for each in intervals.values()) else _INTERVALS[kind].format(100 * confidence),
        confidence,
        data.n_rows,
        tuple(_pool(data, trials, method) for method in range(len(names))),
        choices,
    )


def _run(
    methods: Methods,
    plan: Any,
    splits: Iterable[Split],
    scorer: Scorer,
    choose_by: str | None,
    n_jobs: int | None,
    n_splits: int,
) -> tuple[list[Trial], tuple[str, ...]]:
    """Try the methods on every split; return the trials and, with a nested plan, the names of the chosen methods."""
    tests_training = splitters.bootstrap_kind(plan) is not None
    choices: list[str] = []
    if isinstance(plan, Nested):
        found = run_nested_trials(
            *(methods, plan, splits, scorer),
            choose_by=choose_by,
            choices=choices,
            tests_training=tests_training,
            n_jobs=n_jobs,
        )
    else:
        prepared = prepare_methods(methods, scorer.data)
        found = run_trials(prepared, splits, scorer, tests_training=tests_training, n_jobs=n_jobs)
    return list(progress(found, total=n_splits, description="Estimating performance")), tuple(choices)


def _warn_of_ignored_weights(methods: Methods, data: TrialData) -> None:
    ignoring = [] if data.weight is None else [name for name, each in methods.items() if not takes_weights(each)]
    if ignoring:
        warnings.warn(
            f"{', '.join(ignoring)}: fit does not take sample_weight, so that the weights count in the metrics only. "
            "Pass weights to the step that takes them by metadata routing.",
            CalibrantWarning,
            stacklevel=3,
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
    if hasattr(plan, "split") and hasattr(plan, "get_n_splits"):
        return plan
    if isinstance(plan, str) or not hasattr(plan, "__iter__"):
        raise ParameterError(
            "plan must be a plan of calibrant.resampling, a scikit-learn splitter, pairs of (train, test), or a number "
            f"of folds; got {plan!r}."
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
    return "rows" if trials[0].is_disjoint and trials[0].training_values is None else "none"


def _values(trials: Sequence[Trial], plan: Any, scorer: Scorer) -> NDArray[np.float64]:
    """Return the values of methods, metrics and splits, training rows weighted in where the plan is a bootstrap."""
    test, kind = np.stack([trial.values for trial in trials], axis=-1), splitters.bootstrap_kind(plan)
    if kind is None:
        return test
    training = np.stack([trial.training_values for trial in trials if trial.training_values is not None], axis=-1)
    guessing = np.stack([trial.no_information for trial in trials if trial.no_information is not None], axis=-1)
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
        n_train, n_test = (np.array(each) for each in zip(*((t.n_train, len(t.test)) for t in trials), strict=True))
        for row, name in enumerate(names):
            for column, metric in enumerate(scorer.metrics):
                found[name, metric] = split_interval(values[row, column], n_train, n_test, confidence, k)
    return found


def _pool(data: TrialData, trials: Sequence[Trial], method: int) -> Pooled:
    """Return the predictions of a method for the test rows of all splits."""
    test = np.concatenate([trial.test for trial in trials])
    split = np.repeat(np.arange(len(trials)), [len(trial.test) for trial in trials])
    outcome = data.outcome[test]
    y_true, classes = (outcome, ()) if data.classes is None else (data.classes[outcome], tuple(data.classes.tolist()))
    return Pooled(data.rows[test], split, y_true, np.concatenate([t.predictions[method] for t in trials]), classes)
