"""Tables: reading files, validating frames, named data sets, columns coded as integers, discretization."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant.data._coding.coded_table import CodedTable
from calibrant.data._datasets.load import list_datasets, load
from calibrant.data._read_table import read_table
from calibrant.data._tables.table import Table

if TYPE_CHECKING:
    from calibrant.data._discretize.discretizer import MDLDiscretizer

__all__ = ["CodedTable", "MDLDiscretizer", "Table", "list_datasets", "load", "read_table"]


def __getattr__(name: str) -> Any:
    if name == "MDLDiscretizer":  # imported on first use, because scikit-learn imports pandas
        from calibrant.data._discretize.discretizer import MDLDiscretizer

        return MDLDiscretizer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
