"""How good methods are, estimated by a plan: one call from a table to a `Performance`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._params import check_param
from calibrant._progress import progress
from calibrant.exceptions import CalibrantWarning, ParameterError
from calibrant.metrics import Interval
from calibrant.metrics._internal import CONFIDENCE
from calibrant.resampling._performance.bootstrap_632 import weighed
from calibrant.resampling._performance.intervals import NO_INTERVAL, row_intervals, split_interval
from calibrant.resampling._performance.performance import Performance, Pooled
from calibrant.resampling._plans.across_groups import AcrossGroups
from calibrant.resampling._plans.cross_validation import CrossValidation
from calibrant.resampling._plans.nested import Nested
from calibrant.resampling._plans.plan import Plan
from calibrant.resampling._plans.predefined_splits import GivenSplits
from calibrant.resampling._plans.resubstitution import Resubstitution
from calibrant.resampling._plans.smaller_training import n_apart, names_of, plan_only, plan_text
from calibrant.resampling._trials.choosing import chosen_trials
from calibrant.resampling._trials.fitted import takes_weights
from calibrant.resampling._trials.methods import Methods, predict_numbers, read_methods
from calibrant.resampling._trials.scoring import Judge, better_of, read_judge
from calibrant.resampling._trials.trial_data import Case, read_case
from calibrant.resampling._trials.trials import Trial, run_trials

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._plans.plan import IntervalKind

__all__ = ["estimate_performance", "read_plan"]

_HEEDLESS = (AcrossGroups, GivenSplits, Resubstitution)  # of which it goes without saying how they take groups

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
    """Estimate how good methods are on rows that they have not seen.

    The table is coded once. Trees of calibrant that differ only in their estimate are grown once for each split, and
    forests that differ only in how they are read too; each gives what its own `fit` would have given. Other
    classifiers and regressors are fitted as they are.

    Parameters
    ----------
    estimator : estimator, list of estimators, or dict of name to estimator
        What to try: classifiers, or regressors. Each is cloned for each split.
    X : frame or array of shape (n_rows, n_columns)
        The table.
    y : sequence of length n_rows
        The class of each row, or its number.
    plan : plan of `calibrant.resampling`, any scikit-learn splitter, iterable of (train, test) or int, optional
        How rows are divided; None: tenfold cross-validation, an int: so many folds; stratified both. With `Nested`
        the methods are candidates, of which each split chooses one.
    metrics : list of str, or dict of name to function, optional
        Ids in `calibrant.metrics.METRICS`, or for regressors names in `calibrant.metrics.numeric`; functions take
        classes and probabilities (or numbers and predictions), and ``sample_weight`` where they know it. None: error,
        mse, log_loss and auc; or mean_absolute_error, root_mean_squared_error, root_relative_squared_error and
        correlation.
    groups : sequence of length n_rows, optional
        The group of each row, for the plan.
    sample_weight : sequence of length n_rows, optional
        How often each row counts, in learning where a method takes weights and in the metrics; rows of weight 0 are
        as if absent. A row of weight 2 is not parted.
    pos_label : optional
        The positive class; by default the last sorted one.
    metric_params : dict of metric to dict, optional
        Further keywords of metrics, such as ``{"profit": {"amount": gifts, "cost": 0.68}}``; arrays with a value for
        each row are cut to the rows tested. Priors and training means are those of the training rows unless told here.
    choose_by : str, optional
        With `Nested`, the metric that chooses; by default the first of `metrics`.
    confidence : float
        That of the intervals.
    n_jobs : int, optional
        Threads that grow trees, and processes that fit other methods, counted as scikit-learn counts them. The
        result is the same for any number.

    Returns
    -------
    Performance
        Every split's values, means, intervals, and pooled predictions.

    Notes
    -----
    The intervals are of the mean over training sets of that size drawn from the same population, by the variance of
    the splits and the correction of Nadeau & Bengio (2003) for the rows that splits share; repeats of a
    cross-validation do not count as further splits in it. That is a heuristic, as there is no unbiased estimate of the
    variance of cross-validation. Of a single split they are of the model that was
    fitted, by its test rows. None is given where none holds: for resubstitution, and over groups that are tested one
    by one. To say which of two methods is better compare them split by split, by `calibrant.comparison`.

    A classifier without `predict_proba` counts as certain of the class that it predicts.

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
    Performance by 2 times 5-fold cross-validation, stratified: 1,500 rows, 10 splits, 1,200 rows to learn from, 300 to
    test on
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
    case = read_case(X, y, sample_weight, groups, is_regression=predict_numbers(methods))
    _tell_of_weights(methods, case)
    plan = plan_only(read_plan(plan), case.rows, case.n_given)
    judge = read_judge(case, metrics, metric_params, pos_label)
    trials, choices = _tried(methods, case, plan, judge, choose_by, n_jobs)
    names = ("chosen",) if choices else tuple(methods)
    values = _values(trials, getattr(plan, "_weighing", None), judge)
    kind = _interval_kind(plan, trials)
    intervals = _intervals(names, values, trials, judge, kind, confidence, n_apart(plan, len(trials)))
    return Performance(
        names,
        tuple(judge.metrics),
        values,
        intervals,
        np.array([trial.n_train for trial in trials]),
        np.array([len(trial.test) for trial in trials]),
        tuple(names_of(plan, case.X, case.y, case.groups)),
        _plan_words(plan, case),
        str(getattr(plan, "caution", "")),
        "" if all(each == NO_INTERVAL for each in intervals.values()) else _INTERVALS[kind].format(100 * confidence),
        confidence,
        case.n_rows,
        tuple(_pooled(case, trials, place) for place in range(len(names))),
        choices,
    )


def _tried(
    methods: Methods, case: Case, plan: Any, judge: Judge, choose_by: str | None, n_jobs: int | None
) -> tuple[list[Trial], tuple[str, ...]]:
    """Try methods on every split; give the trials and, where methods are chosen, the choices."""
    splits = plan.split(case.X, case.y, case.groups)
    weighs = getattr(plan, "_weighing", None) is not None
    choices: list[str] = []
    if isinstance(plan, Nested):
        found = chosen_trials(methods, case, plan, splits, judge, choose_by, choices, n_jobs)
    else:
        found = run_trials(methods, case, splits, judge, tests_training=weighs, n_jobs=n_jobs)
    n_splits = plan.get_n_splits(case.X, case.y, case.groups)
    return list(progress(found, total=n_splits, description="Estimating performance")), tuple(choices)


def _tell_of_weights(methods: Methods, case: Case) -> None:
    deaf = [] if case.weight is None else [name for name, each in methods.items() if not takes_weights(each)]
    if deaf:
        warnings.warn(
            f"{', '.join(deaf)}: fit does not take sample_weight, so that the weights count in the metrics only. Give "
            "weights to the step that takes them by metadata routing.",
            CalibrantWarning,
            stacklevel=3,
        )


def read_plan(plan: Any) -> Any:
    """Give a splitter.

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
    return GivenSplits(plan)


def _plan_words(plan: Any, case: Case) -> str:
    """Say what a plan does to these rows: numbers do not stratify, and groups stay whole."""
    told = plan_text(plan) if case.classes is not None else plan_text(plan).replace(", stratified", "")
    if case.groups is None or not isinstance(plan, Plan) or isinstance(plan, _HEEDLESS):
        return told
    return f"{told}, in whole groups"


def _interval_kind(plan: Any, trials: Sequence[Trial]) -> IntervalKind:
    """Say where intervals can come from; of one split, from its test rows if none of them was learnt."""
    kind: IntervalKind = getattr(plan, "_interval", "splits")
    if kind != "splits" or len(trials) > 1:
        return kind
    return "rows" if trials[0].is_apart and trials[0].training is None else "none"


def _values(trials: Sequence[Trial], weighing: Any, judge: Judge) -> NDArray[np.float64]:
    tested = np.stack([trial.values for trial in trials], axis=-1)
    if weighing is None:
        return tested
    training = np.stack([trial.training for trial in trials if trial.training is not None], axis=-1)
    guessing = np.stack([trial.guessing for trial in trials if trial.guessing is not None], axis=-1)
    of_numbers = judge.case.classes is None
    better = [None if own is not None else better_of(name, of_numbers) for name, own in judge.metrics.items()]
    return weighed(tested, training, guessing, weighing, better)


def _intervals(
    names: tuple[str, ...],
    values: NDArray[np.float64],
    trials: Sequence[Trial],
    judge: Judge,
    kind: IntervalKind,
    confidence: float,
    k: int,
) -> dict[tuple[str, str], Interval]:
    """Give the interval of every mean."""
    found = {(name, metric): NO_INTERVAL for name in names for metric in judge.metrics}
    if kind == "rows" and len(trials) == 1:
        for name, answer in zip(names, trials[0].answers, strict=True):
            of_rows = row_intervals(judge, answer, trials[0].test, trials[0].learnt, confidence)
            found |= {(name, metric): interval for metric, interval in of_rows.items()}
    elif kind == "splits":
        n_train, n_test = (np.array(each) for each in zip(*((t.n_train, len(t.test)) for t in trials), strict=True))
        for place, name in enumerate(names):
            for column, metric in enumerate(judge.metrics):
                found[name, metric] = split_interval(values[place, column], n_train, n_test, confidence, k)
    return found


def _pooled(case: Case, trials: Sequence[Trial], place: int) -> Pooled:
    tested = np.concatenate([trial.test for trial in trials])
    number = np.repeat(np.arange(len(trials)), [len(trial.test) for trial in trials])
    outcome = case.outcome[tested]
    y_true, classes = (outcome, ()) if case.classes is None else (case.classes[outcome], tuple(case.classes.tolist()))
    return Pooled(case.rows[tested], number, y_true, np.concatenate([t.answers[place] for t in trials]), classes)
