"""Estimates: class probabilities from the class counts of a grown tree, each as a table of nodes x classes.

Which one: `Curtailment` with ``then="m"`` for a single tree and a rare class, `HierarchicalShrinkage` or `PathAverage`
for a single tree and many classes, `Laplace` for balanced classes, `Frequency` inside an ensemble.
"""

from calibrant.estimates._base import ChosenByCV, CountedTree, Estimate, NamesClass, Resolvable
from calibrant.estimates._held_out import FittedHeldOut, HeldOut
from calibrant.estimates._kernel.kernel_density import KernelDensity
from calibrant.estimates._kernel.row_estimate import RowEstimate, RowReader
from calibrant.estimates._leaf.frequency import Frequency
from calibrant.estimates._leaf.laplace import Laplace
from calibrant.estimates._leaf.m_estimate import MEstimate
from calibrant.estimates._names import ESTIMATES, as_estimate
from calibrant.estimates._path.curtailment import Curtailment
from calibrant.estimates._path.m_branch import MBranch
from calibrant.estimates._path.path_average import PathAverage
from calibrant.estimates._path.shrinkage import HierarchicalShrinkage

__all__ = [
    "ESTIMATES",
    "ChosenByCV",
    "CountedTree",
    "Curtailment",
    "Estimate",
    "FittedHeldOut",
    "Frequency",
    "HeldOut",
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
