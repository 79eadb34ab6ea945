"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.linear._model import LogisticModel

__all__ = ["LogisticModel"]
