"""Studies: data sets x methods x splits, recorded trial by trial in a store that can be queried."""

from calibrant.studies._definition.datasets import Dataset
from calibrant.studies._definition.grids import Grid
from calibrant.studies._definition.schema import study_schema
from calibrant.studies._results.best_method import BestMethod
from calibrant.studies._results.ranks import MethodRanks
from calibrant.studies._results.study_comparison import PairDifference, StudyComparison
from calibrant.studies._results.study_results import StudyResults
from calibrant.studies.study import Study
from calibrant.studies.study_list import delete_study, list_studies

__all__ = [
    "BestMethod",
    "Dataset",
    "Grid",
    "MethodRanks",
    "PairDifference",
    "Study",
    "StudyComparison",
    "StudyResults",
    "delete_study",
    "list_studies",
    "study_schema",
]
