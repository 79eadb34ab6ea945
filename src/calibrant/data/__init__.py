"""Tables: reading files, validating frames, named data sets, coded columns, discretization, dates and text."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from calibrant.data._coding.coded_table import CodedTable
from calibrant.data._datasets.load import list_datasets, load
from calibrant.data._read_table import read_table
from calibrant.data._tables.table import Table

if TYPE_CHECKING:
    from calibrant.data._check.check_table import check_table
    from calibrant.data._check.table_check import TableCheck, TableFinding
    from calibrant.data._discretize.discretizer import MDLDiscretizer
    from calibrant.data._features.date_parts import DateParts
    from calibrant.data._features.text_parts import TextParts

__all__ = [
    "CodedTable",
    "DateParts",
    "MDLDiscretizer",
    "Table",
    "TableCheck",
    "TableFinding",
    "TextParts",
    "check_table",
    "list_datasets",
    "load",
    "read_table",
]

# Imported on first use, because scikit-learn imports pandas, and few readers of tables check them
_LAZY = {
    "DateParts": "calibrant.data._features.date_parts",
    "TableFinding": "calibrant.data._check.table_check",
    "MDLDiscretizer": "calibrant.data._discretize.discretizer",
    "TableCheck": "calibrant.data._check.table_check",
    "TextParts": "calibrant.data._features.text_parts",
    "check_table": "calibrant.data._check.check_table",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
