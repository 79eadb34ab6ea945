"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.bayes._constant import CONSTANT_RULES
from calibrant.bayes._counts import CategoryCounts, IntervalCounts, Smoothing
from calibrant.bayes._distribution import Batch
from calibrant.bayes._gaussian import FittedGaussian, Gaussian
from calibrant.bayes._kernels import KernelDistribution
from calibrant.bayes._naive_bayes import NAIVE_BAYES_RULES
from calibrant.bayes._value_grid import ValueCounts, ValueGrid

__all__ = [
    "CONSTANT_RULES",
    "NAIVE_BAYES_RULES",
    "Batch",
    "CategoryCounts",
    "FittedGaussian",
    "Gaussian",
    "IntervalCounts",
    "KernelDistribution",
    "Smoothing",
    "ValueCounts",
    "ValueGrid",
]
