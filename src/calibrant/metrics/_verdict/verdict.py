"""The verdict on calibration in words: how far off on average, what was found, and what may have stayed unseen."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from calibrant._params import Choice, check_param
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant.metrics._calibration.probability_cells import group_rows
from calibrant.metrics._classification.costs import read_matrix
from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._intervals.bootstrap_plan import FEW_GROUPS, BootstrapPlan, WeightKind
from calibrant.metrics._intervals.calibration_errors import band_of
from calibrant.metrics._intervals.design_effect import design_effect
from calibrant.metrics._intervals.proportions import CONFIDENCE
from calibrant.metrics._metric import bound_keywords
from calibrant.metrics._validation.read_codes import read_codes
from calibrant.metrics._validation.read_predictions import read_predictions
from calibrant.metrics._verdict.gap_bound import GapBound, bound_gap, independent_cells
from calibrant.metrics._verdict.joint_test import JointTest
from calibrant.metrics._verdict.judged_part import JudgedPart, joint_tests_of, judged_parts
from calibrant.metrics._verdict.money_bound import Stakes, bound_money, stakes_of
from calibrant.metrics._verdict.pattern import OffRange, Pattern, find_pattern
from calibrant.metrics._verdict.sample_size import RELATIVE, WITHIN, round_rows, rows_for
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

    from calibrant.metrics._scorecard.score_card import ScoreCard

__all__ = ["ClassBound", "Verdict", "calibration_verdict", "verdict_of"]

_RULES = {
    "within": WITHIN,
    "relative": RELATIVE,
    "confidence": CONFIDENCE,
    "weight_kind": Choice("frequency", "probability"),
}
_STREAM = 3  # of the random streams; 0 to 2 are those of intervals
_HIGHEST, _MOST_HIGHEST = 0.05, 0.25  # of the rows, whose bound is stated apart; ties may make them more
Kind = Literal["calibrated", "miscalibrated", "too little to matter", "cannot tell"]


class ClassBound(NamedTuple):
    """What is known of one class, or of the rows predicted to be of it.

    Parameters
    ----------
    name : str
        The class or predicted class; "" where there are two.
    share, predicted, observed : float
        The fraction of the rows, their mean probability, and the observed frequency.
    gap_bound, tolerance : float
        The bound on the mean error, and the tolerance.
    pvalue : float
        That of perfect calibration, adjusted for all classes.
    """

    name: str
    share: float
    predicted: float
    observed: float
    gap_bound: float
    tolerance: float
    pvalue: float


@dataclass(frozen=True)
class Verdict:
    """The verdict on calibration, which prints as a sentence.

    Parameters
    ----------
    kind : {"calibrated", "miscalibrated", "too little to matter", "cannot tell"}
        The verdict in short: the mean error is bounded within the tolerance and no error is found; an error is found
        that matters; an error is found, but bounded within the tolerance and nowhere large; or none is found and the
        bound exceeds the tolerance.
    words : str
        The verdict in a sentence: its kind, and then `average`, `bound`, `finding` and `unseen`.
    gap_bound : float
        The upper confidence bound on the mean absolute difference of the probabilities and the true frequencies. With
        more than two classes, that of the class or predicted class whose bound is the largest relative to its
        tolerance.
    loss_bound : float or None
        The same on the mean log-loss that miscalibration costs, in nats; with more than two classes, the largest of
        each class against the others. None where the rows allow no bound.
    money_bound : float or None
        The same on the mean cost of a row; None without costs.
    rows_needed : int or None
        Where the verdict is "cannot tell": the approximate number of rows, in all, from which on the bound of a
        calibrated model is within the tolerance in 80 % of samples.
    off : tuple of OffRange
        The ranges where the probabilities are too high or too low, each with the fraction of the rows, the mean
        probability and the observed frequency.
    tolerance : float
        The largest mean error that does not matter: the smaller of the absolute and the relative one.
    pvalue : float
        The p-value of perfect calibration, of all tests together.
    tests : dict of str to float
        The p-value of each test on its own.
    average, bound, finding, unseen : str
        What came true on average; how far off it can be; what the tests found; what could have stayed unseen.
    classes : tuple of ClassBound
        The bound of everything that was judged.

    Examples
    --------
    >>> print(Verdict("calibrated", "calibrated: at most 2 points off on average"))
    calibrated: at most 2 points off on average
    """

    kind: Kind
    words: str
    gap_bound: float = float("nan")
    loss_bound: float | None = None
    money_bound: float | None = None
    rows_needed: int | None = None
    off: tuple[OffRange, ...] = ()
    tolerance: float = float("nan")
    pvalue: float = float("nan")
    tests: Mapping[str, float] = field(default_factory=dict, hash=False)
    average: str = ""
    bound: str = ""
    finding: str = ""
    unseen: str = ""
    classes: tuple[ClassBound, ...] = ()

    def __str__(self) -> str:
        return self.words

    @property
    def sentences(self) -> tuple[str, ...]:
        """The parts of the verdict after its kind, each a sentence.

        Examples
        --------
        >>> Verdict("calibrated", "", average="9 % predicted, 8 % came true", bound="at most 2 points off").sentences
        ('9 % predicted, 8 % came true.', 'At most 2 points off.')
        """
        said = (self.average, self.bound, self.finding, self.unseen)
        return tuple(f"{part[0].upper()}{part[1:]}." for part in said if part) or (f"{self.words}.",)


@document_metric
def calibration_verdict(
    y_true: Any,
    y_proba: Any,
    *,
    within: float = 0.05,
    relative: float | None = 0.5,
    matrix: Any = None,
    confidence: float = 0.95,
    groups: Any = None,
    random_state: SeedLike = 0,
    sample_weight: Any = None,
    weight_kind: WeightKind = "frequency",
    pos_label: Any = None,
    labels: Any = None,
) -> Verdict:
    """Return whether probabilities are calibrated, how far off they can be on average, and where they are wrong.

    *How far off?* The mean absolute difference of the probabilities and the true frequencies has an upper confidence
    bound, from 20 to 100 groups of rows by probability; so have the log-loss and the money that it costs. It assumes
    that the error keeps its sign within a group: waves shorter than a group are not seen. *Are they miscalibrated?*
    Tests of the mean, the slope, both, the squared error (Spiegelhalter 1986), the expected calibration error and the
    sums of residuals over any range are calibrated jointly on samples drawn from the probabilities themselves
    (Westfall & Young 1993). A range that they name is called miscalibrated, however few its rows, if its own error
    exceeds 0.1 or half its mean probability.

    So calibrated rows are called off in at most 5 of 100 samples, and rows that are farther off on average than the
    tolerance are called "calibrated" or "too little to matter" in at most 7 of 100, by simulation.

    With more than two classes, each class against the others and the rows predicted to be of each class are judged
    together; classes of fewer than 20 rows are not judged. Each has a bound of its own: all are within their tolerances
    in at most 5 of 100 samples if any class is farther off.

    %(parameters)s
    within : float
        The tolerance: the largest mean error that does not matter.
    relative : float, optional
        The same as a fraction of the rarer class's rate; the smaller of both counts. None: only `within` counts.
    matrix : array of shape (n_classes, n_classes), optional
        The cost of deciding for a class (columns) where another is the actual one (rows), as in `cost`. Decisions are
        taken to be the cheapest ones by the probabilities.
    confidence : float
        That of the bounds; one minus the error rate of the tests.
    groups : sequence of length n_rows, optional
        The cluster of each row: signs of whole clusters are then drawn, and bounds widened by the design effect.
    random_state : int, numpy Generator, RandomState, SeedSequence or None
        The source of randomness of the tests.
    weight_kind : {"frequency", "probability"}
        Whether a weight of 2 means the row twice, or one row that represents two of the population.

    %(returns)s
        The verdict, which prints as a sentence.

    Examples
    --------
    >>> proba = np.repeat([0.2, 0.3], 1000)
    >>> verdict = calibration_verdict([0, 0, 1, 0, 1] * 200 + [0, 1, 0, 1, 0] * 200, proba)
    >>> verdict.kind, verdict.average, verdict.finding
    ('miscalibrated', '25.0 % predicted, 40.0 % came true (37.9 to 42.2)', 'probabilities are too low (p = 0.001)')
    """
    options = {"within": within, "relative": relative, "confidence": confidence, "weight_kind": weight_kind}
    for name, value in options.items():
        check_param(name, value, _RULES[name])
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    costs = None if matrix is None else read_matrix(matrix, predictions, labels)
    group = None if groups is None else read_codes("groups", groups, predictions)[0]
    plan = BootstrapPlan(predictions, group, weight_kind, seed=seed_sequence(random_state))
    return _Judge(plan, within, relative, confidence, costs).verdict()


def verdict_of(card: ScoreCard, matrix: Any = None, labels: Any = None) -> Verdict:
    """Return the verdict on the rows of a card, with the costs passed or else those that it was evaluated with."""
    plan = card.judged or card.binned
    if plan is None:
        unseen = "more than two classes are judged with all rows in memory"
        return Verdict("cannot tell", f"cannot tell: {unseen}", unseen=unseen)
    if matrix is None and "cost" in plan.bound:
        keywords = bound_keywords(plan.bound["cost"])
        matrix, labels = keywords["matrix"], keywords.get("labels")
    costs = None if matrix is None else read_matrix(matrix, plan.predictions, labels)
    return _Judge(plan, 0.05, 0.5, card.confidence or 0.95, costs).verdict()


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
class _Judge:
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
        judged = [self._judged(part, test) for part, test in zip(parts, tests, strict=True)]
        return self._verdict(judged, few)

    def _judged(self, part: JudgedPart, test: JointTest) -> _Judged:
        pattern = None
        if test.pvalue <= 1.0 - self.confidence:
            band = None if part.name else band_of(self.plan, self.confidence)
            pattern = find_pattern(part.cells, test, band, self.confidence)
        bound = bound_gap(part.independent, self.confidence)
        return _Judged(part, test, bound, tolerance_of(part.cells, self.within, self.relative), pattern)

    def _verdict(self, judged: list[_Judged], few: list[str]) -> Verdict:
        widest = max(judged, key=lambda each: each.ratio)
        shown = sorted((each for each in judged if each.pattern), key=lambda each: (each.test.pvalue, -each.ratio))
        lead = shown[0] if shown else widest
        off = tuple(part._replace(of=each.part.name) for each in shown if each.pattern for part in each.pattern.named)
        kind = _kind(widest.ratio <= 1.0, bool(shown), any(part.is_large for part in off))
        loss, money = self._loss(judged), self._money(judged)
        needed = self._rows_needed(judged) if kind == "cannot tell" else None
        pvalue = min(each.test.pvalue for each in judged)
        average = average_words(lead.part.name, lead.part.independent, self.confidence)
        name = widest.part.name if widest is not lead or widest.part.name else ""
        share = self._share_of_loss(loss)
        bound = bound_words(self.confidence, widest.bound.gap, share, money, name, len(judged))
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
                rows = rows_for(cells, self.within, self.relative, self.confidence)
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
