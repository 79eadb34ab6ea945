"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.studies._store.read_url import DEFAULT_STORE
from calibrant.studies._table_comparison.comparison_text import about_table, findings, ranking_cells

__all__ = ["DEFAULT_STORE", "about_table", "findings", "ranking_cells"]
