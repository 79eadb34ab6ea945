"""The names of this package that other packages may import; `tests/test_internal_imports.py` allows no others."""

from calibrant.studies._definition.names import resolve_path, short_names
from calibrant.studies._store.read_url import hide_password
from calibrant.studies._table_comparison.comparison_text import findings, ranking_cells
from calibrant.studies._table_comparison.table_study import BASELINE, ComparedTable

__all__ = ["BASELINE", "ComparedTable", "findings", "hide_password", "ranking_cells", "resolve_path", "short_names"]
