"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.linear._classifier import LOGISTIC_RULES
from calibrant.linear._model import Coefficients, Design, LogisticModel

__all__ = ["LOGISTIC_RULES", "Coefficients", "Design", "LogisticModel"]
