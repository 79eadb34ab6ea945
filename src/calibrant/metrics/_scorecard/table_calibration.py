"""Scores of a table's calibration measures: errors in bins and windows, slope, intercept and Spiegelhalter's Z."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from calibrant.metrics._calibration.ece import binned_error
from calibrant.metrics._calibration.spiegelhalter import z_of_sums
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
from calibrant.metrics._intervals.calibration_errors import UPPER_BOUND, ece_by_chance, gap_bound_of, pvalue_by_chance
from calibrant.metrics._intervals.metric_intervals import UNDEFINED, statistic_score
from calibrant.metrics._intervals.proportions import two_sided_z
from calibrant.metrics._scorecard.line_passes import StreamedLine
from calibrant.metrics._scorecard.running_sums import RunningSums
from calibrant.metrics._scorecard.score_card import Score

if TYPE_CHECKING:
    pass

__all__ = ["CALIBRATION", "CalibrationScorer"]

CALIBRATION = ("ece", "classwise_ece", "cal", "calibration_slope", "calibration_intercept", "spiegelhalter_z")
_NO_PVALUE = "no p-value: it needs the rows themselves"


class CalibrationScorer:
    """Computes the scores of calibration measures from running sums.

    `line` and `windows` return what takes further passes: slope and intercept, and the error in sliding windows.
    """

    def __init__(
        self,
        running: RunningSums,
        confidence: float | None,
        seed: np.random.SeedSequence,
        line: Callable[[], StreamedLine],
        windows: Callable[[], float],
    ) -> None:
        self._running, self._confidence, self._seed = running, confidence, seed
        self._fit_line, self._windows = line, windows

    def score(self, name: str) -> Score:
        """Return the score of a measure in `CALIBRATION`."""
        if name == "spiegelhalter_z":
            return statistic_score(name, z_of_sums(*self._running.excess_and_variance.tolist()), self._confidence)
        if name in ("calibration_slope", "calibration_intercept"):
            return self._line_score(name)
        return {"ece": self._ece, "classwise_ece": self._classwise_ece, "cal": self._cal}[name]()

    def _line_score(self, name: str) -> Score:
        line = self._line
        is_slope = name == "calibration_slope"
        value, error = (line.slope, line.slope_error) if is_slope else (line.intercept, line.intercept_error)
        if math.isnan(value):
            return Score(name, value, note=UNDEFINED)
        if self._confidence is None:
            return Score(name, value)
        if math.isinf(value):
            why = "the probabilities separate the classes" if is_slope else "only one class has rows"
            return Score(name, value, note=f"no interval: {why}")
        reach = two_sided_z(self._confidence) * error
        return Score(name, value, value - reach, value + reach, "sandwich")

    @cached_property
    def _line(self) -> StreamedLine:
        return self._fit_line()

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
        score = Score("cal", self._windows())
        return score if self._confidence is None else self._with_bound(score, _NO_PVALUE)

    def _with_bound(self, score: Score, note: str = "") -> Score:
        """Return the score with the upper bound on the true mean error."""
        return replace(score, high=gap_bound_of(self._plan, self._confidence or 0.95), method=UPPER_BOUND, note=note)

    @cached_property
    def _plan(self) -> BootstrapPlan:
        return BootstrapPlan(self._running.histogram.tied_rows(), seed=self._seed)
