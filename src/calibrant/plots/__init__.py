"""Pictures of predictions and trees, in scikit-learn's style: they draw what `calibrant.curves` computes."""

from calibrant.plots._costs import CostCurveDisplay, ErrorCurveDisplay, ProfitDisplay
from calibrant.plots._decisions import BrierCurveDisplay, DecisionCurveDisplay
from calibrant.plots._ranking import GainsDisplay, LiftDisplay, PrecisionRecallDisplay, RocDisplay
from calibrant.plots._reliability import ReliabilityDisplay
from calibrant.plots._scores import ScoreHistogramDisplay, SortedScoresDisplay
from calibrant.plots._tree import TreeDisplay

__all__ = [
    "BrierCurveDisplay",
    "CostCurveDisplay",
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
