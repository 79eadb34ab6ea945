"""Writing the best model of a table and its held-out predictions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from calibrant.studies._table_comparison.table_comparison import TableComparison

__all__ = ["save_winner"]


def save_winner(found: TableComparison, folder: Path) -> TableComparison:
    return replace(found, files={})
