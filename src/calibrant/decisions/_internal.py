"""Names for other packages of calibrant; `tests/test_internal_imports.py` allows no others."""

from calibrant.decisions._cost_file import read_cost_file
from calibrant.decisions._decision_report import cross_fitted, decompose
from calibrant.decisions._expected_cost import CostedPredictions
from calibrant.decisions._money import IntervalOptions
from calibrant.decisions._profit_of_model import profit_of

__all__ = [
    "CostedPredictions",
    "IntervalOptions",
    "cross_fitted",
    "decompose",
    "profit_of",
    "read_cost_file",
]
