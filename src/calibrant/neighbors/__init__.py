"""Nearest neighbours: weighted votes of similar rows, locally weighted averaging, attribute weights by gain."""

from calibrant.neighbors._classifier import NeighborsClassifier
from calibrant.neighbors._column_weights import attribute_gains
from calibrant.neighbors._readings import grid_of_k

__all__ = ["NeighborsClassifier", "attribute_gains", "grid_of_k"]
