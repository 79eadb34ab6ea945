"""EB-PETs: bagged trees whose leaves also count the out-of-bag rows (Nielsen 2004, section 2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from calibrant.ensembles._readings.averages import Cells, average_cells, by_node
from calibrant.ensembles._readings.honest_out_of_bag import own_class_rates, pooled_trees
from calibrant.ensembles._readings.leaf_paths import LeafPaths
from calibrant.ensembles._readings.members import Members
from calibrant.ensembles._readings.out_of_bag_weight import Alpha, choose_alpha
from calibrant.ensembles._readings.pooled_tree import pooled_table
from calibrant.ensembles._readings.pooling import Pooling

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["EBPets", "read_eb_pets"]


@dataclass(frozen=True, eq=False)
class EBPets:
    """A forest read by the counts of rows in and out of the bag.

    Parameters
    ----------
    tables : list of arrays of shape (n_nodes, n_classes)
        The probabilities at the nodes of each tree, empty leaves filled from above.
    filled : list of arrays of shape (n_nodes,), optional
        The nodes that are averaged; the others are left out. None for all.
    alpha : Alpha
        The weight of out-of-bag rows.
    """

    tables: list[NDArray[np.float64]]
    filled: list[NDArray[np.bool_]] | None
    alpha: Alpha

    @property
    def levels(self) -> list[list[Cells]]:
        """The filled nodes, then all nodes."""
        return by_node(self.tables, self.filled)

    def predict_proba(self, paths: LeafPaths) -> NDArray[np.float64]:
        """Return the probabilities of rows from their leaves in each tree."""
        return average_cells(paths, self.levels)


def read_eb_pets(members: Members, pooling: Pooling) -> EBPets:
    """Read a forest by the counts of all training rows.

    With ``out_of_bag="only"`` a tree whose leaf has no out-of-bag row is left out.

    Examples
    --------
    >>> from calibrant.ensembles._readings.leaf_paths import LeafMatrix
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> in_bag, paths = np.array([[1, 1, 1, 1, 0]], dtype=np.uint16), np.array([[1, 1, 2, 2, 2]], dtype=np.int32)
    >>> reading = read_eb_pets(Members([tree], LeafMatrix(paths), in_bag, np.array([0, 0, 1, 1, 0]), 2), Pooling())
    >>> reading.tables[0][2].round(2)
    array([0.33, 0.67])
    """
    alpha = choose_alpha(members, partial(own_class_rates, members, pooling), pooling)
    trees = pooled_trees(members, pooling, alpha)
    filled = [tree.weight > 0 for tree in trees] if pooling.out_of_bag == "only" else None
    return EBPets([pooled_table(tree, pooling) for tree in trees], filled, alpha)
