"""Studies: data sets x methods x splits, recorded trial by trial in a store that can be queried."""

from calibrant.studies._definition.datasets import Dataset
from calibrant.studies._definition.grids import Grid
from calibrant.studies._definition.schema import study_schema
from calibrant.studies.study import Study
from calibrant.studies.study_list import delete_study, list_studies

__all__ = ["Dataset", "Grid", "Study", "delete_study", "list_studies", "study_schema"]
