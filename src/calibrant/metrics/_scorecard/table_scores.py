"""Scores of a table from running sums over its batches."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibrant._repr import round_up
from calibrant.metrics._calibration.calibration_tests import z_of_sums
from calibrant.metrics._calibration.errors import binned_error
from calibrant.metrics._calibration.slope_and_intercept import degenerate_intercept, degenerate_slope, fit_line, line_at
from calibrant.metrics._classification.confusion import Confusions, measure_of
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
from calibrant.metrics._intervals.delong import area_interval
from calibrant.metrics._intervals.intervals import Interval, mean_interval, two_sided_z, wilson_interval
from calibrant.metrics._intervals.metric_intervals import (
    UNDEFINED,
    UPPER_BOUND,
    ece_by_chance,
    gap_bound_of,
    pvalue_by_chance,
    score_of_replicates,
    statistic_score,
    success_counts,
)
from calibrant.metrics._intervals.replicate_values import MEANS
from calibrant.metrics._metric import Metric
from calibrant.metrics._scorecard.running_sums import RunningSums, SortedRows, WindowSums
from calibrant.metrics._scorecard.score_card import Score
from calibrant.metrics._validation.predictions import BinaryRows, Predictions

RANKINGS = ("auc", "gini", "average_precision", "ks", "lift", "aulc")
CALIBRATION = ("ece", "classwise_ece", "cal", "calibration_slope", "calibration_intercept", "spiegelhalter_z")
_LINES = ("calibration_slope", "calibration_intercept")
_NO_PVALUE = "no p-value: it needs the rows themselves"
_WINDOW = 100.0  # rows of a window, as in `cal`
_MOST_PASSES = 20  # from the histogram two are enough, unless the classes are almost separable
_LAST_STEP = 1e-7  # Newton converges quadratically: the step after one this short is below rounding
_LONGEST_STEP = 4.0  # on the scale of log-odds, where the loss is flat and Newton's step would overshoot
_ROUNDING = 1e-12  # of sums: errors and ends of intervals closer than this are equal
_N_DRAWN = 1000  # confusion matrices and rankings drawn for intervals
# Of neighboring bins that replicates of rankings are drawn from; ends move by less than 3 % of a width.
_N_BLOCKS = 2000


class TableScorer:
    """Computes scores from running sums, from further passes over the batches, or from rows that are sorted on disk."""

    def __init__(
        self,
        running: RunningSums,
        batches: Callable[[], Iterable[Predictions]],
        sorted_rows: SortedRows,
        confidence: float | None,
        seed: np.random.SeedSequence,
    ) -> None:
        self._running, self._batches, self._sorted_rows = running, batches, sorted_rows
        self._confidence, self._seed = confidence, seed
        self._ranked_draws: dict[str, NDArray[np.float64]] = {}

    def scores(self, metrics: Mapping[str, Metric]) -> dict[str, Score]:
        """Return the scores of metrics."""
        ranked = {name: metric for name, metric in metrics.items() if name in RANKINGS and name not in ("auc", "gini")}
        self._ranked_draws = self._draw_rankings(ranked) if ranked and self._confidence is not None else {}
        return {name: self._score(metric) for name, metric in metrics.items()}

    def _score(self, metric: Metric) -> Score:
        if metric.id in MEANS:
            return self._mean_score(metric)
        if metric.id in RANKINGS:
            return self._ranking_score(metric)
        if metric.id == "spiegelhalter_z":
            statistic = z_of_sums(*self._running.excess_and_variance.tolist())
            return statistic_score(metric.id, statistic, self._confidence)
        if metric.id in _LINES:
            return self._line_score(metric.id)
        of_calibration = {"ece": self._ece, "classwise_ece": self._classwise_ece, "cal": self._cal}
        return of_calibration[metric.id]() if metric.id in of_calibration else self._confusion_score(metric)

    def _mean_score(self, metric: Metric) -> Score:
        column, then = MEANS[metric.id]
        running = self._running
        if column == "log_loss" and running.n_infinite:
            note = f"the actual class has probability 0 in {running.n_infinite:,} row(s)"
            return Score(metric.id, math.inf, note=note)
        moments = running.sums[column] / running.total
        value = float(then(max(float(moments[0]), 0.0), running.like.n_classes))
        if self._confidence is None:
            return Score(metric.id, value)
        mean, square, cube = moments.tolist()
        ends = mean_interval(mean, square, cube, running.total, self._confidence)
        if math.isclose(*ends, rel_tol=_ROUNDING):
            return Score(metric.id, value, note="no interval: every row has the same value")
        low, high = (float(then(max(end, 0.0), running.like.n_classes)) for end in ends)
        return Score(metric.id, value, low, high, "BCa")

    def _confusion_score(self, metric: Metric) -> Score:
        running = self._running
        measure = measure_of(metric)
        assert measure is not None  # noqa: S101  # such metrics alone come here
        whole = self._confusions(running.cells)
        value = float(measure(whole)[0])
        if math.isnan(value):
            return Score(metric.id, value, note=UNDEFINED)
        if self._confidence is None:
            return Score(metric.id, value)
        counts = success_counts(metric, whole) if running.has_whole_weights else None
        if counts is not None:
            return Score(metric.id, value, *wilson_interval(*counts, self._confidence), "Wilson")
        drawn = measure(self._confusions(self._tables))
        return score_of_replicates(metric.id, value, drawn, None, self._confidence, "bootstrap")

    def _confusions(self, cells: NDArray[np.float64]) -> Confusions:
        like = self._running.like
        return Confusions(cells.reshape(-1, like.n_classes, like.n_classes), like)

    @cached_property
    def _tables(self) -> NDArray[np.float64]:
        """Resampled confusion matrices."""
        cells = self._running.cells
        rng = np.random.default_rng(self._seed)
        return rng.multinomial(max(1, round(self._running.total)), cells / cells.sum(), _N_DRAWN).astype(np.float64)

    def _ranking_score(self, metric: Metric) -> Score:
        value = metric.judge(self._running.ranked("tied"))
        if math.isnan(value):
            return Score(metric.id, value, note=UNDEFINED)
        off = max(abs(end - value) for end in self._extremes(metric))
        note = "" if off <= _ROUNDING else f"approximate: off by at most {round_up(off):g}"
        if self._confidence is None:
            return Score(metric.id, value, note=note)
        if metric.id in ("auc", "gini"):
            return Score(metric.id, value, *self._area_ends(metric.id, off), "DeLong", note=note)
        found = score_of_replicates(
            metric.id, value, self._ranked_draws[metric.id], None, self._confidence, "bootstrap"
        )
        if found.low is None or found.high is None:
            return replace(found, note="; ".join(filter(None, (note, found.note))))
        low, high = max(found.low - off, metric.low), min(found.high + off, metric.high)
        return replace(found, low=low, high=high, note="; ".join(filter(None, (note, found.note))))

    def _extremes(self, metric: Metric) -> Iterator[float]:
        """Yield the metric with the best and the worst order within the bins."""
        yield metric.judge(self._running.ranked("first"))
        is_precision = metric.id == "average_precision"
        yield self._running.least_precision() if is_precision else metric.judge(self._running.ranked("last"))

    def _area_ends(self, name: str, off: float) -> Interval:
        """Return DeLong's interval, extended on either side by the error of binning."""
        rows = self._running.ranked("tied").binary_rows()
        _, (low, high) = area_interval(rows.proba, rows.positive, rows.weight, self._confidence or 0.95)
        if name == "gini":
            low, high = 2.0 * low - 1.0, 2.0 * high - 1.0
        return Interval(max(low - off, -1.0 if name == "gini" else 0.0), min(high + off, 1.0))

    def _draw_rankings(self, metrics: Mapping[str, Metric]) -> dict[str, NDArray[np.float64]]:
        """Return metrics of resampled blocks of neighboring rows, less what joining rows to blocks changes."""
        blocks = self._running.blocks(_N_BLOCKS)
        rng = np.random.default_rng(self._seed)
        chances, n_drawn = blocks.weight / blocks.total, max(1, round(blocks.total))
        drawn: dict[str, list[float]] = {name: [] for name in metrics}
        for _ in range(_N_DRAWN):
            weights = rng.multinomial(n_drawn, chances).astype(np.float64)
            kept = np.flatnonzero(weights)
            replicate = blocks.take(kept, weights[kept])
            for name, metric in metrics.items():
                drawn[name].append(metric.judge(replicate))
        whole = self._running.ranked("tied")
        return {name: np.array(drawn[name]) + m.judge(whole) - m.judge(blocks) for name, m in metrics.items()}

    def _line_score(self, name: str) -> Score:
        value, error = self._lines[name]
        if math.isnan(value):
            return Score(name, value, note=UNDEFINED)
        if self._confidence is None:
            return Score(name, value)
        if math.isinf(value):
            why = "the probabilities separate the classes" if name == "calibration_slope" else "only one class has rows"
            return Score(name, value, note=f"no interval: {why}")
        reach = two_sided_z(self._confidence) * error
        return Score(name, value, value - reach, value + reach, "sandwich")

    @cached_property
    def _lines(self) -> dict[str, tuple[float, float]]:
        return fit_line_in_passes(
            lambda: (batch.binary_rows() for batch in self._batches()),
            self._running.histogram.tied_rows().binary_rows(),
            self._running.extreme_rows(),
        )

    def _ece(self) -> Score:
        bins = tuple(self._running.bins)
        value = binned_error(bins, "l1", debiased=False)
        if self._confidence is None:
            return Score("ece", value)
        pvalue = pvalue_by_chance(ece_by_chance(self._plan, value), value)
        return self._with_bound(Score("ece", value, debiased=binned_error(bins, "l1", debiased=True), pvalue=pvalue))

    def _classwise_ece(self) -> Score:
        of_classes = [tuple(bins) for bins in self._running.class_bins]
        value, debiased = (float(np.mean([binned_error(bins, "l1", x) for bins in of_classes])) for x in (False, True))
        if self._confidence is None:
            return Score("classwise_ece", value)
        return Score("classwise_ece", value, debiased=debiased, note=f"no interval: none is proved; {_NO_PVALUE}")

    def _cal(self) -> Score:
        windows = WindowSums(_WINDOW)
        for groups in self._sorted_rows:
            windows.add(*groups)
        score = Score("cal", windows.mean())
        return score if self._confidence is None else self._with_bound(score, _NO_PVALUE)

    def _with_bound(self, score: Score, note: str = "") -> Score:
        """Return the score with the upper bound on the true mean error."""
        return replace(score, high=gap_bound_of(self._plan, self._confidence or 0.95), method=UPPER_BOUND, note=note)

    @cached_property
    def _plan(self) -> BootstrapPlan:
        return BootstrapPlan(self._running.histogram.tied_rows(), seed=self._seed)


class _Sums:
    """Score, information and meat of a line at some coefficients, over batches."""

    def __init__(self, intercept: float, slope: float) -> None:
        self.coef = np.array([intercept, slope])
        self.score, self.information, self.meat = np.zeros(2), np.zeros((2, 2)), np.zeros((2, 2))

    def add(self, rows: BinaryRows) -> None:
        line = line_at(rows, *self.coef.tolist())
        self.score += line.score()
        self.information += line.information()
        self.meat += line.meat()

    def step(self, free: slice) -> NDArray[np.float64]:
        """Return Newton's step of the free coefficients, no longer than it is reliable."""
        step = np.zeros(2)
        step[free] = np.linalg.lstsq(self.information[free, free], self.score[free], rcond=None)[0]
        return np.asarray(step * min(1.0, _LONGEST_STEP / max(float(np.abs(step).max()), _LAST_STEP)))

    def error(self, free: slice, index: int) -> float:
        inverse = np.linalg.pinv(self.information[free, free])
        return math.sqrt(float((inverse @ self.meat[free, free] @ inverse)[index, index]))


def fit_line_in_passes(
    batches: Callable[[], Iterable[BinaryRows]], tied: BinaryRows, extremes: BinaryRows
) -> dict[str, tuple[float, float]]:
    """Fit calibration slope and intercept by Newton's method, one pass over the batches for each step.

    Parameters
    ----------
    batches : callable
        Returns the batches for a pass.
    tied : BinaryRows
        Nearly the same rows, few of them, from which the search starts.
    extremes : BinaryRows
        The rows of least and of largest probability of each class.

    Returns
    -------
    dict of str to tuple of float
        Slope, and intercept of slope 1, each with its standard error, which is NaN where the value is not finite: the
        same as of all rows at once, up to rounding.
    """
    slope, intercept = degenerate_slope(extremes), degenerate_intercept(extremes)
    if intercept is not None:
        return dict(zip(_LINES, [(math.nan if slope is None else slope, math.nan), (intercept, math.nan)], strict=True))
    start = np.array([1.0, 0.0]) if slope is not None else fit_line(tied)
    fitted = _Sums(float(start[1]), float(start[0])), _Sums(float(fit_line(tied, fit_slope=False)[1]), 1.0)
    every, first = slice(0, 2), slice(0, 1)
    for _ in range(_MOST_PASSES):
        joint, shifted = (_Sums(*sums.coef.tolist()) for sums in fitted)
        for rows in batches():
            joint.add(rows)
            shifted.add(rows)
        steps = (joint.step(every) if slope is None else np.zeros(2)), shifted.step(first)
        joint.coef, shifted.coef = joint.coef + steps[0], shifted.coef + steps[1]
        fitted = joint, shifted
        if max(np.abs(step).max() for step in steps) <= _LAST_STEP * (1.0 + np.abs(joint.coef).max()):
            break
    joint, shifted = fitted
    of_slope = (float(joint.coef[1]), joint.error(every, 1)) if slope is None else (slope, math.nan)
    return dict(zip(_LINES, [of_slope, (float(shifted.coef[0]), shifted.error(first, 0))], strict=True))
