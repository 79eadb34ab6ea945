"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.estimates._base import ESTIMATE, log_loss_of, with_classes
from calibrant.estimates._leaf_counts import frequencies
from calibrant.estimates._names import ESTIMATE_RULE, check_estimate, look_up
from calibrant.estimates._paths import leaves_of_most_probable, wallace

__all__ = [
    "ESTIMATE",
    "ESTIMATE_RULE",
    "check_estimate",
    "frequencies",
    "leaves_of_most_probable",
    "log_loss_of",
    "look_up",
    "wallace",
    "with_classes",
]
