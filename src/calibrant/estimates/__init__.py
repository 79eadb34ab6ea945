"""Probabilities from the class counts of a grown tree: one file an estimate, each a table of nodes x classes."""

from calibrant.estimates._base import CountedTree, Estimate
from calibrant.estimates._frequency import Frequency
from calibrant.estimates._laplace import Laplace

__all__ = ["ESTIMATES", "CountedTree", "Estimate", "Frequency", "Laplace"]

# What a string is short for.
ESTIMATES: dict[str, type[Estimate]] = {"frequency": Frequency, "laplace": Laplace}
