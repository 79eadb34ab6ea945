"""Probabilities into decisions: costs and benefits, cost-sensitive learning, thresholds, and what decisions earn."""

from calibrant.decisions._amounts.heckman import HeckmanRegressor
from calibrant.decisions._classifiers.cost_sensitive import CostSensitiveClassifier
from calibrant.decisions._classifiers.metacost import MetaCostClassifier
from calibrant.decisions._classifiers.threshold import ThresholdClassifier
from calibrant.decisions._costs.cost_matrix import CostMatrix
from calibrant.decisions._costs.example_costs import ExampleCosts
from calibrant.decisions._money.cost_benefit import CostBenefit, CostBenefitPoint, cost_benefit
from calibrant.decisions._money.decide import best_decision, expected_cost
from calibrant.decisions._money.decision_report import DecisionReport, decision_report
from calibrant.decisions._money.profit import Profit, profit
from calibrant.decisions._money.sums import Money

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
