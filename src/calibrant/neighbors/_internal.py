"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.neighbors._classifier import NEIGHBORS_RULES
from calibrant.neighbors._scaling import ColumnScaling
from calibrant.neighbors._search import Neighbours
from calibrant.neighbors._space import Points, Space

__all__ = ["NEIGHBORS_RULES", "ColumnScaling", "Neighbours", "Points", "Space"]
