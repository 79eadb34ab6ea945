"""Estimates: class probabilities from the class counts of a grown tree, each as a table of nodes x classes.

Which one: `Curtailment` with ``then="m"`` for a single tree and a rare class, `HierarchicalShrinkage` or `PathAverage`
for a single tree and many classes, `Laplace` for balanced classes, `Frequency` inside an ensemble.
"""

from calibrant.estimates._base import (
    ChosenByCV,
    CountedTree,
    Estimate,
    FittedHeldOut,
    HeldOutLeaves,
    NamesClass,
    Resolvable,
)
from calibrant.estimates._curtailment import Curtailment
from calibrant.estimates._kernel_density import KernelDensity, RowEstimate, RowReader
from calibrant.estimates._leaf_counts import Frequency, Laplace
from calibrant.estimates._m_estimate import MEstimate
from calibrant.estimates._names import ESTIMATES, as_estimate
from calibrant.estimates._path_average import PathAverage
from calibrant.estimates._shrinkage import HierarchicalShrinkage, MBranch

__all__ = [
    "ESTIMATES",
    "ChosenByCV",
    "CountedTree",
    "Curtailment",
    "Estimate",
    "FittedHeldOut",
    "Frequency",
    "HeldOutLeaves",
    "HierarchicalShrinkage",
    "KernelDensity",
    "Laplace",
    "MBranch",
    "MEstimate",
    "NamesClass",
    "PathAverage",
    "Resolvable",
    "RowEstimate",
    "RowReader",
    "as_estimate",
]
