"""The verdict on calibration in words: how far off on average, what was found, and what may have stayed unseen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant._params import Choice, check_param
from calibrant._random import SeedLike, seed_sequence
from calibrant.metrics._classification.costs import read_matrix
from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan, WeightKind
from calibrant.metrics._intervals.proportions import CONFIDENCE
from calibrant.metrics._metric import bound_keywords
from calibrant.metrics._validation.read_codes import read_codes
from calibrant.metrics._validation.read_predictions import read_predictions
from calibrant.metrics._verdict.judge import Judge
from calibrant.metrics._verdict.result import Verdict
from calibrant.metrics._verdict.sample_size import RELATIVE, WITHIN

if TYPE_CHECKING:
    from calibrant.metrics._scorecard.score_card import ScoreCard

__all__ = ["calibration_verdict", "verdict_of"]

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
    group = None if groups is None else read_codes("groups", groups, predictions)[0]
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
