"""The names of this package that other packages may import; `tests/test_internal_imports.py` allows no others."""

from calibrant.bayes._counts import Batch

__all__ = ["Batch"]
