"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.decisions._amounts.heckman import HECKMAN_RULES
from calibrant.decisions._classifiers.cost_sensitive import COST_SENSITIVE_RULES
from calibrant.decisions._classifiers.metacost import METACOST_RULES
from calibrant.decisions._classifiers.threshold import THRESHOLD_RULES

__all__ = ["COST_SENSITIVE_RULES", "HECKMAN_RULES", "METACOST_RULES", "THRESHOLD_RULES"]
