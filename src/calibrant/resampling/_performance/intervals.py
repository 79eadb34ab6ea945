"""Intervals of a mean over splits, corrected for shared rows (Nadeau & Bengio 2003), and of one split."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import stdtrit

from calibrant._random import seed_sequence, stream
from calibrant.data._internal import factorize
from calibrant.metrics import METRICS, Interval, evaluate
from calibrant.metrics._internal import two_sided_z

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._trials.method_trial import MethodTrial
    from calibrant.resampling._trials.scoring import Scorer

__all__ = ["NO_INTERVAL", "row_intervals", "split_interval"]

NO_INTERVAL = Interval(math.nan, math.nan)
_ROUNDING = 1e-12  # values that differ by less are equal
_N_REPLICATES = 1000  # the rough minimum for percentile intervals of Efron & Tibshirani (1986)


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
    mean = float(np.clip(defined.mean(), low, high))  # outside by rounding only
    spread = _from_ends(mean, low, high)
    is_constant = spread == 0.0 or float(np.ptp(defined)) <= _ROUNDING * max(1.0, abs(mean))
    if is_constant and math.isinf(low) and math.isinf(high):
        return NO_INTERVAL
    variance = 0.0 if is_constant else float(defined.var(ddof=1)) / spread
    square = float(stdtrit(k - 1, 0.5 + 0.5 * confidence)) ** 2 * correction * variance
    if is_constant or n_counted is not None:
        n_rows = float((n_test if n_counted is None else n_counted)[is_defined].mean())
        square = max(square, two_sided_z(confidence) ** 2 * correction / n_rows)
    return _ends(mean, square, low, high)


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
    middle = distance + square * length / 2.0
    root = math.sqrt(square * (_from_ends(mean, low, high) + square * length**2 / 4.0))
    return Interval(low + distance**2 / (middle + root), min(high, low + (middle + root) / leading))


def row_intervals(scorer: Scorer, trial: MethodTrial, confidence: float) -> dict[str, Interval]:
    """Return the intervals of the model of one method by the rows of its only test set."""
    data, rows, predictions = scorer.data, trial.test, np.asarray(trial.predictions)
    if data.classes is None:
        return _bootstrap_intervals(scorer, trial, confidence)
    names = [name for name, own in scorer.metrics.items() if own is None and not METRICS[name].needs]
    card = evaluate(
        data.classes[data.outcome[rows]],
        predictions,
        metrics=names,
        confidence=confidence,
        groups=None if data.groups is None else np.asarray(data.groups)[rows],
        sample_weight=None if data.weight is None else data.weight[rows],
        labels=data.classes,
        pos_label=scorer.pos_label,
    )
    return {
        name: NO_INTERVAL if score.low is None or score.high is None else Interval(score.low, score.high)
        for name, score in ((name, card[name]) for name in names)
    }


def _bootstrap_intervals(scorer: Scorer, trial: MethodTrial, confidence: float) -> dict[str, Interval]:
    """Return percentile intervals by bootstrap replicates of the test rows, or of whole groups of them."""
    random, tails = stream(seed_sequence(0), 0), 100 * np.array([0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence])
    rows, predictions = trial.test, np.asarray(trial.predictions)
    units = _resampling_units(scorer, rows)
    drawn = random.integers(0, len(units), (_N_REPLICATES, len(units)))
    positions = (np.concatenate([units[unit] for unit in each]) for each in drawn)
    values = np.array([scorer.scores(predictions[each], rows[each], trial.training) for each in positions])
    found = {name: Interval(*np.nanpercentile(values[:, i], tails)) for i, name in enumerate(scorer.metrics)}
    return {name: ends if ends.low < ends.high else NO_INTERVAL for name, ends in found.items()}


def _resampling_units(scorer: Scorer, rows: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Return the positions of the test rows that are drawn together."""
    if scorer.data.groups is None:
        return list(np.arange(len(rows))[:, np.newaxis])
    group = np.asarray(factorize(scorer.data.groups).codes)[rows]
    return [np.flatnonzero(group == number) for number in np.unique(group)]
