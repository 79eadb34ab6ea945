"""Decisions from probabilities: costs and benefits, cost-sensitive classifiers, thresholds, profit."""

from calibrant.decisions._amounts.heckman import HeckmanRegressor
from calibrant.decisions._classifiers.cost_sensitive import CostSensitiveClassifier
from calibrant.decisions._classifiers.metacost import MetaCostClassifier
from calibrant.decisions._classifiers.threshold import ThresholdClassifier
from calibrant.decisions._costs.cost_matrix import CostMatrix
from calibrant.decisions._costs.example_costs import ExampleCosts
from calibrant.decisions._costs.expected_cost import best_decision, expected_cost
from calibrant.decisions._profit.cost_benefit import CostBenefit, CostBenefitPoint, cost_benefit
from calibrant.decisions._profit.decision_report import DecisionReport, decision_report
from calibrant.decisions._profit.money import Money
from calibrant.decisions._profit.profit import Profit, profit

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
