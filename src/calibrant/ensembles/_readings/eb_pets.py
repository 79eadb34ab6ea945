"""EB-PETs: bagged trees whose leaves also count the out-of-bag rows (Nielsen 2004, section 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant.ensembles._readings.averages import Cells, average_cells, by_node
from calibrant.ensembles._readings.forest_members import EXAMPLE_MEMBERS, Members
from calibrant.ensembles._readings.honest_out_of_bag import own_class_rates, pooled_trees
from calibrant.ensembles._readings.leaf_paths import LeafPaths
from calibrant.ensembles._readings.out_of_bag_weight import Alpha, choose_alpha
from calibrant.ensembles._readings.pooled_tree import PooledTree, pooled_table
from calibrant.ensembles._readings.pooling import Pooling

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["EBPets", "eb_pets_of", "read_eb_pets"]


@dataclass(frozen=True, eq=False)
class EBPets:
    """A forest read by the counts of rows in and out of the bag."""

    tables: list[NDArray[np.float64]]  # nodes x classes of each tree, empty leaves filled from above
    filled: list[NDArray[np.bool_]] | None  # the nodes of each tree that are averaged; None for all
    alpha: Alpha  # the weight of out-of-bag rows

    @property
    def levels(self) -> list[list[Cells]]:
        """The filled nodes, then all nodes."""
        return by_node(self.tables, self.filled)

    def predict_proba(self, paths: LeafPaths) -> NDArray[np.float64]:
        """Return the probabilities of rows from their leaves in each tree."""
        return average_cells(paths, self.levels)


@fill_docstring(example_members=EXAMPLE_MEMBERS)
def read_eb_pets(members: Members, pooling: Pooling) -> EBPets:
    """Read a forest by the counts of all training rows.

    With ``out_of_bag="only"`` a tree whose leaf has no out-of-bag row is left out.

    Examples
    --------
    %(example_members)s
    >>> reading = read_eb_pets(members, Pooling())
    >>> reading.tables[0][2].round(2)
    array([0.33, 0.67])
    """
    alpha = choose_alpha(members, partial(own_class_rates, members, pooling), pooling)
    return eb_pets_of(pooled_trees(members, pooling, alpha), pooling, alpha)


def eb_pets_of(trees: Sequence[PooledTree], pooling: Pooling, alpha: Alpha) -> EBPets:
    """Return the reading of trees whose counts are pooled."""
    filled = [tree.weight > 0 for tree in trees] if pooling.out_of_bag == "only" else None
    return EBPets([pooled_table(tree, pooling) for tree in trees], filled, alpha)
