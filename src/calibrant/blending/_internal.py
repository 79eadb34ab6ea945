"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.blending._member import TreesModel

__all__ = ["TreesModel"]
