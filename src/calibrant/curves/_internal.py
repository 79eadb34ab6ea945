"""Names for other packages of calibrant; `tests/test_internal_imports.py` allows no others."""

from calibrant.curves._curve import rank

__all__ = ["rank"]
