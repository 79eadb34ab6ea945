"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.curves._curve import rank

__all__ = ["rank"]
