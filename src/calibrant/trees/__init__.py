"""Trees made for probabilities: growing as C4.5 does, pruning, reading, and showing them."""

from calibrant.trees._classifier import ProbabilityTreeClassifier
from calibrant.trees._description_length import DescriptionLength
from calibrant.trees._export.outline import CurtailedTree
from calibrant.trees._growing.cost_complexity import CostComplexityPath
from calibrant.trees._styles import tree_style
from calibrant.trees._tree import Tree

__all__ = [
    "CostComplexityPath",
    "CurtailedTree",
    "DescriptionLength",
    "ProbabilityTreeClassifier",
    "Tree",
    "tree_style",
]
