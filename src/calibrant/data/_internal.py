"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.data._coding.cell_weights import cell_weights
from calibrant.data._coding.coded_table import CodedTable
from calibrant.data._discretize.mdl import interval_codes, mdl_cuts
from calibrant.data._frames.columns import Columns, Nominal, fit_columns
from calibrant.data._frames.schema import Schema
from calibrant.data._frames.values import Coded
from calibrant.data._validation.labels import Labels, check_weights, code_labels, label_codes
from calibrant.data._validation.memory import DOUBLE, SHARE, check_answers, check_counts, gigabytes, machine_memory
from calibrant.data._validation.prediction_rows import Rows, is_float_matrix
from calibrant.data._validation.row_matching import RowClassifierMixin
from calibrant.data._validation.training_rows import LabelledRows, read_labelled, read_more

__all__ = [
    "DOUBLE",
    "SHARE",
    "Coded",
    "CodedTable",
    "Columns",
    "LabelledRows",
    "Labels",
    "Nominal",
    "RowClassifierMixin",
    "Rows",
    "Schema",
    "cell_weights",
    "check_answers",
    "check_counts",
    "check_weights",
    "code_labels",
    "fit_columns",
    "gigabytes",
    "interval_codes",
    "is_float_matrix",
    "label_codes",
    "machine_memory",
    "mdl_cuts",
    "read_labelled",
    "read_more",
]
