"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.neural._classifier import NEURAL_NET_RULES
from calibrant.neural._net import Net

__all__ = ["NEURAL_NET_RULES", "Net"]
