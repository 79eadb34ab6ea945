"""Displays of predictions, trees and comparisons in scikit-learn's style; they draw what other packages compute."""

from calibrant.plots._box import BoxDisplay
from calibrant.plots._costs import (
    BrierCurveDisplay,
    CostCurveDisplay,
    DecisionCurveDisplay,
    ErrorCurveDisplay,
    ProfitDisplay,
)
from calibrant.plots._critical_difference import CriticalDifferenceDisplay
from calibrant.plots._ranking import GainsDisplay, LiftDisplay, PrecisionRecallDisplay, RocDisplay
from calibrant.plots._reliability import ReliabilityDisplay
from calibrant.plots._scores import ScoreHistogramDisplay, SortedScoresDisplay
from calibrant.plots._tree import TreeDisplay

__all__ = [
    "BoxDisplay",
    "BrierCurveDisplay",
    "CostCurveDisplay",
    "CriticalDifferenceDisplay",
    "DecisionCurveDisplay",
    "ErrorCurveDisplay",
    "GainsDisplay",
    "LiftDisplay",
    "PrecisionRecallDisplay",
    "ProfitDisplay",
    "ReliabilityDisplay",
    "RocDisplay",
    "ScoreHistogramDisplay",
    "SortedScoresDisplay",
    "TreeDisplay",
]
