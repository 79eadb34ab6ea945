"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.estimates._base import with_classes
from calibrant.estimates._held_out import log_loss_of
from calibrant.estimates._kernel.kernel_density import KernelReader
from calibrant.estimates._kernel.kernels import ClassKernels
from calibrant.estimates._leaf.frequency import frequencies
from calibrant.estimates._names import ESTIMATE_RULE, look_up
from calibrant.estimates._path.prunings import leaves_of_most_probable
from calibrant.estimates._path.tree_priors import wallace

__all__ = [
    "ESTIMATE_RULE",
    "ClassKernels",
    "KernelReader",
    "frequencies",
    "leaves_of_most_probable",
    "log_loss_of",
    "look_up",
    "wallace",
    "with_classes",
]
