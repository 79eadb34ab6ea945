"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.trees._description_length import PROBABILITIES, TREE_CODINGS, Coding, Probabilities, counts_bits
from calibrant.trees._export.drawing import HOW_TO_READ, draw_model, leaves_below, node_positions
from calibrant.trees._export.outline import Outline
from calibrant.trees._export.text import plain_text
from calibrant.trees._growing.grow import RowSubsets, grow_unpruned, tie_seed
from calibrant.trees._growing.grown_tree import GrownTree
from calibrant.trees._growing.training_set import (
    Examples,
    ExamplesWithoutRows,
    TableWithoutRows,
    fixed_point_weights,
    missing_rows,
    number_classes,
    read_training,
    read_training_for,
    rows_needed,
)
from calibrant.trees._prediction.prediction_mixin import node_indicator
from calibrant.trees._prediction.tree_reading import (
    NodeReader,
    TreeReading,
    predict_rows,
    probability_table,
    resolve_estimate,
)
from calibrant.trees._sources.cluster_rows import JoinedRows, SourceFacts
from calibrant.trees._sources.grow_levels import grow_levels
from calibrant.trees._sources.part_tasks import BYTES_OF_ROW, LevelPlan
from calibrant.trees._sources.parts import DaskParts, Parts
from calibrant.trees._sources.source_fit import ClusterRows, examples_for, fit_by_one_worker, fit_source
from calibrant.trees._styles import STYLES, style_params
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
    WeightKind,
)

__all__ = [
    "BYTES_OF_ROW",
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
    "DaskParts",
    "Dialect",
    "EmptyLeaf",
    "Examples",
    "ExamplesWithoutRows",
    "GrownTree",
    "JoinedRows",
    "LevelPlan",
    "MissingValues",
    "NodeReader",
    "NominalSplits",
    "Outline",
    "Parts",
    "Probabilities",
    "Pruning",
    "RowSubsets",
    "SourceFacts",
    "TableWithoutRows",
    "TreeParams",
    "TreeReading",
    "WeightKind",
    "counts_bits",
    "draw_model",
    "examples_for",
    "fit_by_one_worker",
    "fit_source",
    "fixed_point_weights",
    "grow_levels",
    "grow_unpruned",
    "impurity_importances",
    "leaves_below",
    "missing_rows",
    "narrowest",
    "node_indicator",
    "node_positions",
    "number_classes",
    "pack_trees",
    "plain_text",
    "predict_rows",
    "probability_table",
    "read_training",
    "read_training_for",
    "resolve_estimate",
    "rows_needed",
    "style_params",
    "tie_seed",
    "unpack_trees",
    "with_table",
]
