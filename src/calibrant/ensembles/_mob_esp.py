"""MOB-ESP: class frequencies at a leaf among the rows that the ensemble classifies alike (Nielsen 2004, section 2.3).

Each training row has a label by the vote of the trees that were grown without it. A leaf keeps, for each label j, the
class counts of its rows so labelled; a new row is labelled by vote and reads, in each tree, the counts of its label.
The labels of other rows may depend on a row through the trees that it is in the bag of, so that its out-of-bag
probabilities are free of its own count but not strictly independent of its class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np

from calibrant.ensembles._averages import Mean
from calibrant.ensembles._eb_pets import EBPets, read_eb_pets
from calibrant.ensembles._honest import add_without_own, pool_counts
from calibrant.ensembles._members import Arrived, Members, Ways
from calibrant.ensembles._out_of_bag_weight import Alpha, choose_alpha
from calibrant.ensembles._pooling import Bins, Pooling, added_counts, binned_trees, is_local, rates, row_sums
from calibrant.ensembles._votes import out_of_bag_votes
from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Cells", "MobEsp", "n_voting", "read_mob_esp"]


class Cells(NamedTuple):
    """The pairs of leaf and label that training rows have in a tree.

    ``place`` (nodes x classes) is the row of ``table`` and ``mass`` for a leaf and a label, 0 where there is no such
    pair; ``table`` has the class probabilities there, ``mass`` the counts behind them. Row 0 is all zeros.
    """

    place: NDArray[np.int32]
    table: NDArray[np.float64]
    mass: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MobEsp:
    """A forest read by leaf and label.

    Parameters
    ----------
    cells : list of Cells
        What each tree answers.
    fallback : EBPets
        What answers for a row whose label no training row has in any of its leaves.
    alpha : Alpha
        How much rows out of the bag count.
    oob_label : array of shape (n_rows,)
        The out-of-bag vote on each training row, -1 for one that is in every bag.
    oob_proba : array of shape (n_rows, n_classes)
        Honest out-of-bag probabilities of the training rows, NaN for a row that is in every bag.
    """

    cells: list[Cells]
    fallback: EBPets
    alpha: Alpha
    oob_label: NDArray[np.intp]
    oob_proba: NDArray[np.float64]

    def predict_proba(self, ways: Ways, labels: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """Give the probabilities of rows from where they end in each tree and the class that the trees vote for."""
        mean = Mean.empty(len(labels), self.oob_proba.shape[1])
        for number, cells in enumerate(self.cells):
            arrived = ways(number)
            at = cells.place[arrived.leaf, labels[arrived.row]]
            mean.add(*arrived.by_row(cells.table[at], at > 0))
        silent = mean.n_trees == 0
        if not silent.any():
            return mean.value()
        return np.where(silent[:, np.newaxis], self.fallback.predict_proba(ways, len(labels)), mean.value())


def read_mob_esp(members: Members, pooling: Pooling, fallback: EBPets | None = None) -> MobEsp:
    """Read a forest by leaf and label, and each training row by the trees grown without it.

    `fallback` is the EB-PETs reading of the same forest where there is one already.

    Examples
    --------
    >>> from calibrant.ensembles._members import LeafMatrix
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> in_bag = np.array([[1, 1, 1, 1, 0, 0]], dtype=np.uint8)
    >>> members = Members([tree], LeafMatrix(np.array([[1, 1, 2, 2, 2, 2]])), in_bag, np.array([0, 0, 1, 1, 0, 1]), 2)
    >>> reading = read_mob_esp(members, Pooling())
    >>> reading.oob_label, reading.oob_proba[4:]
    (array([-1, -1, -1, -1,  1,  1]), array([[0., 1.],
           [1., 0.]]))
    >>> reading.predict_proba(LeafMatrix(np.array([[2]])), np.array([1]))
    array([[0.5, 0.5]])
    """
    if not is_local(pooling.estimate):
        raise ParameterError(
            f"estimate must be 'frequency', 'laplace' or 'm' where leaves are parted by the ensemble's vote; got "
            f"{pooling.estimate!r}. Read the forest as 'eb_pets' or 'b_pets' for it."
        )
    fallback = fallback or read_eb_pets(members, pooling)
    labels = out_of_bag_votes(members).labels()

    def binning(number: int, arrived: Arrived) -> Bins:
        return _cell_bins(len(members.trees[number].parent), members.n_classes, arrived, labels)

    alpha = choose_alpha(members, binning, pooling)
    mean, cells = Mean.empty(members.n_rows, members.n_classes), []
    for binned in binned_trees(members, binning, pooling):
        place = cast("NDArray[np.int32]", binned.bins.place)
        cells.append(_filled_cells(place, pool_counts(binned.pools, alpha, pooling), members, pooling))
        add_without_own(mean, members, binned, alpha, pooling)
    proba = np.where((mean.n_trees == 0)[:, np.newaxis], fallback.oob_proba, mean.value())
    return MobEsp(cells, fallback, alpha, labels, proba)


def _cell_bins(n_nodes: int, n_classes: int, arrived: Arrived, labels: NDArray[np.intp]) -> Bins:
    """Give the cell of each entry, numbered from 1; 0 for rows that are in every bag: they have no label."""
    label = labels[arrived.row]
    key, is_labelled = arrived.leaf.astype(np.intp) * n_classes + label, label >= 0
    met = np.zeros(n_nodes * n_classes, dtype=np.bool_)
    met[key if is_labelled.all() else key[is_labelled]] = True
    place = np.cumsum(met, dtype=np.int32)
    n_cells, place = int(place[-1]), place * met
    return Bins(np.where(is_labelled, place[key], 0), n_cells + 1, place.reshape(n_nodes, n_classes))


def _filled_cells(place: NDArray[np.int32], counts: NDArray[np.float64], members: Members, pooling: Pooling) -> Cells:
    """Turn counts into probabilities; cells without any, as of rows in the bag where only others count, are none."""
    counts = counts.copy()
    counts[0] = 0.0
    mass, added = row_sums(counts), added_counts(pooling.estimate, members.class_weights)
    table = np.where(mass[:, np.newaxis] > 0, rates(counts, added), 0.0)
    return Cells(np.where(mass[place] > 0, place, 0), table, mass)


def n_voting(vote_trees: float | Literal["out_of_bag"], in_bag: NDArray[np.unsignedinteger[Any]]) -> int:
    """Give how many trees, the first ones, label a new row.

    A training row is labelled by the trees that it is out of the bag of, about 37 % of them; as many may label a new
    row, so that both labels are equally good (Nielsen 2004, section 3.4.2).

    Examples
    --------
    >>> in_bag = np.array([[1, 0], [0, 2], [1, 0], [3, 1]], dtype=np.uint8)
    >>> n_voting(1.0, in_bag), n_voting("out_of_bag", in_bag), n_voting(0.25, in_bag)
    (4, 2, 1)
    """
    share = float((in_bag == 0).mean()) if vote_trees == "out_of_bag" else float(vote_trees)
    return max(1, round(share * len(in_bag)))
