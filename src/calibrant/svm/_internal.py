"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.svm._classifier import SVM_RULES
from calibrant.svm._kernel import KernelFunction
from calibrant.svm._machines import Machines

__all__ = ["SVM_RULES", "KernelFunction", "Machines"]
