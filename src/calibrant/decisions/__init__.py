"""Decisions from probabilities: costs and benefits, cost-sensitive classifiers, thresholds, profit."""

from calibrant.decisions._cost_benefit import CostBenefit, CostBenefitPoint, cost_benefit
from calibrant.decisions._cost_matrix import CostMatrix
from calibrant.decisions._cost_sensitive import CostSensitiveClassifier
from calibrant.decisions._decision_report import DecisionReport, decision_report
from calibrant.decisions._example_costs import ExampleCosts
from calibrant.decisions._expected_cost import best_decision, expected_cost
from calibrant.decisions._heckman import HeckmanRegressor
from calibrant.decisions._metacost import MetaCostClassifier
from calibrant.decisions._money import Money
from calibrant.decisions._profit_of_model import Profit, profit
from calibrant.decisions._threshold import ThresholdClassifier

__all__ = [
    "CostBenefit",
    "CostBenefitPoint",
    "CostMatrix",
    "CostSensitiveClassifier",
    "DecisionReport",
    "ExampleCosts",
    "HeckmanRegressor",
    "MetaCostClassifier",
    "Money",
    "Profit",
    "ThresholdClassifier",
    "best_decision",
    "cost_benefit",
    "decision_report",
    "expected_cost",
    "profit",
]
