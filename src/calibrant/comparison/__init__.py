"""Which of two methods is better, by how much and how surely: tests on paired values."""

from calibrant.comparison._result import Comparison
from calibrant.comparison._t_tests import corrected_resampled_t_test, paired_t_test

__all__ = ["Comparison", "corrected_resampled_t_test", "paired_t_test"]
