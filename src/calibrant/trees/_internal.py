"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.trees._description.code_lengths import PROBABILITIES, DescriptionLength, Probabilities, counts_bits
from calibrant.trees._description.tree_codes import TREE_CODINGS, Coding
from calibrant.trees._growing.examples import Examples
from calibrant.trees._growing.grow import TIE_STREAM, grow, grow_options
from calibrant.trees._growing.growth import Growth
from calibrant.trees._growing.memory import Among, enough_memory
from calibrant.trees._growing.row_subsets import Parts, set_aside
from calibrant.trees._growing.training_data import read_training, training_from
from calibrant.trees._reading.choose_estimate import in_numbers
from calibrant.trees._reading.probability_tables import Reading, answers, probability_table, read_tree
from calibrant.trees._showing.conditions import all_conditions
from calibrant.trees._showing.outline import Outline
from calibrant.trees._tree import Tree
from calibrant.trees._tree_params import (
    RULES,
    CriterionName,
    Dialect,
    EmptyLeaf,
    NominalSplits,
    Pruning,
    ReadingParams,
    TreeParams,
    WeightKind,
    kept_params,
)

__all__ = [
    "PROBABILITIES",
    "RULES",
    "TIE_STREAM",
    "TREE_CODINGS",
    "Among",
    "Coding",
    "CriterionName",
    "DescriptionLength",
    "Dialect",
    "EmptyLeaf",
    "Examples",
    "Growth",
    "NominalSplits",
    "Outline",
    "Parts",
    "Probabilities",
    "Pruning",
    "Reading",
    "ReadingParams",
    "Tree",
    "TreeParams",
    "WeightKind",
    "all_conditions",
    "answers",
    "counts_bits",
    "enough_memory",
    "grow",
    "grow_options",
    "in_numbers",
    "kept_params",
    "probability_table",
    "read_training",
    "read_tree",
    "set_aside",
    "training_from",
]
