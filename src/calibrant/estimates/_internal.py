"""Names for other packages of calibrant; `tests/test_internal_imports.py` allows no others."""

from calibrant.estimates._base import ESTIMATE, with_classes
from calibrant.estimates._names import ESTIMATE_RULE, check_estimate
from calibrant.estimates._paths import leaves_of_most_probable, nearest_above, wallace

__all__ = [
    "ESTIMATE",
    "ESTIMATE_RULE",
    "check_estimate",
    "leaves_of_most_probable",
    "nearest_above",
    "wallace",
    "with_classes",
]
