"""Intervals, differences, comparisons with the best: what held-out rows show of means over splits.

Of trials whose predictions were kept the rows are judged as those of `estimate_performance` are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr, stdtrit

from calibrant._random import seed_sequence, stream
from calibrant.data._internal import Labels
from calibrant.metrics import Interval, numeric
from calibrant.resampling._performance.row_contributions import ROUNDING, Contributions, TestedRows, row_contributions
from calibrant.resampling._trials.scoring import Scorer
from calibrant.resampling._trials.trial_data import MethodTrial, TrialData

NO_INTERVAL = Interval(math.nan, math.nan)


def split_interval(
    values: NDArray[np.float64],
    n_train: NDArray[Any],
    n_test: NDArray[Any],
    confidence: float,
    k: int,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    n_counted: NDArray[Any] | None = None,
) -> Interval:
    """Return the interval of the mean over splits of the same rows, within the range of the metric.

    The variance of the mean is ``(1/k + n_test/n_train)`` times that of the values: rows that splits share make
    their values correlated, so more splits add less than more rows would. For repeated cross-validation k is the
    number of folds, as Witten, Frank & Hall print it, and there are k - 1 degrees of freedom: with the number of all
    splits in its place intervals of 95 % covered the truth in 80 to 90 % of draws. Splits without a value are left out.

    The interval holds the means from which the observed one is at most so many standard errors away, as Wilson's does.
    Like that of a proportion, the variance is taken as proportional to the distances of the mean from the ends of the
    range. `n_counted` are the rows that a proportion, or an area under the ROC curve, counts in each split: the
    variance is at least that of as many independent rows, with the same correction, as it is of any metric where all
    splits have the same value. Without a range there is no interval then.

    Examples
    --------
    >>> values, n_train, n_test = np.array([0.1, 0.2, 0.15, 0.15]), np.full(4, 75), np.full(4, 25)
    >>> [round(end, 4) for end in split_interval(values, n_train, n_test, 0.95, 4)]
    [0.0508, 0.2492]
    >>> [round(end, 4) for end in split_interval(values, n_train, n_test, 0.95, 4, low=0.0, high=1.0)]
    [0.0762, 0.2739]
    >>> [round(end, 4) for end in split_interval(np.zeros(4), n_train, n_test, 0.95, 4, low=0.0, high=1.0)]
    [0.0, 0.0823]
    """
    is_defined = ~np.isnan(values)
    k, defined = min(k, int(is_defined.sum())), values[is_defined]
    if k < 2 or not np.isfinite(defined).all():
        return NO_INTERVAL
    correction = 1.0 / k + float(n_test[is_defined].mean() / n_train[is_defined].mean())
    square = float(stdtrit(k - 1, 0.5 + 0.5 * confidence)) ** 2
    n_rows = float((n_test if n_counted is None else n_counted)[is_defined].mean())
    # The variance of rows that are counted is known: it takes the quantile of the normal distribution
    least = float(ndtri(0.5 + confidence / 2.0)) ** 2 / square * correction / n_rows
    variance = correction * float(defined.var(ddof=1))
    return ends_in_range(float(defined.mean()), square, variance, low, high, least, is_counted=n_counted is not None)


def ends_in_range(
    mean: float,
    square: float,
    variance: float,
    low: float,
    high: float,
    least: float,
    *,
    is_counted: bool = False,
) -> Interval:
    """Return the means within some standard errors of a mean, the variance proportional to the distances of the ends.

    Parameters
    ----------
    mean : float
        The mean.
    square : float
        The square of the number of standard errors.
    variance : float
        Its variance.
    low, high : float
        The range of the metric.
    least : float
        The variance over the product of the distances from both ends where it was found to be 0: one over the number of
        rows, as values within a range vary at most like a proportion.
    is_counted : bool
        Whether the metric counts rows: then the variance is never less than that.

    Examples
    --------
    >>> [round(end, 4) for end in ends_in_range(0.1, 1.96**2, 0.1 * 0.9 / 100, 0.0, 1.0, 0.01)]  # Wilson's, 10 of 100
    [0.0552, 0.1744]
    """
    mean = float(np.clip(mean, low, high))  # outside by rounding only
    spread = _from_ends(mean, low, high)
    is_constant = spread == 0.0 or math.sqrt(variance) <= ROUNDING * max(1.0, abs(mean))
    if is_constant and (math.isinf(low) or math.isinf(high)):
        return NO_INTERVAL
    relative = least if is_constant else variance / spread
    return _ends(mean, square * (max(relative, least) if is_counted else relative), low, high)


def _from_ends(mean: float, low: float, high: float) -> float:
    """Return the product of the distances from the ends of the range that are finite."""
    return math.prod(abs(mean - end) for end in (low, high) if math.isfinite(end))


def _ends(mean: float, square: float, low: float, high: float) -> Interval:
    """Solve ``(mean - x)**2 = square * (x - low) * (high - x)``, without the factors of ends that are infinite."""
    if math.isinf(low) and math.isinf(high):
        return Interval(mean - math.sqrt(square), mean + math.sqrt(square))
    if math.isinf(low):
        mirrored = _ends(-mean, square, -high, math.inf)
        return Interval(-mirrored.high, -mirrored.low)
    distance, length, leading = mean - low, 1.0, 1.0
    if math.isfinite(high):
        length, leading = high - low, 1.0 + square
    # The lower root as a quotient: the difference of two nearly equal numbers would lose its digits
    middle = distance + square * length / 2.0
    root = math.sqrt(square * (_from_ends(mean, low, high) + square * length**2 / 4.0))
    return Interval(low + distance**2 / (middle + root), min(high, low + (middle + root) / leading))


_N_DRAWS = 10_000  # of the largest of correlated statistics: the critical value then varies by 1 %
_MOST_NUMBERS = 5_000_000  # that are drawn at a time: 40 MB


class RowDifference(NamedTuple):
    """The difference of two means over the same splits.

    Parameters
    ----------
    difference : float
        The first mean less the second.
    error : float
        Its standard error over samples of rows and training sets; NaN where there is none.
    low, high : float
        Its interval.
    pvalue : float
        The two-sided p-value of no difference.
    df : float
        Degrees of freedom.
    """

    difference: float
    error: float
    low: float
    high: float
    pvalue: float
    df: float


@dataclass(frozen=True, eq=False)
class RowStatistics:
    """Statistics of the means of methods over the splits of a plan, from held-out rows.

    Parameters
    ----------
    tested : TestedRows
        The tests of the splits.
    contributions : dict of (method, metric) to Contributions
        Of the units to each mean.
    limits : dict of metric to (float, float)
        The range of each metric.
    n_counted : dict of metric to float or None
        The number of different rows that a proportion or an area counts; None for other metrics.
    """

    tested: TestedRows
    contributions: Mapping[tuple[str, str], Contributions]
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    n_counted: Mapping[str, float | None] = field(default_factory=dict)

    @classmethod
    def of(cls, scorer: Scorer, trials: Mapping[str, Sequence[MethodTrial]]) -> RowStatistics:
        """Return the statistics of methods from their trials with predictions and values, one for each split."""
        first = next(iter(trials.values()))
        tested, metrics = TestedRows.of(scorer.data, first), tuple(scorer.metrics)
        found = {}
        for method, own in trials.items():
            values = np.array([trial.values for trial in own], dtype=np.float64)
            for column, metric in enumerate(metrics):
                found[method, metric] = row_contributions(scorer, metric, own, values[:, column], tested)
        row, place = np.unique(tested.row, return_index=True)
        predictions = np.concatenate([np.asarray(trial.predictions) for trial in first])[place]
        counted = {metric: scorer.n_counted(metric, predictions, row) for metric in metrics}
        return cls(tested, found, {metric: scorer.range_of(metric) for metric in metrics}, counted)

    def training_factor(self, training: Any = 1.0) -> Any:
        """Return the variance of a difference over samples and training sets, in units of that of tested rows alone.

        Each of the two is the variance of a row's difference, divided by the number of rows: the correction of Nadeau &
        Bengio (2003), with the variance of rows in the place of that of splits. `training` multiplies the second.
        """
        return 1.0 + training * self.tested.n_rows / self.tested.n_train

    @property
    def own_factor(self) -> float:
        """The variance of one method's mean about the true mean of its models, in units of that of the rows alone.

        Above 1 where the rows that one split tests train the models of others: 1 + 1 / (K - 1) with K folds, at most 2.
        With rows alone, intervals at 95 % held the truth in 90 to 93 % of the samples of 300 rows
        (benchmarks/interval_coverage.py).
        """
        n_test = len(self.tested.row) / self.tested.n_splits
        others = self.tested.n_rows - n_test
        return 1.0 + min(n_test / others, 1.0) if others > 0.0 else 1.0

    def interval(self, method: str, metric: str, mean: float, confidence: float) -> Interval:
        """Return the interval of a mean, of the models that were fitted, for rows drawn anew.

        It holds the means that are at most so many standard errors away, the variance taken as proportional to the
        distances from the ends of the range, as Wilson's interval of a proportion does. The rows that a proportion or
        an area counts keep it from having no length where all rows have the same value.
        """
        own, n_counted = self.contributions[method, metric], self.n_counted[metric]
        if own.why_none or not math.isfinite(mean):
            return NO_INTERVAL
        square = float(stdtrit(own.df, 0.5 + 0.5 * confidence)) ** 2
        variance = self.own_factor * own.variance
        n_units = float(self.tested.copies.sum())
        counted = n_units if n_counted is None else n_counted * n_units / self.tested.n_rows
        least = self.own_factor / counted if counted else math.inf
        return ends_in_range(mean, square, variance, *self.limits[metric], least, is_counted=n_counted is not None)

    def why_none(self, method: str, metric: str) -> str:
        """Return why there is no interval of a mean; empty where there is one."""
        return self.contributions[method, metric].why_none

    def difference(self, one: str, other: str, metric: str, difference: float, confidence: float) -> RowDifference:
        """Return the difference of two means with its interval over samples of this size and training sets.

        Parameters
        ----------
        one, other : str
            The methods.
        metric : str
            The metric.
        difference : float
            The first mean less the second.
        confidence : float
            Confidence of the interval.
        """
        between = self.contributions[one, metric].minus(self.contributions[other, metric])
        if between.why_none or not math.isfinite(difference):
            return RowDifference(difference, *(math.nan,) * 5)
        added = (self.training_factor(between.training) - 1.0) * between.training_variance
        error = math.sqrt(between.variance + added)
        if error <= ROUNDING:
            is_same = abs(difference) <= ROUNDING
            return RowDifference(difference, error, difference, difference, 1.0 if is_same else 0.0, between.df)
        reach = float(stdtrit(between.df, 0.5 + 0.5 * confidence)) * error
        pvalue = 2.0 * float(stdtr(between.df, -abs(difference) / error))
        return RowDifference(difference, error, difference - reach, difference + reach, pvalue, between.df)

    def best_pvalues(self, methods: Sequence[str], metric: str, losses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each method the p-value of its being among the best, by all methods at once.

        Multiple comparisons with the best (Hsu 1981), step by step as in the model confidence set of Hansen, Lunde &
        Nason (2011): the statistic of a method is its largest standardized distance from another one; the method with
        the largest is tested, left out, and the others go on. The distribution is that of the largest of all distances
        of normal numbers with the correlations of the rows' differences, which is the multiplier bootstrap with normal
        multipliers, drawn in the space of the methods. The standard error of the observed distances includes the
        training sets, that of the drawn ones the tested rows alone. So the chance that any of the methods that are
        truly the best has a p-value of at most 5 % is at most 5 %.

        Parameters
        ----------
        methods : sequence of str
            The methods.
        metric : str
            The metric.
        losses : array of shape (n_methods,)
            Their means, the least the best.

        Returns
        -------
        array of shape (n_methods,)
            The p-values; NaN where the metric has no contributions.
        """
        found = [self.contributions[method, metric] for method in methods]
        is_known = bool(np.isfinite(losses).all()) and not any(each.why_none for each in found)
        pvalues = np.full(len(methods), 1.0 if is_known else math.nan)
        if not is_known or len(methods) == 1:
            return pvalues
        by_unit, copies = np.stack([each.by_unit for each in found]), found[0].copies
        total = float(copies.sum())
        covariance = total / (total - 1.0) * (by_unit / copies) @ by_unit.T
        one, other = np.triu_indices(len(methods), k=1)
        variance = covariance[one, one] + covariance[other, other] - 2.0 * covariance[one, other]
        error = np.sqrt(np.maximum(variance, 0.0))
        differs = error > ROUNDING
        one, other, error = one[differs], other[differs], error[differs]
        drawn = _draw_distances(covariance, one, other, error, min(*(each.df for each in found), total - 1.0))
        training = np.array([each.training for each in found])
        added = self.training_factor(np.maximum(training[one], training[other])) - 1.0
        single = error**2
        if found[0].tests is not None:
            single = np.array([found[i].minus(found[j]).training_variance for i, j in zip(one, other, strict=True)])
        observed = (losses[one] - losses[other]) / np.sqrt(error**2 + added * single)
        # Methods are left out one after the other, the worst first
        worst, largest = np.where(observed > 0.0, one, other), 0.0
        active = np.ones(len(one), dtype=np.bool_)
        while active.any():
            pairs = np.flatnonzero(active)
            pair = pairs[np.argmax(np.abs(observed[pairs]))]
            # One more than counted: a p-value of a simulation is never 0 (Davison & Hinkley 1997)
            reached = int(np.count_nonzero(drawn[:, pairs].max(axis=1) >= abs(observed[pair])))
            largest = max(largest, (1.0 + reached) / (1.0 + len(drawn)))
            pvalues[worst[pair]] = largest
            active &= (one != worst[pair]) & (other != worst[pair])
        return pvalues


def _draw_distances(
    covariance: NDArray[np.float64],
    one: NDArray[np.intp],
    other: NDArray[np.intp],
    error: NDArray[np.float64],
    df: float,
) -> NDArray[np.float64]:
    """Draw the distances of pairs of equally good methods, with the tails of Student's t: variances are estimated."""
    # In the space of methods, by the root of their covariance: drawing rows would take n_rows times as long
    random, n_draws = stream(seed_sequence(0), 0), min(_N_DRAWS, _MOST_NUMBERS // max(1, len(one)))
    values, vectors = np.linalg.eigh(covariance)
    normal = random.standard_normal((n_draws, len(values))) @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
    scale = 1.0 if math.isinf(df) else np.sqrt(random.chisquare(df, (n_draws, 1)) / df)
    return np.asarray(np.abs(normal[:, one] - normal[:, other]) / error / scale)


@dataclass(frozen=True, eq=False)
class TestPredictions:
    """The predictions of one trial.

    Parameters
    ----------
    row : array of shape (n_rows,)
        The position of each test row in the data set.
    y_true : array of shape (n_rows,)
        Its class or number.
    y_pred : array of shape (n_rows, n_classes) or (n_rows,)
        The probabilities of the classes, or the predicted number.
    classes : tuple
        The classes in the order of the columns; empty for regression.
    weight, group : array of shape (n_rows,) or None
        The weight and the group of each row.
    """

    __test__ = False  # not a class of tests

    row: NDArray[np.intp]
    y_true: NDArray[Any]
    y_pred: NDArray[np.float64]
    classes: tuple[Any, ...] = ()
    weight: NDArray[np.float64] | None = None
    group: NDArray[Any] | None = None


@dataclass(frozen=True, eq=False)
class KeptTrials:
    """The kept predictions of some methods on the splits that all of them have, as trials.

    Parameters
    ----------
    scorer : Scorer
        Computes the metrics.
    trials : dict of method to list of MethodTrial
        A trial for each split.
    """

    scorer: Scorer
    trials: Mapping[str, list[MethodTrial]]

    @classmethod
    def of(
        cls, kept: Mapping[str, Mapping[int, TestPredictions]], metrics: Sequence[str], pos_label: Any, n_train: int
    ) -> KeptTrials | str:
        """Return the trials of predictions by method and split, or why there are none."""
        splits = sorted(set.intersection(*(set(parts) for parts in kept.values())))
        if not splits:
            return "the predictions were not kept"
        first = [next(iter(kept.values()))[split] for split in splits]
        if metrics and not first[0].classes and not all(metric in numeric.__all__ for metric in metrics):
            return "the metric is not of predicted numbers"
        data = _tested_data(first)
        classes = [] if data.classes is None else data.classes.tolist()
        positive = classes.index(pos_label) if pos_label in classes else max(len(classes) - 1, 0)
        scorer = Scorer(data, dict.fromkeys(metrics), {}, positive, pos_label is not None)
        # Training rows are not kept: over all splits of a plan they are the tested rows
        training = scorer.summarize(np.unique(np.concatenate([part.row for part in first])))

        def trial(split: int, part: TestPredictions) -> MethodTrial:
            values = np.array(scorer.scores(part.y_pred, part.row, training)) if metrics else None
            return MethodTrial(split, 0, part.row, n_train, training, True, values, predictions=part.y_pred)

        return cls(scorer, {name: [trial(split, parts[split]) for split in splits] for name, parts in kept.items()})

    @property
    def n_splits(self) -> int:
        """Number of splits that all methods have."""
        return len(next(iter(self.trials.values())))

    @cached_property
    def statistics(self) -> RowStatistics:
        """The statistics of the means of the metrics over these splits."""
        return RowStatistics.of(self.scorer, self.trials)

    @property
    def rows(self) -> NDArray[np.intp]:
        """The test rows of all splits, one after the other."""
        return np.concatenate([trial.test for trial in next(iter(self.trials.values()))])

    def predictions(self, method: str) -> NDArray[np.float64]:
        """Return the predictions of a method for the test rows of all splits, one after the other."""
        return np.concatenate([np.asarray(trial.predictions) for trial in self.trials[method]])

    def split_counts(self, metric: str) -> NDArray[np.float64] | None:
        """Return the test rows of each split that a proportion or an area counts; None for other metrics."""
        return self.scorer.split_counts(metric, next(iter(self.trials.values())))


def _tested_data(parts: Sequence[TestPredictions]) -> TrialData:
    """Return the tested rows at their positions in the data set; other rows take no part in anything."""
    first, joined = parts[0], dict[str, Any]()
    for name in ("row", "y_true", "weight", "group"):
        is_there = getattr(first, name) is not None
        joined[name] = np.concatenate([getattr(part, name) for part in parts]) if is_there else None
    row, outcome, labels = joined["row"], joined["y_true"], None
    n_rows = int(row.max()) + 1
    if first.classes:
        number = {label: code for code, label in enumerate(first.classes)}
        outcome = np.array([number[label] for label in outcome.tolist()], dtype=np.int32)
        dtype = None if first.y_true.dtype.kind == "U" else first.y_true.dtype
        order = tuple(range(len(number)))
        labels = Labels(np.array(list(first.classes), dtype=dtype), outcome, order, len(number))

    def scattered(values: NDArray[Any] | None) -> Any:
        if values is None:
            return None
        found = np.full(n_rows, values[0], dtype=values.dtype)
        found[row] = values
        return found

    weight, groups = scattered(joined["weight"]), scattered(joined["group"])
    return TrialData(None, None, scattered(outcome), labels, weight, groups, np.arange(n_rows), n_rows)
