"""Strict out-of-bag probabilities of MOB-ESP, independent of a row's own class.

Subtracting a row's own count is not enough: the labels of the rows in the same leaf are votes of trees of which some
have the row in the bag. On labels that are pure noise this made the out-of-bag loss too low by up to 0.05 bits, where
the row's own count made 0.25. Here a row is predicted by the part of the forest that was grown without it, labels
included: about 37 % of the trees vote and predict, and 14 % label the other rows. It is the prediction of a new row by
MOB-ESP with that many trees.

All pairs of rows that share a leaf are visited, in every tree, which would be slow for large leaves: at a leaf of more
than `MAX_NEIGHBORS` rows that many of them, drawn at random, represent all. The cost is then at most the number of rows
times the trees without them times `MAX_NEIGHBORS`, at a few nanoseconds each for two classes and 128 trees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant import _core
from calibrant.ensembles._readings.forest_members import Members
from calibrant.ensembles._readings.pooling import Pooling

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["strict_probabilities"]

MAX_NEIGHBORS = 256  # bounds the standard error of a sampled class frequency by 0.03, before the trees are averaged


def strict_probabilities(
    members: Members, pooling: Pooling, core: _core.Pooling, alphas: list[float] | None = None
) -> NDArray[np.float64]:
    """Return out-of-bag probabilities by leaf and label, by the part of the forest that was grown without each row.

    With `alphas`, return for each of them the probability of the row's actual class. NaN where no row with the same
    label shares a leaf in any tree, and for a row that is in every bag.

    Parameters
    ----------
    members : Members
        The forest.
    pooling : Pooling
        How out-of-bag rows count.
    core : _core.Pooling
        The same for the core, with a chosen alpha.
    alphas : list of float, optional
        Weights of an out-of-bag row.

    Examples
    --------
    >>> from calibrant.ensembles._bagging.bags import ForestBags
    >>> from calibrant.ensembles._readings.leaf_paths import LeafMatrix
    >>> from calibrant.ensembles._readings.out_of_bag_weight import Alpha, core_pooling
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> in_bag, paths = np.array([[1, 1, 1, 1, 0, 0]], dtype=np.uint16), np.array([[1, 1, 2, 2, 2, 2]], dtype=np.int32)
    >>> members = Members([tree], LeafMatrix(paths), ForestBags(drawn=in_bag), np.array([0, 0, 1, 1, 0, 1]), 2)
    >>> strict_probabilities(members, Pooling(), core_pooling(members, Pooling(), Alpha(1.0)))[4:]
    array([[0., 1.],
           [1., 0.]])
    """
    rows, paths = members.bagged_rows(multiplicity=pooling.in_bag_counts == "multiplicity"), members.paths
    found = _core.predict_leave_one_out_by_label(
        paths.core, members.n_nodes, rows, members.frequencies, core, alphas or [], MAX_NEIGHBORS, paths.n_threads
    )
    return np.asarray(found)
