"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.decisions._cost_benefit import leave_and_select
from calibrant.decisions._cost_sensitive import COST_SENSITIVE_RULES
from calibrant.decisions._costed_predictions import CostedPredictions, read_costed_predictions
from calibrant.decisions._decision_report import cross_fitted, decompose
from calibrant.decisions._heckman import HECKMAN_RULES
from calibrant.decisions._metacost import METACOST_RULES
from calibrant.decisions._money import IntervalOptions
from calibrant.decisions._profit_of_model import profit_of
from calibrant.decisions._threshold import THRESHOLD_RULES

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
