"""The verdict on calibration in words: whether it is shown to be off, and how far it can be off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from calibrant._params import Choice, Nothing, Real, check_param
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant.metrics._calibration.probability_cells import ProbabilityCells, cells_of
from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._intervals.bootstrap_plan import FEW_GROUPS, BootstrapPlan, WeightKind
from calibrant.metrics._intervals.calibration_errors import band_of
from calibrant.metrics._intervals.design_effect import design_effect
from calibrant.metrics._intervals.proportions import CONFIDENCE
from calibrant.metrics._validation.read_codes import read_codes
from calibrant.metrics._validation.read_predictions import read_predictions
from calibrant.metrics._verdict.further_rows import further_rows
from calibrant.metrics._verdict.joint_test import JointTest, joint_test
from calibrant.metrics._verdict.pattern import OffRange, find_pattern
from calibrant.metrics._verdict.sample_size import reach_of
from calibrant.metrics._verdict.tolerance import Tolerance, tolerance_of
from calibrant.metrics._verdict.words import pattern_words, round_up, rows_words, within_words

if TYPE_CHECKING:
    from calibrant.metrics._intervals.honest_bands import Band
    from calibrant.metrics._scorecard.score_card import ScoreCard

__all__ = ["Verdict", "calibration_verdict", "verdict_of", "verdict_without_further_rows"]

_WITHIN, _RELATIVE = 0.1, 0.5
_RULES = {
    "within": Real(0, 1, closed="neither"),
    "relative": Real(0, closed="neither") | Nothing(),
    "confidence": CONFIDENCE,
    "weight_kind": Choice("frequency", "probability"),
}
_STREAM = 3  # of the random streams; 0 to 2 are those of intervals
Kind = Literal["calibrated", "miscalibrated", "too little to matter", "cannot tell"]


@dataclass(frozen=True)
class Verdict:
    """The verdict on calibration, which prints as a sentence.

    Parameters
    ----------
    kind : {"calibrated", "miscalibrated", "too little to matter", "cannot tell"}
        The verdict in short: calibrated within the tolerance; shown to be miscalibrated; shown to be, but within the
        tolerance; or neither shown yet.
    words : str
        The verdict in a sentence.
    reach : float
        The largest distance of the honest bands from the diagonal, for nine rows in ten; NaN where the calibration
        curve falls, so that the bands do not hold.
    off : tuple of OffRange
        The ranges where the probabilities are too high or too low, each with the fraction of the rows, the mean
        probability and the observed frequency.
    more_rows : int or None
        The approximate number of further rows that would settle it.
    tolerance : float
        The largest error that does not matter: the smaller of the absolute and the relative one.
    pvalue : float
        The p-value of perfect calibration, of all tests together.
    tests : dict of str to float
        The p-value of each test on its own.

    Examples
    --------
    >>> print(Verdict("calibrated", "calibrated within ±0.02", 0.02))
    calibrated within ±0.02
    """

    kind: Kind
    words: str
    reach: float = float("nan")
    off: tuple[OffRange, ...] = ()
    more_rows: int | None = None
    tolerance: float = float("nan")
    pvalue: float = float("nan")
    tests: Mapping[str, float] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return self.words


@document_metric
def calibration_verdict(
    y_true: Any,
    y_proba: Any,
    *,
    within: float = _WITHIN,
    relative: float | None = _RELATIVE,
    confidence: float = 0.95,
    groups: Any = None,
    random_state: SeedLike = 0,
    sample_weight: Any = None,
    weight_kind: WeightKind = "frequency",
    pos_label: Any = None,
    labels: Any = None,
) -> Verdict:
    """Return whether probabilities are calibrated, miscalibrated and how, or what it would take to tell.

    Two questions are answered with one error rate. *Are they miscalibrated?* Tests of the mean, the slope, both, the
    squared error (Spiegelhalter 1986), the expected calibration error and the sums of residuals over any range are
    calibrated jointly on samples drawn from the probabilities themselves: perfectly calibrated probabilities are called
    miscalibrated in at most 5 of 100 samples. *How far can they be off?* Bands cover the whole calibration curve with
    the confidence, whatever the number of rows (Dimitriadis et al. 2023), if it does not fall. As no curve is both
    perfectly calibrated and farther off than the tolerance, at most 5 of 100 verdicts are wrong, whatever the truth.

    With more than two classes the probability of the predicted class is tested.

    %(parameters)s
    within : float
        The largest error that does not matter, for nine rows in ten.
    relative : float, optional
        The same as a fraction of the base rate, or of the rate of negatives where that is smaller; the smaller of both
        counts. None: only `within` counts.
    confidence : float
        One minus the error rate.
    groups : sequence of length n_rows, optional
        The cluster of each row: signs of whole clusters are then drawn, and bands widened by the design effect.
    random_state : int, numpy Generator, RandomState, SeedSequence or None
        The source of randomness of the tests.
    weight_kind : {"frequency", "probability"}
        Whether a weight of 2 means the row twice, or one row that represents two of the population.

    %(returns)s
        The verdict, which prints as a sentence.

    Examples
    --------
    >>> proba = np.repeat([0.2, 0.3], 1000)
    >>> print(calibration_verdict([0, 0, 1, 0, 1] * 200 + [0, 1, 0, 1, 0] * 200, proba))
    miscalibrated: probabilities are too low: 40 % came true where 25 % were given (p = 0.001)
    """
    options = {"within": within, "relative": relative, "confidence": confidence, "weight_kind": weight_kind}
    for name, value in options.items():
        check_param(name, value, _RULES[name])
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    group = None if groups is None else read_codes("groups", groups, predictions)[0]
    plan = BootstrapPlan(predictions, group, weight_kind, seed=seed_sequence(random_state))
    return _verdict(plan, within, relative, confidence)


def verdict_of(card: ScoreCard) -> Verdict:
    """Return the verdict on the rows of a card."""
    if card.judged is None:
        return Verdict("cannot tell", "cannot tell: the card does not keep its rows")
    return _verdict(card.judged, _WITHIN, _RELATIVE, card.confidence or 0.95)


def verdict_without_further_rows(card: ScoreCard) -> Verdict:
    """Return the verdict without the number of further rows that would settle it, whose search takes most of the time.

    Examples
    --------
    >>> from calibrant.metrics import evaluate
    >>> verdict_without_further_rows(evaluate([0, 1] * 10, [0.4, 0.6] * 10, metrics=["auc"])).more_rows is None
    True
    """
    if card.judged is None:
        return verdict_of(card)
    return _verdict(card.judged, _WITHIN, _RELATIVE, card.confidence or 0.95, counts_rows=False)


def _verdict(
    plan: BootstrapPlan, within: float, relative: float | None, confidence: float, *, counts_rows: bool = True
) -> Verdict:
    if plan.has_few_groups:
        return Verdict("cannot tell", f"cannot tell yet: {FEW_GROUPS}")
    cells = cells_of(plan)
    rng = stream(plan.seed, _STREAM)
    test = joint_test(cells, rng, confidence)
    band = band_of(plan, confidence)
    tolerance = tolerance_of(cells, within, relative)
    reach = float("nan")
    if band.falling() is None:
        reach = reach_of(plan.predictions.calibration_rows().proba, plan.predictions.weight, band)
    shown: dict[str, Any] = {"reach": reach, "tolerance": tolerance.error, "pvalue": test.pvalue, "tests": test.pvalues}
    if test.pvalue <= 1.0 - confidence:
        return _miscalibrated(cells, test, band, tolerance, confidence, shown)
    if reach <= tolerance.error:
        words = f"calibrated within {within_words(reach, tolerance)} for nine rows in ten{_single(test, confidence)}"
        return Verdict("calibrated", words, **shown)
    if not counts_rows:
        return Verdict("cannot tell", "cannot tell yet", **shown)
    n_rows = plan.predictions.total if plan.weight_kind == "frequency" else plan.predictions.n_rows
    more = further_rows(cells, tolerance.error, confidence, design_effect(plan), n_rows, rng)
    far = "" if np.isnan(reach) else f"nine rows in ten may be off by up to ±{round_up(reach):g}, "
    words = f"cannot tell yet: {far}the tolerance is {tolerance}; {rows_words(more)}{_single(test, confidence)}"
    return Verdict("cannot tell", words, more_rows=more, **shown)


def _miscalibrated(
    cells: ProbabilityCells, test: JointTest, band: Band, tolerance: Tolerance, confidence: float, shown: dict[str, Any]
) -> Verdict:
    pattern = find_pattern(cells, test, band, confidence)
    thus, reach = pattern_words(pattern), shown["reach"]
    if reach <= tolerance.error and pattern.kind != "falls":
        words = f"miscalibrated, but too little to matter: {thus}; nine rows in ten are within ±{round_up(reach):g}"
        return Verdict("too little to matter", f"{words}, the tolerance is {tolerance}", off=pattern.off, **shown)
    words = f"miscalibrated: {thus} (p = {test.pvalue:.2g})"
    return Verdict("miscalibrated", words, off=pattern.off, **shown)


def _single(test: JointTest, confidence: float) -> str:
    """Return a remark where a test on its own finds an error that all tests together do not."""
    name, least = min(test.pvalues.items(), key=lambda found: found[1], default=("", 1.0))
    if least > 1.0 - confidence:
        return ""
    together = f"all tests together do not (p = {test.pvalue:.2g})"
    return f"; the test of the {name} alone finds an error (p = {least:.2g}), {together}"
