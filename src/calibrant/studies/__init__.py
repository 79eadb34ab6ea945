"""Studies: data sets x methods x splits, recorded trial by trial in a store that can be queried."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calibrant.studies._definition.datasets import Dataset
    from calibrant.studies._definition.files import study_schema
    from calibrant.studies._definition.methods import Grid
    from calibrant.studies._results.best import BestMethod
    from calibrant.studies._results.ranks import MethodRanks
    from calibrant.studies._results.read_study import StudyStatus
    from calibrant.studies._results.study_comparison import PairDifference, StudyComparison
    from calibrant.studies._results.study_results import StudyResults
    from calibrant.studies._store.catalogue import StudySummary
    from calibrant.studies._table_comparison.compare_table import compare_table
    from calibrant.studies._table_comparison.ranking import RankedMethod
    from calibrant.studies._table_comparison.table_comparison import TableComparison
    from calibrant.studies.study import Study, delete_study, list_studies

__all__ = [
    "BestMethod",
    "Dataset",
    "Grid",
    "MethodRanks",
    "PairDifference",
    "RankedMethod",
    "Study",
    "StudyComparison",
    "StudyResults",
    "StudyStatus",
    "StudySummary",
    "TableComparison",
    "compare_table",
    "delete_study",
    "list_studies",
    "study_schema",
]

# Imported at their first use: a worker process starts in a tenth of the time without what only its parent needs.
_MODULES = {
    "BestMethod": "_results.best",
    "Dataset": "_definition.datasets",
    "Grid": "_definition.methods",
    "MethodRanks": "_results.ranks",
    "PairDifference": "_results.study_comparison",
    "RankedMethod": "_table_comparison.ranking",
    "Study": "study",
    "StudyComparison": "_results.study_comparison",
    "StudyResults": "_results.study_results",
    "StudyStatus": "_results.read_study",
    "StudySummary": "_store.catalogue",
    "TableComparison": "_table_comparison.table_comparison",
    "compare_table": "_table_comparison.compare_table",
    "delete_study": "study",
    "list_studies": "study",
    "study_schema": "_definition.files",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
