"""Out-of-bag probabilities of MOB-ESP that are independent of a row's class.

Taking a row's own count away would leave one way for its class to reach its answer: the labels of the rows beside it
are votes of trees of which some have the row in the bag. On labels that are pure noise that made the out-of-bag loss
too low, by up to 0.05 bits where the row's own count makes 0.25. Here the forest that answers for a row is the part of
it that was grown without the row, labels included: about 37 % of the trees label and answer, and 14 % label the rows
beside. It is what MOB-ESP of so many trees says of a fresh row.

Every pair of rows that share a leaf is looked at, in every tree, so that large leaves would take long: at one with more
than `MOST_BESIDE` rows so many of them, drawn at random, stand for all. The cost is then at most that of the rows times
the trees without them times `MOST_BESIDE`, at a few nanoseconds for two classes and 128 trees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant import _core
from calibrant.ensembles._readings.members import Members
from calibrant.ensembles._readings.pooling import Pooling

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["strict_answers"]

MOST_BESIDE = 256


def strict_answers(
    members: Members, pooling: Pooling, core: _core.Pooling, alphas: list[float] | None = None
) -> NDArray[np.float64]:
    """Give out-of-bag probabilities by leaf and label, by the part of the forest that was grown without each row.

    With `alphas` give for each of them the probability of the row's own class. NaN where no row with the row's label is
    beside it in any tree, and for a row that is in every bag.

    Parameters
    ----------
    members : Members
        The forest.
    pooling : Pooling
        How rows out of the bag count.
    core : _core.Pooling
        The same for the core, alpha settled.
    alphas : list of float, optional
        How much a row out of the bag may count.

    Examples
    --------
    >>> from calibrant.ensembles._readings.leaf_paths import LeafMatrix
    >>> from calibrant.ensembles._readings.out_of_bag_weight import Alpha, core_pooling
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> in_bag, ways = np.array([[1, 1, 1, 1, 0, 0]], dtype=np.uint16), np.array([[1, 1, 2, 2, 2, 2]], dtype=np.int32)
    >>> members = Members([tree], LeafMatrix(ways), in_bag, np.array([0, 0, 1, 1, 0, 1]), 2)
    >>> strict_answers(members, Pooling(), core_pooling(members, Pooling(), Alpha(1.0)))[4:]
    array([[0., 1.],
           [1., 0.]])
    """
    rows, ways = members.bagged_rows(multiplicity=pooling.in_bag_counts == "multiplicity"), members.ways
    found = _core.answer_strictly(
        ways.core, members.n_nodes, rows, members.frequencies, core, alphas or [], MOST_BESIDE, ways.n_threads
    )
    return np.asarray(found)
