"""The names of this package that other packages may import; `tests/test_internal_imports.py` allows no others."""

from calibrant.data._bins.bins import Bins
from calibrant.data._bins.find_bins import bins_memory, find_bins
from calibrant.data._bins.write_codes import CodedPart, binned_rows
from calibrant.data._coding.coded_table import MAX_BINS, code_columns
from calibrant.data._coding.standard_design import StandardDesign, known_moments
from calibrant.data._datasets.catalog import costs_text
from calibrant.data._discretize.mdl import cell_weights, interval_codes, mdl_cuts
from calibrant.data._frames.columns import Columns, Nominal, fit_columns, match_problems, object_columns
from calibrant.data._frames.schema import Feature, Schema
from calibrant.data._readers.reading import Reading
from calibrant.data._readers.source import TABLE_EXTENSIONS
from calibrant.data._sources.model_columns import Chunk, WantedColumns
from calibrant.data._sources.open_source import TableChunks, is_source, open_source
from calibrant.data._sources.source import DaskSource, Source
from calibrant.data._sources.source_part import SourcePart
from calibrant.data._text_rows import read_text_rows
from calibrant.data._validation.class_columns import (
    caller_level,
    classes_of_columns,
    column_names,
    named_classes,
    order_columns,
)
from calibrant.data._validation.estimator_rows import (
    LogProbaMixin,
    RowClassifierMixin,
    Rows,
    TrainingRows,
    is_float_matrix,
    read_more_training_rows,
    read_training_rows,
)
from calibrant.data._validation.labels_and_weights import (
    WEIGHT_KIND,
    Labels,
    WeightKind,
    as_frequencies,
    can_be_frequencies,
    check_integers,
    check_weight_sizes,
    check_weights,
    code_groups,
    code_labels,
    factorize,
    read_groups,
    warn_of_weights,
)
from calibrant.data._validation.row_identity import (
    MergedRows,
    copies_among,
    fingerprint_rows,
    hash_codes,
    warn_of_copies,
    warn_of_number,
)

__all__ = [
    "MAX_BINS",
    "TABLE_EXTENSIONS",
    "WEIGHT_KIND",
    "Bins",
    "Chunk",
    "CodedPart",
    "Columns",
    "DaskSource",
    "Feature",
    "Labels",
    "LogProbaMixin",
    "MergedRows",
    "Nominal",
    "Reading",
    "RowClassifierMixin",
    "Rows",
    "Schema",
    "Source",
    "SourcePart",
    "StandardDesign",
    "TableChunks",
    "TrainingRows",
    "WantedColumns",
    "WeightKind",
    "as_frequencies",
    "binned_rows",
    "bins_memory",
    "caller_level",
    "can_be_frequencies",
    "cell_weights",
    "check_integers",
    "check_weight_sizes",
    "check_weights",
    "classes_of_columns",
    "code_columns",
    "code_groups",
    "code_labels",
    "column_names",
    "copies_among",
    "costs_text",
    "factorize",
    "find_bins",
    "fingerprint_rows",
    "fit_columns",
    "hash_codes",
    "interval_codes",
    "is_float_matrix",
    "is_source",
    "known_moments",
    "match_problems",
    "mdl_cuts",
    "named_classes",
    "object_columns",
    "open_source",
    "order_columns",
    "read_groups",
    "read_more_training_rows",
    "read_text_rows",
    "read_training_rows",
    "warn_of_copies",
    "warn_of_number",
    "warn_of_weights",
]
