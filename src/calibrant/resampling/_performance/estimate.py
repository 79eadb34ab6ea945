"""`estimate_performance`: methods fitted and tested on every split of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calibrant.resampling._performance.performance import Performance
from calibrant.resampling._performance.run_plan import IntervalMethod, run_plan
from calibrant.resampling._trials.experiment import read_experiment, read_plan

__all__ = ["estimate_performance"]


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
    plan : plan of `calibrant.resampling`, any scikit-learn splitter, iterable of (train, test) or int, optional
        How rows are split; None: tenfold cross-validation, an int: that number of folds; both stratified. With
        `Nested` the methods are candidates, of which each split chooses one.
    metrics : list of str, or dict of name to function, optional
        Ids in `calibrant.metrics.METRICS`, or for regressors names in `calibrant.metrics.numeric`; functions take
        classes and probabilities (or numbers and predictions), and ``sample_weight`` if they have it. None: error,
        mse, log_loss and auc; or mean_absolute_error, root_mean_squared_error, root_relative_squared_error and
        correlation.
    groups : sequence of length n_rows, optional
        The group of each row, for the plan and for `fit` where a method takes groups, as the forests of
        `calibrant.ensembles` and `CalibratedClassifier` do.
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
    experiment = read_experiment(
        estimator, X, y, metrics, groups, sample_weight, pos_label, metric_params, confidence, n_jobs
    )
    return run_plan(experiment, read_plan(plan), choose_by, interval)
