"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.trees._cluster.cluster_fit import ClusterRows, examples_for, fit_by_one_worker
from calibrant.trees._cluster.joined_rows import JoinedRows, SourceFacts
from calibrant.trees._description.code_lengths import PROBABILITIES, Probabilities, counts_bits
from calibrant.trees._description.tree_codes import TREE_CODINGS, Coding
from calibrant.trees._export.layout import leaves_below, node_positions
from calibrant.trees._export.outline import Outline
from calibrant.trees._export.sections import HOW_TO_READ, draw_model
from calibrant.trees._export.text import plain_text
from calibrant.trees._growing.examples import Examples
from calibrant.trees._growing.fixed_point import fixed_point_weights
from calibrant.trees._growing.grow import grow_unpruned, tie_seed
from calibrant.trees._growing.grown_tree import GrownTree
from calibrant.trees._growing.row_subsets import RowSubsets
from calibrant.trees._growing.rows_left_out import (
    ExamplesWithoutRows,
    TableWithoutRows,
    missing_rows,
    rows_needed,
)
from calibrant.trees._growing.source_fit import fit_source
from calibrant.trees._growing.training_data import number_classes, read_training, read_training_for
from calibrant.trees._importances import impurity_importances
from calibrant.trees._levels.dask_parts import DaskParts
from calibrant.trees._levels.grow_levels import grow_levels
from calibrant.trees._levels.level_plan import LevelPlan
from calibrant.trees._levels.parts import Parts
from calibrant.trees._levels.row_nodes import BYTES_OF_ROW
from calibrant.trees._packed_trees import TREE_ARRAYS, narrowest, pack_trees, unpack_trees
from calibrant.trees._parameter_docs import TREE_PARAMETER_DOCS
from calibrant.trees._prediction.node_paths import node_indicator
from calibrant.trees._prediction.probability_tables import probability_table
from calibrant.trees._prediction.resolve_estimate import resolve_estimate
from calibrant.trees._prediction.tree_reading import NodeReader, TreeReading, predict_rows
from calibrant.trees._styles import STYLES, style_params
from calibrant.trees._tree import with_table
from calibrant.trees._tree_params import (
    RULES,
    SINGLE_TREE_RULES,
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
