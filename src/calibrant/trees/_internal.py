"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.trees._description_length import PROBABILITIES, TREE_CODINGS, Coding, Probabilities, counts_bits
from calibrant.trees._export.drawing import HOW_TO_READ, draw_model
from calibrant.trees._export.outline import Outline
from calibrant.trees._growing.grow import RowSubsets
from calibrant.trees._growing.grown_tree import GrownTree
from calibrant.trees._growing.training_set import TrainingSet
from calibrant.trees._prediction.prediction_mixin import node_indicator
from calibrant.trees._prediction.tree_reading import NodeReader, TreeReading
from calibrant.trees._sources.cluster_rows import ClusterRows
from calibrant.trees._sources.grow_levels import LevelPlan
from calibrant.trees._sources.parts import Parts
from calibrant.trees._sources.source_fit import fit_source
from calibrant.trees._styles import STYLES
from calibrant.trees._tree import TREE_ARRAYS, impurity_importances, narrowest, pack_trees, unpack_trees, with_table
from calibrant.trees._tree_params import (
    RULES,
    SINGLE_TREE_RULES,
    TREE_PARAMETER_DOCS,
    CriterionName,
    Dialect,
    EmptyLeaf,
    MissingValues,
    NominalSplits,
    Pruning,
    TreeParams,
)

__all__ = [
    "HOW_TO_READ",
    "PROBABILITIES",
    "RULES",
    "SINGLE_TREE_RULES",
    "STYLES",
    "TREE_ARRAYS",
    "TREE_CODINGS",
    "TREE_PARAMETER_DOCS",
    "ClusterRows",
    "Coding",
    "CriterionName",
    "Dialect",
    "EmptyLeaf",
    "GrownTree",
    "LevelPlan",
    "MissingValues",
    "NodeReader",
    "NominalSplits",
    "Outline",
    "Parts",
    "Probabilities",
    "Pruning",
    "RowSubsets",
    "TrainingSet",
    "TreeParams",
    "TreeReading",
    "counts_bits",
    "draw_model",
    "fit_source",
    "impurity_importances",
    "narrowest",
    "node_indicator",
    "pack_trees",
    "unpack_trees",
    "with_table",
]
