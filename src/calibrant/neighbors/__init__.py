"""Nearest neighbours: weighted votes of similar rows, locally weighted averaging, attribute weights by gain."""

from calibrant.neighbors._classifier import NeighborsClassifier
from calibrant.neighbors._gains import attribute_gains
from calibrant.neighbors._grid import grid_of_k

__all__ = ["NeighborsClassifier", "attribute_gains", "grid_of_k"]
