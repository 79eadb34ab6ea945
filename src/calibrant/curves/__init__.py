"""Curves of predictions, computed without matplotlib; `calibrant.plots` draws them."""

from calibrant.curves._brier_curve import BrierCurve, brier_curve
from calibrant.curves._cost_curve import CostCurve, CostLine, Costs, Crossover, cost_curve, error_curve
from calibrant.curves._decision_curve import DecisionCurve, decision_curve
from calibrant.curves._lift import LiftCurve, PrecisionRecallCurve, lift, precision_recall
from calibrant.curves._reliability_curve import ReliabilityCurve, reliability
from calibrant.curves._roc_curve import RocCurve, RocPoints, roc, roc_by_cost_ratio
from calibrant.curves._roc_hull import Mix, RocHull, hull_of, roc_hull
from calibrant.curves._score_distribution import (
    ScoreHistogram,
    SortedScores,
    score_histogram,
    sorted_scores,
)
from calibrant.curves._threshold_table import ProfitCurve, ThresholdTable, profit_curve, threshold_table
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
