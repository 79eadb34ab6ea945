"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.ensembles._bagging.params import RULES

__all__ = ["RULES"]
