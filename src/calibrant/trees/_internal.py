"""The names of this package that other packages may import; `tests/test_internal_imports.py` allows no others."""

from calibrant.trees._description_length import PROBABILITIES, TREE_CODINGS, Coding, Probabilities, counts_bits
from calibrant.trees._export.drawing import HOW_TO_READ, draw_model
from calibrant.trees._export.outline import Outline
from calibrant.trees._growing.grown_tree import GrownTree
from calibrant.trees._growing.training_set import TrainingSet
from calibrant.trees._prediction.prediction_mixin import node_indicator
from calibrant.trees._prediction.tree_reading import TreeReading
from calibrant.trees._sources.cluster_rows import ClusterRows
from calibrant.trees._sources.grow_levels import LevelPlan
from calibrant.trees._sources.parts import Parts
from calibrant.trees._sources.source_fit import fit_source
from calibrant.trees._styles import STYLES
from calibrant.trees._tree import Trees, check_order, check_table, impurity_importances
from calibrant.trees._tree_params import (
    TREE_PARAMETER_DOCS,
    CriterionName,
    MissingValues,
    NominalSplits,
    TreeParamsMixin,
)

__all__ = [
    "HOW_TO_READ",
    "PROBABILITIES",
    "STYLES",
    "TREE_CODINGS",
    "TREE_PARAMETER_DOCS",
    "ClusterRows",
    "Coding",
    "CriterionName",
    "GrownTree",
    "LevelPlan",
    "MissingValues",
    "NominalSplits",
    "Outline",
    "Parts",
    "Probabilities",
    "TrainingSet",
    "TreeParamsMixin",
    "TreeReading",
    "Trees",
    "check_order",
    "check_table",
    "counts_bits",
    "draw_model",
    "fit_source",
    "impurity_importances",
    "node_indicator",
]
