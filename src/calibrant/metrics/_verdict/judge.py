"""The judgement of calibration: how far off probabilities can be on average, whether tests find an error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from calibrant._params import CONFIDENCE, Choice, check_param
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant._repr import percent
from calibrant.metrics._calibration.gap_bound import GapBound, RowGroups, bound_gap, independent_cells
from calibrant.metrics._calibration.probability_cells import ProbabilityCells, group_rows
from calibrant.metrics._classification.costs import read_matrix
from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._intervals.bootstrap_plan import FEW_GROUPS, BootstrapPlan, WeightKind
from calibrant.metrics._intervals.metric_intervals import band_of
from calibrant.metrics._metric import bound_keywords
from calibrant.metrics._scorecard.score_card import ScoreCard
from calibrant.metrics._validation.read_predictions import read_predictions
from calibrant.metrics._verdict.joint_test import JointTest, JudgedPart, draw_parts, joint_tests, judged_parts
from calibrant.metrics._verdict.pattern import Pattern, find_pattern
from calibrant.metrics._verdict.sample_size import RELATIVE, WITHIN, round_rows, rows_for
from calibrant.metrics._verdict.verdict import (
    ClassBound,
    Kind,
    Verdict,
    average_words,
    bound_words,
    finding_words,
    not_judged_words,
    rows_words,
    single_test_words,
    unseen_words,
)


class Tolerance(NamedTuple):
    """The largest error that does not matter, and the base rate that it is compared with.

    Parameters
    ----------
    error : float
        The smaller of the absolute tolerance and the relative one times the base rate.
    base_rate : float
        The observed frequency of the rarer outcome: positives, or negatives where those are fewer.
    of_negatives : bool
        Whether negatives are rarer.
    is_relative : bool
        Whether the relative tolerance is the smaller one.

    Examples
    --------
    >>> str(Tolerance(0.05, 0.1, is_relative=True)), str(Tolerance(0.1, 0.3, True))
    ('5 points (50 % of the base rate of 10 %)', '10 points')
    """

    error: float
    base_rate: float
    of_negatives: bool = False
    is_relative: bool = False

    def __str__(self) -> str:
        base = "the rate of negatives" if self.of_negatives else "the base rate"
        share = f" ({percent(self.error / self.base_rate)} of {base} of {percent(self.base_rate)})"
        return f"{100.0 * self.error:.2g} points{share if self.is_relative else ''}"


def tolerance_of(cells: ProbabilityCells, within: float, relative: float | None) -> Tolerance:
    """Return the tolerance for some rows; half a row is added to each class, so that none has the rate 0."""
    positive = float(cells.weight @ cells.proba + cells.residual.sum())
    rate = (positive + 0.5) / (cells.total + 1.0)
    of_negatives = rate > 0.5
    base = min(rate, 1.0 - rate)
    is_relative = relative is not None and relative * base < within
    return Tolerance(relative * base if relative and is_relative else within, base, of_negatives, is_relative)


_ERRORS = np.linspace(-1.0, 1.0, 401) ** 3  # of a group that are tried: denser near 0, where rare classes have theirs


class Stakes(NamedTuple):
    """The threshold of two decisions, and the gain of the right one per unit of probability beyond it."""

    threshold: float
    gain: float


def bound_money(cells: ProbabilityCells, bound: GapBound, stakes: Stakes) -> float:
    """Return a bound on the mean loss of a row whose decision is the cheapest one by its probability.

    A row of probability p and true frequency q loses ``gain * (|q - p| - |p - threshold|)`` if the threshold lies
    between them, and nothing otherwise, so the gain times the bound on the mean gap is a first bound. The largest loss
    of any errors of the groups with a sum of squares within the bound is smaller; by duality it is at most the least
    value of a convex function, which is found by a search.

    Examples
    --------
    >>> from calibrant.metrics._calibration.probability_cells import ProbabilityCells
    >>> from calibrant.metrics._calibration.gap_bound import bound_gap
    >>> p = np.array([0.3, 0.6])
    >>> cells = ProbabilityCells(np.full(2, 500.0), p, np.zeros(2), p, p, 500.0 * p * (1 - p))
    >>> [round(bound_money(cells, bound_gap(cells, 0.95), Stakes(t, 10.0)), 3) for t in (0.3, 0.4, 0.9)]
    [0.253, 0.0, 0.0]
    """
    if not 0.0 < stakes.threshold < 1.0:
        return 0.0  # one decision is the cheapest whatever the probability
    most = stakes.gain * bound.gap
    if bound.groups is None:
        return most
    squares = _squares(bound.groups)
    is_possible = squares <= bound.noncentrality  # of the errors of a single group
    losses = np.where(is_possible, stakes.gain * _losses(cells, bound.groups, stakes.threshold), 0.0)

    def dual(log_price: float) -> float:
        price = math.exp(log_price)
        return price * bound.noncentrality + float((losses - price * squares).max(axis=1).sum())

    scale = math.log(most * cells.total / bound.noncentrality) if most > 0.0 else 0.0
    found = minimize_scalar(dual, bounds=(scale - 12.0, scale + 6.0), method="bounded", options={"xatol": 1e-3})
    return min(most, float(found.fun) / cells.total)


def _losses(cells: ProbabilityCells, groups: RowGroups, threshold: float) -> NDArray[np.float64]:
    """Return the loss of each group, per unit of gain, for each error that its rows may share."""
    truth = np.clip(cells.proba[:, None] + _ERRORS, 0.0, 1.0)
    decided, right = cells.proba[:, None] > threshold, truth > threshold
    lost = np.where(decided == right, 0.0, np.abs(truth - threshold)) * cells.weight[:, None]
    return np.asarray(np.add.reduceat(lost, groups.start, axis=0))


def _squares(groups: RowGroups) -> NDArray[np.float64]:
    """Return the squared standardized error of each group; infinite where the frequency leaves 0 to 1."""
    mean = groups.mean[:, None]
    truth = mean + _ERRORS
    angle = np.arcsin(np.sqrt(np.clip(truth, 0.0, 1.0))) - np.arcsin(np.sqrt(mean))
    squares = 4.0 * (groups.weight / groups.heterogeneity)[:, None] * angle**2
    return np.where((truth < -1e-9) | (truth > 1.0 + 1e-9), np.inf, squares)


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

    def summary(self) -> ClassBound:
        part, cells = self.part, self.part.cells
        predicted = float(cells.weight @ cells.proba) / cells.total
        observed = min(max(predicted + float(cells.residual.sum()) / cells.total, 0.0), 1.0)
        limits = self.bound.gap, self.tolerance.error
        return ClassBound(part.name, part.share, predicted, observed, *limits, self.test.pvalue)


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
        drawn = draw_parts(self.plan, parts, stream(self.plan.seed, _STREAM))
        tests = joint_tests([part.cells for part in parts], drawn, self.confidence)
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
        is_within = widest.ratio <= 1.0
        kind: Kind = "calibrated" if is_within else "cannot tell"
        if shown:
            is_small = is_within and not any(part.is_large for part in off)
            kind = "too little to matter" if is_small else "miscalibrated"
        loss, money = self._loss(judged), self._money(judged)
        needed = self._rows_needed(judged) if kind == "cannot tell" else None
        pvalue = min(each.test.pvalue for each in judged)
        average = average_words(lead.part.name, lead.part.independent, self.confidence)
        share = None
        if loss is not None and self.plan.predictions.n_classes <= 2 and self._log_loss > 0.0:
            share = loss if math.isinf(loss) else min(loss / self._log_loss, 1.0)
        bound = bound_words(self.confidence, widest.bound.gap, share, money, widest.part.name, len(judged))
        if not is_within:
            bound += f", above the tolerance of {widest.tolerance}"
        if kind == "cannot tell":
            bound += f"; {rows_words(needed, self._n_counted)}"
        finding = finding_words([(each.part.name, each.pattern) for each in shown if each.pattern], pvalue)
        if not few and not shown and len(judged) == 1:
            finding += single_test_words(judged[0].test.pvalues, 1.0 - self.confidence)
        unseen = "; ".join(filter(None, [self._unseen(lead), not_judged_words(few)]))
        finding = f"but {finding}" if kind == "miscalibrated" and is_within else finding
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
            {
                f"{each.part.name}: {name}" if each.part.name else name: alone
                for each in judged
                for name, alone in each.test.pvalues.items()
            },
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

    @cached_property
    def _log_loss(self) -> float:
        with np.errstate(divide="ignore"):
            return self.plan.predictions.mean(-np.log(self.plan.predictions.true_class_proba()))

    @property
    def _stakes(self) -> Stakes | None:
        """The stakes of a cost matrix of two classes, in rows, and decisions, in columns."""
        predictions = self.plan.predictions
        if self.costs is None or predictions.n_classes != 2:
            return None
        positive, negative = predictions.positive, 1 - predictions.positive
        of_negative = float(self.costs[negative, positive] - self.costs[negative, negative])
        gain = of_negative + float(self.costs[positive, negative] - self.costs[positive, positive])
        return Stakes(of_negative / gain if gain else math.inf, abs(gain))

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
            gap = bound_gap(independent_cells(cells, self.plan.design_effect(rows)), confidence).gap
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


_RULES = {
    "within": WITHIN,
    "relative": RELATIVE,
    "confidence": CONFIDENCE,
    "weight_kind": Choice("frequency", "probability"),
}


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
    >>> verdict = calibration_verdict([0, 0, 1, 0, 1] * 200 + [0, 1, 0, 1, 0] * 200, [0.2] * 1000 + [0.3] * 1000)
    >>> verdict.kind, verdict.average, verdict.finding
    ('miscalibrated', '25.0 % predicted, 40.0 % came true (37.9 to 42.2)', 'probabilities are too low (p = 0.001)')
    """
    options = {"within": within, "relative": relative, "confidence": confidence, "weight_kind": weight_kind}
    for name, value in options.items():
        check_param(name, value, _RULES[name])
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    costs = None if matrix is None else read_matrix(matrix, predictions, labels)
    group = None if groups is None else predictions.read_codes("groups", groups)[0]
    plan = BootstrapPlan(predictions, group, weight_kind, seed=seed_sequence(random_state))
    return Judge(plan, within, relative, confidence, costs).verdict()


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
    return Judge(plan, 0.05, 0.5, card.confidence or 0.95, costs).verdict()
