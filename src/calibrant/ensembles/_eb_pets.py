"""EB-PETs: bagged trees whose leaves count the rows out of the bag too (Nielsen 2004, section 2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant.ensembles._averages import Mean, average
from calibrant.ensembles._honest import add_in_parts, add_without_own, pool_counts
from calibrant.ensembles._members import Arrived, Members, Ways
from calibrant.ensembles._out_of_bag_weight import Alpha, choose_alpha
from calibrant.ensembles._pooled_tree import PooledTree, pooled_table
from calibrant.ensembles._pooling import Bins, Pooling, binned_trees, is_local, rates

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["EBPets", "read_eb_pets"]


@dataclass(frozen=True, eq=False)
class EBPets:
    """A forest read by counts in and out of the bag.

    Parameters
    ----------
    tables : list of arrays of shape (n_nodes, n_classes)
        The probabilities at the nodes of each tree, empty leaves filled from above.
    filled : list of arrays of shape (n_nodes,), optional
        Which nodes answer for themselves; the others are left out of the average. None where all answer.
    alpha : Alpha
        How much rows out of the bag count.
    oob_proba : array of shape (n_rows, n_classes)
        Honest out-of-bag probabilities of the training rows, NaN for a row that is in every bag.
    """

    tables: list[NDArray[np.float64]]
    filled: list[NDArray[np.bool_]] | None
    alpha: Alpha
    oob_proba: NDArray[np.float64]

    def predict_proba(self, ways: Ways, n_rows: int) -> NDArray[np.float64]:
        """Give the probabilities of rows from where they end in each tree."""
        return average(self.tables, ways, n_rows, self.filled)


def read_eb_pets(members: Members, pooling: Pooling) -> EBPets:
    """Read a forest by the counts of all training rows, and each training row by the trees grown without it.

    With ``out_of_bag="only"`` a tree whose leaf has no row out of the bag is left out, as are leaves emptied by taking
    a row's own count away. A row out of the bag for which every leaf was emptied has the class frequencies of the other
    rows.

    Examples
    --------
    >>> from calibrant.ensembles._members import LeafMatrix
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> in_bag = np.array([[1, 1, 1, 1, 0]], dtype=np.uint8)
    >>> members = Members([tree], LeafMatrix(np.array([[1, 1, 2, 2, 2]])), in_bag, np.array([0, 0, 1, 1, 0]), 2)
    >>> reading = read_eb_pets(members, Pooling())
    >>> reading.tables[0][2].round(2), reading.oob_proba[4]
    (array([0.33, 0.67]), array([0., 1.]))
    """

    def binning(number: int, arrived: Arrived) -> Bins:
        return Bins(arrived.leaf, len(members.trees[number].parent))

    alpha = choose_alpha(members, binning, pooling)
    add_honestly = add_without_own if is_local(pooling.estimate) else add_in_parts
    mean, tables, filled = Mean.empty(members.n_rows, members.n_classes), [], []
    for binned in binned_trees(members, binning, pooling):
        pooled = PooledTree.of(members.trees[binned.tree], pool_counts(binned.pools, alpha, pooling))
        tables.append(pooled_table(pooled, pooling))
        filled.append(pooled.weight > 0)
        add_honestly(mean, members, binned, alpha, pooling)
    return EBPets(tables, filled if pooling.out_of_bag == "only" else None, alpha, _filled_in(mean, members))


def _filled_in(mean: Mean, members: Members) -> NDArray[np.float64]:
    """Give rows that were out of the bag in vain the class frequencies of the other rows."""
    proba = mean.value()
    silent = np.flatnonzero((mean.n_trees == 0) & (members.in_bag == 0).any(axis=0))
    others = np.tile(members.class_weights, (len(silent), 1))
    own = 1.0 if members.weights is None else members.weights[silent]
    others[np.arange(len(silent)), members.labels[silent]] -= own
    proba[silent] = rates(others, np.zeros(members.n_classes))
    return proba
