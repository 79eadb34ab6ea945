"""What other packages may import from this one, as `tests/test_internal_imports.py` checks."""

from calibrant.comparison._many_sets.method_pairs import Better

__all__ = ["Better"]
