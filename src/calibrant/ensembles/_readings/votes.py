"""The classes that trees vote for, and how ties are broken (Breiman 1996; Nielsen 2004, section 2.3).

A tree casts one vote for each row: the majority class of the leaf by the counts of the bag, with multiplicity; where a
row with missing values reaches several leaves, that of their class frequencies mixed by share. Among the classes with
most votes the one with the greatest sum of these frequencies over the same trees wins, then the lower class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant import _core
from calibrant._docstrings import fill_docstring
from calibrant.ensembles._readings.forest_members import EXAMPLE_MEMBERS, Members
from calibrant.ensembles._readings.leaf_paths import LeafPaths

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.ensembles._bagging.bags import ForestBags

__all__ = ["Tally", "count_votes", "out_of_bag_votes"]


@dataclass(frozen=True, eq=False)
class Tally:
    """The votes on rows (rows x classes) and the class that wins for each, -1 where no tree voted.

    Examples
    --------
    >>> tally = Tally(np.array([[1.0, 3.0], [0.0, 0.0]]), np.array([1, -1]))
    >>> tally.shares(), tally.shares(smooth=True)[0]
    (array([[0.25, 0.75],
           [ nan,  nan]]), array([0.33333333, 0.66666667]))
    """

    votes: NDArray[np.float64]
    labels: NDArray[np.int32]

    def shares(self, *, smooth: bool = False) -> NDArray[np.float64]:
        """Return T_k / T, or (T_k + 1) / (T + K); NaN where no tree voted."""
        total = self.votes.sum(axis=1, keepdims=True)
        total[total == 0] = np.nan
        if not smooth:
            return np.asarray(self.votes / total)
        return np.asarray((self.votes + 1.0) / (total + self.votes.shape[1]))


def count_votes(frequencies: Sequence[NDArray[np.float64]], paths: LeafPaths, bags: ForestBags | None = None) -> Tally:
    """Count the trees' votes on rows, by the class frequencies of their nodes, one table for each tree.

    With `bags`, trees that a row was drawn for do not vote.

    Examples
    --------
    >>> from calibrant.ensembles._readings.leaf_paths import LeafMatrix
    >>> table = np.array([[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]])
    >>> paths = LeafMatrix(np.array([[2, 1]], dtype=np.int32))
    >>> count_votes([table], paths).labels
    array([1, 0], dtype=int32)
    """
    core_bags = None if bags is None else bags.core
    found: Any = _core.vote_forest(paths.core, list(frequencies), core_bags, paths.n_threads)
    return Tally(*found)


@fill_docstring(example_members=EXAMPLE_MEMBERS)
def out_of_bag_votes(members: Members) -> Tally:
    """Count the votes of each tree on the training rows that it was grown without.

    Examples
    --------
    %(example_members)s
    >>> out_of_bag_votes(members).labels
    array([-1, -1, -1, -1,  1], dtype=int32)
    """
    return count_votes(members.frequencies, members.paths, members.bags)
