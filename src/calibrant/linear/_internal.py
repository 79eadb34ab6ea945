"""The names of this package that other packages may import; `tests/test_internal_imports.py` allows no others."""

from calibrant.linear._model import LogisticModel

__all__ = ["LogisticModel"]
