"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.bayes._counts import Batch

__all__ = ["Batch"]
