"""`estimate_performance`: methods fitted to every split of a plan, their trials summarized."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calibrant._fit_warnings import one_warning_a_fit
from calibrant._params import Choice, check_param
from calibrant._progress import progress
from calibrant.metrics import Interval
from calibrant.resampling._performance.performance import Performance, Pooled, mean_of_defined
from calibrant.resampling._performance.row_contributions import row_contributions
from calibrant.resampling._performance.row_statistics import NO_INTERVAL, RowStatistics, split_interval
from calibrant.resampling._plans import splitters
from calibrant.resampling._plans.derived_plans import Nested
from calibrant.resampling._plans.fixed_splits import AcrossGroups, PredefinedSplits, Resubstitution
from calibrant.resampling._plans.plan import BootstrapKind, Plan
from calibrant.resampling._trials.experiment import Experiment
from calibrant.resampling._trials.scoring import Scorer, better_of
from calibrant.resampling._trials.trial_data import MethodTrial, TrialData

_TEST_SHARE, _TRAINING_SHARE = 0.632, 0.368  # 1 - 1/e, the chance that a row is drawn, and 1/e

IsBetter: TypeAlias = Callable[[float, float], bool]


def bootstrap_632_values(
    test: NDArray[np.float64],
    training: NDArray[np.float64],
    no_information: NDArray[np.float64],
    kind: BootstrapKind,
    is_better: Sequence[IsBetter | None] = (),
) -> NDArray[np.float64]:
    """Return the combined value of each replicate, the last axis.

    The training and no-information values are of each replicate, or of one fit on all rows: then the last axis has
    length 1. .632+ adds the same amount to all replicates, by the overfitting of their means; nothing where the
    training rows are not better than the no-information value. `is_better` compares two values of each metric, the
    last axis but one; with None, or an empty sequence, any difference counts as overfitting.

    Examples
    --------
    >>> half, zero = np.full(4, 0.5), np.zeros(4)
    >>> [float(bootstrap_632_values(half, zero, half, kind).mean()) for kind in (".632", ".632+")]
    [0.316, 0.5]
    """
    plain = _TEST_SHARE * test + _TRAINING_SHARE * training
    if kind == ".632":
        return plain
    tested, trained, guessed = (_means(each) for each in (test, training, no_information))
    # Equations 28 to 32 of the paper: the relative overfitting rate is between 0 and 1
    excess = np.clip(tested, np.minimum(trained, guessed), np.maximum(trained, guessed)) - trained
    gap = guessed - trained
    is_known = np.isfinite(excess) & np.isfinite(gap) & (gap != 0)
    for metric, better in enumerate(is_better):
        if better is not None:  # only a metric that is better on the training rows than by guessing shows overfitting
            can_overfit = np.vectorize(better, otypes=[bool])
            is_known[..., metric, :] &= can_overfit(trained[..., metric, :], guessed[..., metric, :])
    rate = np.divide(excess, gap, out=np.zeros_like(gap), where=is_known)
    added = np.where(is_known, excess, 0.0) * _TEST_SHARE * _TRAINING_SHARE * rate / (1.0 - _TRAINING_SHARE * rate)
    return np.asarray(plain + added)


def _means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean over the replicates that have a value."""
    is_defined = ~np.isnan(values)
    total = np.where(is_defined, values, 0.0).sum(axis=-1, keepdims=True)
    n_defined = is_defined.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(total, n_defined, out=np.full_like(total, np.nan), where=n_defined > 0))


_NO_GROUP_NOTE = (
    AcrossGroups,
    PredefinedSplits,
    Resubstitution,
)  # they do not keep groups whole, or are named for them

_ROWS = "Intervals at {:g} % for rows drawn anew, by the losses of the tested rows."
_SPLITS = "Intervals at {:g} % by the variance of the splits, corrected for rows that they share (Nadeau & Bengio)."
_POOL_THEM = "evaluate(pooled.y_true, pooled.y_pred) bounds that of the pooled predictions"

IntervalMethod = Literal["rows", "splits"]


def run_plan(
    experiment: Experiment, plan: Any, choose_by: str | None = None, interval: IntervalMethod = "rows"
) -> Performance:
    """Try the methods on every split of a plan, and summarize the trials."""
    check_param("interval", interval, Choice("rows", "splits"))
    data, scorer, metrics = experiment.data, experiment.scorer, tuple(experiment.scorer.metrics)
    with one_warning_a_fit():
        names = experiment.split_names(plan)
        by_method = _try(experiment, plan, choose_by, len(names))
        of_all = None
        if splitters.bootstrap_kind(plan) == ".632+":  # on the rows they were fitted to, all there are
            of_all = list(experiment.trials(plan, choose_by=choose_by, splits=[splitters.ALL_ROWS]))
    plan = experiment.plan_for_rows(plan)
    values, trials = _values(by_method, of_all, plan, scorer), by_method[0]
    choices = tuple(trial.choice for trial in trials if trial.choice)
    methods = ("chosen",) if choices else tuple(experiment.methods)
    # Rows show what others would unless a single split trained on them
    has_intervals = splitters.interval_kind(plan) != "none" and (
        len(trials) > 1 or (trials[0].is_disjoint and splitters.bootstrap_kind(plan) is None)
    )
    rows = _row_statistics(dict(zip(methods, by_method, strict=True)), of_all, values, plan, scorer)
    intervals = dict.fromkeys(itertools.product(methods, metrics), NO_INTERVAL)
    if has_intervals and interval == "rows":
        for (i, name), (j, metric) in itertools.product(enumerate(methods), enumerate(metrics)):
            intervals[name, metric] = rows.interval(name, metric, mean_of_defined(values[i, j]), experiment.confidence)
    elif has_intervals:
        k = splitters.n_independent(plan, len(trials))
        intervals |= _by_splits(methods, values, trials, scorer, experiment.confidence, k)
    is_known = any(each != NO_INTERVAL for each in intervals.values())
    words = _ROWS if interval == "rows" else _SPLITS
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
        words.format(100 * experiment.confidence) if is_known else "",
        experiment.confidence,
        data.n_rows,
        tuple(_pool(data, each) for each in by_method),
        choices,
        _notes(rows, intervals, scorer) if has_intervals and interval == "rows" else {},
        rows if has_intervals else None,
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


def _describe_plan(plan: Any, data: TrialData) -> str:
    """Describe a plan on these rows: regression does not stratify, and groups stay whole."""
    words = splitters.describe(plan)
    if data.classes is None:
        words = words.replace(", stratified", "")
    keeps_groups = isinstance(plan, Plan) and not isinstance(plan, _NO_GROUP_NOTE)
    return f"{words}, in whole groups" if data.groups is not None and keeps_groups else words


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
    is_better = [None if own is not None else better_of(name) for name, own in scorer.metrics.items()]
    return bootstrap_632_values(test, training, guessing, kind, is_better)


def _stack(values: Sequence[Sequence[NDArray[np.float64] | None]]) -> NDArray[np.float64]:
    """Return values of methods, splits and metrics with the splits last."""
    return np.ascontiguousarray(np.array(values, dtype=np.float64).transpose(0, 2, 1))


def _row_statistics(
    trials: Mapping[str, Sequence[MethodTrial]],
    of_all: list[MethodTrial] | None,
    values: NDArray[np.float64],
    plan: Any,
    scorer: Scorer,
) -> RowStatistics:
    """Return the contributions of the tested rows to the means; with a bootstrap plan, of the training rows too."""
    rows = RowStatistics.of(scorer, trials)
    if splitters.bootstrap_kind(plan) is None:
        return rows
    found = dict(rows.contributions)
    for number, (name, own) in enumerate(trials.items()):
        # Of .632 the training rows stand in the place of the test rows
        fitted = [replace(each, test=np.asarray(each.train), predictions=each.training_predictions) for each in own]
        if of_all is not None:
            fitted = [of_all[number]]
        for column, metric in enumerate(scorer.metrics):
            tested, trained = (
                np.array([np.asarray(each)[column] for each in both])
                for both in ([trial.values for trial in own], [trial.training_values for trial in fitted])
            )
            of_training = row_contributions(scorer, metric, fitted, trained, rows.tested.again(fitted))
            share = _training_share(values[number, column], tested, trained)
            found[name, metric] = found[name, metric].plus(of_training, share)
    return replace(rows, contributions=found)


def _training_share(combined: NDArray[Any], tested: NDArray[Any], trained: NDArray[Any]) -> float:
    """Return the weight of the training rows in a value of .632 or .632+, which is held fixed."""
    whole, test, training = (mean_of_defined(values) for values in (combined, tested, trained))
    if not all(map(math.isfinite, (whole, test, training))) or math.isclose(test, training):
        return _TRAINING_SHARE
    return min(max((whole - test) / (training - test), 0.0), 1.0)


def _notes(
    rows: RowStatistics, intervals: Mapping[tuple[str, str], Interval], scorer: Scorer
) -> dict[tuple[str, str], str]:
    """Return why means have no interval."""
    found = {}
    for (name, metric), ends in intervals.items():
        if math.isnan(ends.low):
            more = f"; {_POOL_THEM}" if scorer.is_calibration_error(metric) else ""
            found[name, metric] = f"no interval: {rows.why_none(name, metric) or 'all rows have the same value'}{more}"
    return found


def _by_splits(
    names: tuple[str, ...],
    values: NDArray[np.float64],
    trials: Sequence[MethodTrial],
    scorer: Scorer,
    confidence: float,
    k: int,
) -> dict[tuple[str, str], Interval]:
    """Return the intervals of means by the variance of the splits."""
    found = {}
    sizes = [np.array([trial.n_train for trial in trials]), np.array([len(trial.test) for trial in trials])]
    for column, metric in enumerate(scorer.metrics):
        if not scorer.is_calibration_error(metric):
            low, high = scorer.range_of(metric)
            n_counted = scorer.split_counts(metric, trials)
            for row, name in enumerate(names):
                found[name, metric] = split_interval(
                    *(values[row, column], *sizes, confidence, k), low=low, high=high, n_counted=n_counted
                )
    return found


def _pool(data: TrialData, trials: Sequence[MethodTrial]) -> Pooled:
    """Return the predictions of a method for the test rows of all splits."""
    test = np.concatenate([trial.test for trial in trials])
    split = np.repeat(np.arange(len(trials)), [len(trial.test) for trial in trials])
    outcome = data.outcome[test]
    y_true, classes = (outcome, ()) if data.classes is None else (data.classes[outcome], tuple(data.classes.tolist()))
    predictions = np.concatenate([np.asarray(trial.predictions) for trial in trials])
    return Pooled(data.rows[test], split, y_true, predictions, classes)


def estimate_performance(
    estimator: Any,
    X: Any,
    y: Any,
    plan: Any = None,
    metrics: Any = None,
    *,
    groups: Any = None,
    times: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    metric_params: Mapping[str, Mapping[str, Any]] | None = None,
    choose_by: str | None = None,
    confidence: float = 0.95,
    interval: IntervalMethod = "rows",
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
    plan : plan of `calibrant.resampling`, any scikit-learn splitter, iterable of (train, test), int or str, optional
        How rows are split; None: tenfold cross-validation, an int: that number of folds; both stratified. In words:
        ``"10x3"`` is tenfold cross-validation three times, ``"holdout 30%"``, ``"time"`` (`RollingOrigin`), ``"time
        30%"`` (`TimeOrderedHoldout`), ``"loo"``, ``"632"``. With `Nested` the methods are candidates, of which each
        split chooses one.
    metrics : list of str, or dict of name to function, optional
        Ids in `calibrant.metrics.METRICS`, or for regressors names in `calibrant.metrics.numeric`; functions take
        classes and probabilities (or numbers and predictions), and ``sample_weight`` if they have it. None: error,
        mse, log_loss and auc; or mean_absolute_error, root_mean_squared_error, relative_root_mean_squared_error and
        correlation.
    groups : sequence of length n_rows, optional
        The group of each row, for the plan and for `fit` where a method takes groups, as the forests of
        `calibrant.ensembles` and `CalibratedClassifier` do.
    times : sequence of length n_rows, optional
        The time of each row, for a plan by time without times of its own, and for `fit` where a method takes times.
        Without any, rows are in order of time.
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
    interval : {"rows", "splits"}
        What the intervals are computed from: the losses of the tested rows, or the variance of the splits, as textbooks
        have it, which stratified splits make too small.
    n_jobs : int, optional
        Number of threads that grow trees, and of processes that fit other methods, counted as scikit-learn counts
        them. The result is the same for any number.

    Returns
    -------
    Performance
        Every split's values, means, intervals, and pooled predictions.

    Notes
    -----
    The intervals are of the models that were fitted, for rows drawn anew: a row's loss, averaged over the splits that
    test it, has a variance s2, and the mean of n rows that of s2 / n, whatever the number of repeats, times
    1 + 1 / (K - 1) with K folds, as the rows that one fold tests train the models of others. Of an area under the
    ROC curve it is the row's placement within its split, of any other metric what leaving out blocks of rows changes.
    With groups, groups take the place of rows. They stay within the range of the metric as Wilson's interval of a
    proportion does: docs/resampling.md has the formulas and the coverage. There is none where none holds: with fewer
    than five rows of the rarer class, for resubstitution, over groups that are tested one by one, and for calibration
    errors, which the pooled predictions estimate better. `Performance.compare` decides which of two methods is better.

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
      frequency  0.2465  [0.2172, 0.2791]  0.5358  [0.4865, 0.5845]
      laplace    0.2226  [0.2008, 0.2463]  0.6103  [0.5612, 0.6571]
      m          0.1659  [0.1407, 0.1951]  0.6106  [0.5616, 0.6575]
    Intervals at 95 % for rows drawn anew, by the losses of the tested rows.
    Whatever was chosen by looking at all rows beforehand is not tested by this.
    """
    experiment = Experiment.read(
        estimator, X, y, metrics, groups, sample_weight, pos_label, metric_params, confidence, n_jobs, times
    )
    return run_plan(experiment, splitters.read_plan(plan), choose_by, interval)
