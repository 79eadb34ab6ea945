"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.decisions._amounts.heckman import HECKMAN_RULES
from calibrant.decisions._classifiers.cost_sensitive import COST_SENSITIVE_RULES
from calibrant.decisions._classifiers.metacost import METACOST_RULES
from calibrant.decisions._classifiers.threshold import THRESHOLD_RULES
from calibrant.decisions._profit.cost_benefit import leave_and_select
from calibrant.decisions._profit.costed_predictions import CostedPredictions, read_costed_predictions
from calibrant.decisions._profit.decision_report import cross_fitted, decompose
from calibrant.decisions._profit.money import IntervalOptions
from calibrant.decisions._profit.profit import profit_of

__all__ = [
    "COST_SENSITIVE_RULES",
    "HECKMAN_RULES",
    "METACOST_RULES",
    "THRESHOLD_RULES",
    "CostedPredictions",
    "IntervalOptions",
    "cross_fitted",
    "decompose",
    "leave_and_select",
    "profit_of",
    "read_costed_predictions",
]
