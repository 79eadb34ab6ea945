"""Curves of predictions, computed without matplotlib; `calibrant.plots` draws them."""

from calibrant.curves._costs.brier_curve import BrierCurve, brier_curve
from calibrant.curves._costs.cost_curve import CostCurve, cost_curve, error_curve
from calibrant.curves._costs.cost_line import CostLine, Costs, Crossover
from calibrant.curves._costs.decision_curve import DecisionCurve, decision_curve
from calibrant.curves._reliability.reliability_curve import ReliabilityCurve, reliability
from calibrant.curves._reliability.score_distribution import (
    ScoreHistogram,
    SortedScores,
    score_histogram,
    sorted_scores,
)
from calibrant.curves._roc.roc_curve import RocCurve, roc
from calibrant.curves._roc.roc_hull import Mix, RocHull, hull_of, roc_hull
from calibrant.curves._roc.roc_points import RocPoints, roc_by_cost_ratio
from calibrant.curves._selection.lift import LiftCurve, lift
from calibrant.curves._selection.precision_recall import PrecisionRecallCurve, precision_recall
from calibrant.curves._selection.profit_curve import ProfitCurve, profit_curve
from calibrant.curves._selection.threshold_table import ThresholdTable, threshold_table
from calibrant.metrics._internal import Band

__all__ = [
    "Band",
    "BrierCurve",
    "CostCurve",
    "CostLine",
    "Costs",
    "Crossover",
    "DecisionCurve",
    "LiftCurve",
    "Mix",
    "PrecisionRecallCurve",
    "ProfitCurve",
    "ReliabilityCurve",
    "RocCurve",
    "RocHull",
    "RocPoints",
    "ScoreHistogram",
    "SortedScores",
    "ThresholdTable",
    "brier_curve",
    "cost_curve",
    "decision_curve",
    "error_curve",
    "hull_of",
    "lift",
    "precision_recall",
    "profit_curve",
    "reliability",
    "roc",
    "roc_by_cost_ratio",
    "roc_hull",
    "score_histogram",
    "sorted_scores",
    "threshold_table",
]
