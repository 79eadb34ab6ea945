"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.studies._definition.import_paths import resolve_path
from calibrant.studies._store.read_url import DEFAULT_STORE, hide_password
from calibrant.studies._table_comparison.comparison_text import (
    about_rows,
    about_table,
    findings,
    grouped_cells,
    ranking_cells,
)
from calibrant.studies._table_comparison.table_study import BASELINE, ComparedTable, read_compared_table

__all__ = [
    "BASELINE",
    "DEFAULT_STORE",
    "ComparedTable",
    "about_rows",
    "about_table",
    "findings",
    "grouped_cells",
    "hide_password",
    "ranking_cells",
    "read_compared_table",
    "resolve_path",
]
