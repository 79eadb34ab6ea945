"""Judges the calibration of rows: bounds, tests, and the words for both."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calibrant._random import stream
from calibrant.metrics._calibration.gap_bound import GapBound, bound_gap, independent_cells
from calibrant.metrics._calibration.probability_cells import group_rows
from calibrant.metrics._intervals.bootstrap_plan import FEW_GROUPS, BootstrapPlan
from calibrant.metrics._intervals.calibration_errors import band_of
from calibrant.metrics._intervals.design_effect import design_effect
from calibrant.metrics._verdict.joint_test import JointTest
from calibrant.metrics._verdict.judged_part import JudgedPart, joint_tests_of, judged_parts
from calibrant.metrics._verdict.money_bound import Stakes, bound_money, stakes_of
from calibrant.metrics._verdict.pattern import Pattern, find_pattern
from calibrant.metrics._verdict.result import ClassBound, Kind, Verdict
from calibrant.metrics._verdict.sample_size import round_rows, rows_for
from calibrant.metrics._verdict.tolerance import Tolerance, tolerance_of
from calibrant.metrics._verdict.words import (
    average_words,
    bound_words,
    finding_words,
    not_judged_words,
    rows_words,
    single_test_words,
    unseen_words,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Judge"]

_STREAM = 3  # of the random streams; 0 to 2 are those of intervals
_HIGHEST, _MOST_HIGHEST = 0.05, 0.25  # of the rows, whose bound is stated apart; ties may make them more


class _Judged(NamedTuple):
    """A part, and what is known of it."""

    part: JudgedPart
    test: JointTest
    bound: GapBound
    tolerance: Tolerance
    pattern: Pattern | None

    @property
    def ratio(self) -> float:
        return self.bound.gap / self.tolerance.error

    def rates(self) -> tuple[float, float]:
        cells = self.part.cells
        predicted = float(cells.weight @ cells.proba) / cells.total
        return predicted, min(max(predicted + float(cells.residual.sum()) / cells.total, 0.0), 1.0)

    def summary(self) -> ClassBound:
        return ClassBound(
            self.part.name, self.part.share, *self.rates(), self.bound.gap, self.tolerance.error, self.test.pvalue
        )


@dataclass(frozen=True, eq=False)
class Judge:
    """Judges rows by a tolerance, and by costs in the order of their columns."""

    plan: BootstrapPlan
    within: float
    relative: float | None
    confidence: float
    costs: NDArray[np.float64] | None = None

    def verdict(self) -> Verdict:
        """Return the verdict."""
        parts, few = judged_parts(self.plan)
        if not parts:
            unseen = not_judged_words(few, every=True)
            return Verdict("cannot tell", f"cannot tell: {unseen}", unseen=unseen)
        if self.plan.has_few_groups:
            cells = parts[0].cells
            average = average_words(parts[0].name, cells, None)
            words = f"cannot tell: {average}; {FEW_GROUPS}"
            return Verdict("cannot tell", words, average=average, unseen=FEW_GROUPS)
        tests = joint_tests_of(self.plan, parts, stream(self.plan.seed, _STREAM), self.confidence)
        tolerances = {
            part.of_class: tolerance_of(part.cells, self.within, self.relative)
            for part in parts
            if not part.is_predicted
        }
        judged = [self._judged(part, test, tolerances[part.of_class]) for part, test in zip(parts, tests, strict=True)]
        return self._verdict(judged, few)

    def _judged(self, part: JudgedPart, test: JointTest, tolerance: Tolerance) -> _Judged:
        pattern = None
        if test.pvalue <= 1.0 - self.confidence:
            band = None if part.name else band_of(self.plan, self.confidence)
            pattern = find_pattern(part.cells, test, band, self.confidence)
        bound = bound_gap(part.independent, self.confidence)
        return _Judged(part, test, bound, tolerance, pattern)

    def _verdict(self, judged: list[_Judged], few: list[str]) -> Verdict:
        widest = max(judged, key=lambda each: each.ratio)
        shown = sorted((each for each in judged if each.pattern), key=lambda each: (each.test.pvalue, -each.ratio))
        lead = shown[0] if shown else widest
        off = tuple(part._replace(of=each.part.name) for each in shown if each.pattern for part in each.pattern.off)
        kind = _kind(widest.ratio <= 1.0, bool(shown), any(part.is_large for part in off))
        loss, money = self._loss(judged), self._money(judged)
        needed = self._rows_needed(judged) if kind == "cannot tell" else None
        pvalue = min(each.test.pvalue for each in judged)
        average = average_words(lead.part.name, lead.part.independent, self.confidence)
        share = self._share_of_loss(loss)
        bound = bound_words(self.confidence, widest.bound.gap, share, money, widest.part.name, len(judged))
        if widest.ratio > 1.0:
            bound += f", above the tolerance of {widest.tolerance}"
        if kind == "cannot tell":
            bound += f"; {rows_words(needed, self._n_counted)}"
        finding = finding_words([(each.part.name, each.pattern) for each in shown if each.pattern], pvalue)
        if not few and not shown and len(judged) == 1:
            finding += single_test_words(judged[0].test.pvalues, 1.0 - self.confidence)
        unseen = "; ".join(filter(None, [self._unseen(lead), not_judged_words(few)]))
        is_local = kind == "miscalibrated" and widest.ratio <= 1.0
        finding = f"but {finding}" if is_local else finding
        return Verdict(
            kind,
            f"{kind}: {'; '.join(filter(None, [average, bound, finding, unseen]))}",
            widest.bound.gap,
            loss,
            money,
            needed,
            off,
            widest.tolerance.error,
            pvalue,
            _named_tests(judged),
            average,
            bound,
            finding,
            unseen,
            tuple(each.summary() for each in judged),
        )

    @property
    def _n_counted(self) -> float:
        predictions = self.plan.predictions
        return predictions.total if self.plan.weight_kind == "frequency" else float(predictions.n_rows)

    def _rows_needed(self, judged: list[_Judged]) -> int | None:
        """Return the largest number of rows that a part needs whose bound exceeds its tolerance."""
        needed = 0.0
        for each in judged:
            if each.ratio > 1.0:
                cells = each.part.independent
                limits = (each.tolerance.error, None) if each.part.is_predicted else (self.within, self.relative)
                rows = rows_for(cells, *limits, self.confidence)
                needed = max(needed, rows * self._n_counted / cells.total)
        return round_rows(needed) if math.isfinite(needed) else None

    def _loss(self, judged: list[_Judged]) -> float | None:
        losses = [each.bound.loss for each in judged if not each.part.is_predicted]
        if self.plan.predictions.n_classes <= 2 and math.isinf(self._log_loss):
            return math.inf
        return None if None in losses else max(loss for loss in losses if loss is not None)

    def _share_of_loss(self, loss: float | None) -> float | None:
        """Return the part of the log-loss of two classes that miscalibration costs at most."""
        if loss is None or self.plan.predictions.n_classes > 2:
            return None
        if math.isinf(loss):
            return loss
        return min(loss / self._log_loss, 1.0) if self._log_loss > 0.0 else None

    @property
    def _log_loss(self) -> float:
        def compute() -> float:
            with np.errstate(divide="ignore"):
                return self.plan.predictions.mean(-np.log(self.plan.predictions.true_class_proba()))

        return self.plan.once("log-loss of the verdict", compute)

    @property
    def _stakes(self) -> Stakes | None:
        predictions = self.plan.predictions
        is_two = self.costs is not None and predictions.n_classes == 2
        return stakes_of(self.costs, predictions.positive) if self.costs is not None and is_two else None

    def _money(self, judged: list[_Judged]) -> float | None:
        if self.costs is None:
            return None
        if self._stakes is not None:
            return bound_money(judged[0].part.independent, judged[0].bound, self._stakes)
        # Regret is at most the sum over classes of |q - p| times the range of the costs; all bounds hold together.
        confidence, total = 1.0 - (1.0 - self.confidence) / len(self.costs), 0.0
        for which, of_class in enumerate(self.costs):
            rows = self.plan.predictions.binary_rows(which)
            cells = group_rows(rows, self.plan.clusters())[0]
            gap = bound_gap(independent_cells(cells, design_effect(self.plan, rows)), confidence).gap
            total += gap * float(np.ptp(of_class))
        return total

    def _unseen(self, lead: _Judged) -> str:
        """Return the bounds of the rows of the highest probabilities and of those beyond the threshold."""
        cells = lead.part.independent
        above = np.cumsum(cells.weight[::-1])[::-1] / cells.total
        highest = above <= max(_HIGHEST, above[-1]) + 1e-12
        found = []
        if above[highest].max() <= _MOST_HIGHEST:
            gap = bound_gap(cells.take(highest), self.confidence, as_whole=True).gap
            found.append((f"the highest {{}}{f' ({lead.part.name})' if lead.part.name else ''}", highest, gap))
        stakes = self._stakes
        if stakes is not None and 0.0 < stakes.threshold < 1.0:
            beyond = cells.proba > stakes.threshold
            if beyond.any() and not beyond.all():
                gap = bound_gap(cells.take(beyond), self.confidence, as_whole=True).gap
                found.append((f"those beyond the threshold of {stakes.threshold:.2g} ({{}})", beyond, gap))
        return unseen_words([(text, float(cells.weight[of].sum()) / cells.total, gap) for text, of, gap in found])


def _kind(is_within: bool, is_shown: bool, is_large: bool) -> Kind:
    if is_shown:
        return "too little to matter" if is_within and not is_large else "miscalibrated"
    return "calibrated" if is_within else "cannot tell"


def _named_tests(judged: list[_Judged]) -> dict[str, float]:
    return {
        f"{each.part.name}: {name}" if each.part.name else name: pvalue
        for each in judged
        for name, pvalue in each.test.pvalues.items()
    }
