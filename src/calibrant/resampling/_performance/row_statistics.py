"""Intervals, differences and comparisons with the best, from what held-out rows contribute to means over splits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from calibrant._random import seed_sequence, stream
from calibrant.metrics import Interval
from calibrant.resampling._performance.intervals import NO_INTERVAL, ends_in_range

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._performance.row_contributions import Contributions, TestedRows

__all__ = ["RowDifference", "RowStatistics"]

_ROUNDING = 1e-12  # a standard error below this is the rounding of 0
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
    """

    tested: TestedRows
    contributions: Mapping[tuple[str, str], Contributions]

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

    def why_none(self, method: str, metric: str) -> str:
        """Return why there is no interval of a mean; empty where there is one."""
        return self.contributions[method, metric].why_none

    def interval(
        self,
        method: str,
        metric: str,
        mean: float,
        confidence: float,
        limits: tuple[float, float] = (-math.inf, math.inf),
        n_counted: float | None = None,
    ) -> Interval:
        """Return the interval of a mean, of the models that were fitted, for rows drawn anew.

        It holds the means that are at most so many standard errors away, the variance taken as proportional to the
        distances from the ends of the range, as Wilson's interval of a proportion does. `n_counted` rows, which a
        proportion or an area counts, keep it from having no length where all rows have the same value.
        """
        own = self.contributions[method, metric]
        if own.why_none or not math.isfinite(mean):
            return NO_INTERVAL
        square = float(stdtrit(own.df, 0.5 + 0.5 * confidence)) ** 2
        variance = self.own_factor * own.variance
        n_units = float(self.tested.copies.sum())
        counted = n_units if n_counted is None else n_counted * n_units / self.tested.n_rows
        least = self.own_factor / counted if counted else math.inf
        return ends_in_range(mean, square, variance, *limits, least, is_counted=n_counted is not None)

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
        if error <= _ROUNDING:
            is_same = abs(difference) <= _ROUNDING
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
        differs = error > _ROUNDING
        one, other, error = one[differs], other[differs], error[differs]
        drawn = _draw_distances(covariance, one, other, error, min(*(each.df for each in found), total - 1.0))
        training = np.array([each.training for each in found])
        added = self.training_factor(np.maximum(training[one], training[other])) - 1.0
        single = error**2
        if found[0].tests is not None:
            single = np.array([found[i].minus(found[j]).training_variance for i, j in zip(one, other, strict=True)])
        observed = (losses[one] - losses[other]) / np.sqrt(error**2 + added * single)
        return _step_down(pvalues, one, other, observed, drawn)


def _draw_distances(
    covariance: NDArray[np.float64],
    one: NDArray[np.intp],
    other: NDArray[np.intp],
    error: NDArray[np.float64],
    df: float,
) -> NDArray[np.float64]:
    """Draw the distances of pairs of equally good methods, with the tails of Student's t: variances are estimated."""
    random, n_draws = stream(seed_sequence(0), 0), min(_N_DRAWS, _MOST_NUMBERS // max(1, len(one)))
    values, vectors = np.linalg.eigh(covariance)
    normal = random.standard_normal((n_draws, len(values))) @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
    scale = 1.0 if math.isinf(df) else np.sqrt(random.chisquare(df, (n_draws, 1)) / df)
    return np.asarray(np.abs(normal[:, one] - normal[:, other]) / error / scale)


def _step_down(
    pvalues: NDArray[np.float64],
    one: NDArray[np.intp],
    other: NDArray[np.intp],
    observed: NDArray[np.float64],
    drawn: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the p-values of methods that are left out one after the other, the worst first."""
    worst, largest = np.where(observed > 0.0, one, other), 0.0
    active = np.ones(len(one), dtype=np.bool_)
    while active.any():
        pairs = np.flatnonzero(active)
        pair = pairs[np.argmax(np.abs(observed[pairs]))]
        reached = int(np.count_nonzero(drawn[:, pairs].max(axis=1) >= abs(observed[pair])))
        largest = max(largest, (1.0 + reached) / (1.0 + len(drawn)))
        pvalues[worst[pair]] = largest
        active &= (one != worst[pair]) & (other != worst[pair])
    return pvalues
