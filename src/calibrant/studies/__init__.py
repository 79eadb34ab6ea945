"""Studies: data sets x methods x splits, recorded trial by trial in a store that can be queried."""

from calibrant.studies._definition.datasets import Dataset
from calibrant.studies._definition.grids import Grid

__all__ = ["Dataset", "Grid"]
