"""Probabilities into decisions: costs and benefits, cost-sensitive learning, thresholds, and what decisions earn."""

from calibrant.decisions._cost_matrix import CostMatrix
from calibrant.decisions._cost_sensitive import CostSensitiveClassifier
from calibrant.decisions._decide import best_decision, expected_cost
from calibrant.decisions._example_costs import ExampleCosts
from calibrant.decisions._heckman import HeckmanRegressor
from calibrant.decisions._money import Money
from calibrant.decisions._profit import Profit, profit

__all__ = [
    "CostMatrix",
    "CostSensitiveClassifier",
    "ExampleCosts",
    "HeckmanRegressor",
    "Money",
    "Profit",
    "best_decision",
    "expected_cost",
    "profit",
]
