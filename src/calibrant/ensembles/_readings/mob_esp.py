"""MOB-ESP: class frequencies at a leaf among the rows with the same vote of the ensemble (Nielsen 2004, section 2.3).

Each training row is labelled by the vote of the trees that were grown without it. A leaf keeps, for each label j, the
class counts of its rows with that label; a new row is labelled by vote and reads the counts of its label.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from calibrant import _core
from calibrant.ensembles._bagging.bags import ForestBags
from calibrant.ensembles._readings.averages import Cells, average_cells
from calibrant.ensembles._readings.eb_pets import EBPets, read_eb_pets
from calibrant.ensembles._readings.forest_members import Members
from calibrant.ensembles._readings.honest_out_of_bag import honest_oob_proba
from calibrant.ensembles._readings.leaf_paths import LeafPaths
from calibrant.ensembles._readings.out_of_bag_weight import Alpha, choose_alpha, core_pooling
from calibrant.ensembles._readings.pooling import Pooling, is_local
from calibrant.ensembles._readings.strict_out_of_bag import strict_probabilities
from calibrant.ensembles._readings.votes import out_of_bag_votes
from calibrant.estimates import Estimate
from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MobEsp", "check_local", "n_voting", "n_voting_of_share", "read_mob_esp", "strict_oob_proba"]


@dataclass(frozen=True, eq=False)
class MobEsp:
    """A forest read by leaf and label.

    Parameters
    ----------
    cells : list of (array of shape (n_nodes, n_classes), array of shape (n_cells, n_classes))
        For each tree the cell of each node and label, -1 where there is none, and the probabilities of the cells.
    fallback : EBPets
        The reading of a row whose label no training row has in any of its leaves.
    alpha : Alpha
        The weight of out-of-bag rows.
    oob_label : array of shape (n_rows,)
        The out-of-bag vote on each training row, -1 for one that is in every bag.
    """

    cells: list[Cells]
    fallback: EBPets
    alpha: Alpha
    oob_label: NDArray[np.int32]

    def predict_proba(self, paths: LeafPaths, voters: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the probabilities of rows; the first trees, those with class frequencies in `voters`, label them."""
        return average_cells(paths, [self.cells, *self.fallback.levels], voters=voters)


def check_local(estimate: Estimate) -> None:
    """Raise if an estimate uses more than the counts of a leaf.

    Examples
    --------
    >>> from calibrant.estimates import Laplace
    >>> check_local(Laplace())
    """
    if not is_local(estimate):
        raise ParameterError(
            f"estimate must be 'frequency', 'laplace' or 'm' where leaves are split by the ensemble's vote; got "
            f"{estimate!r}. Pass one of these, or use the reading 'eb_pets' or 'b_pets' for it."
        )


def read_mob_esp(members: Members, pooling: Pooling) -> MobEsp:
    """Read a forest by leaf and label.

    Examples
    --------
    >>> from calibrant.ensembles._readings.leaf_paths import LeafMatrix
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> in_bag, paths = np.array([[1, 1, 1, 1, 0, 0]], dtype=np.uint16), np.array([[1, 1, 2, 2, 2, 2]], dtype=np.int32)
    >>> members = Members([tree], LeafMatrix(paths), ForestBags(drawn=in_bag), np.array([0, 0, 1, 1, 0, 1]), 2)
    >>> reading = read_mob_esp(members, Pooling())
    >>> reading.oob_label
    array([-1, -1, -1, -1,  1,  1], dtype=int32)
    >>> reading.predict_proba(LeafMatrix(np.array([[2]], dtype=np.int32)), members.frequencies)
    array([[0.5, 0.5]])
    """
    check_local(pooling.estimate)
    labels = out_of_bag_votes(members).labels
    alpha = choose_alpha(members, partial(strict_probabilities, members, pooling), pooling)
    rows, core = members.bagged_rows(multiplicity=pooling.in_bag_counts == "multiplicity"), members.paths.core
    pooled = core_pooling(members, pooling, alpha)
    cells: Any = _core.pool_cells(core, members.n_nodes, rows, labels, pooled, members.paths.n_threads)
    return MobEsp(cells, read_eb_pets(members, pooling), alpha, labels)


def strict_oob_proba(members: Members, pooling: Pooling, reading: MobEsp) -> NDArray[np.float64]:
    """Return out-of-bag probabilities of the training rows by the part of the forest that was grown without each.

    NaN for a row that is in every bag. A row without a row of the same label in its leaves has those of EB-PETs.
    """
    proba = strict_probabilities(members, pooling, core_pooling(members, pooling, reading.alpha))
    without = np.isnan(proba[:, :1])
    if not without.any():
        return proba
    return np.where(without, honest_oob_proba(members, pooling, reading.fallback.alpha), proba)


def n_voting(vote_trees: float | Literal["out_of_bag"], bags: ForestBags, n_trees: int) -> int:
    """Return the number of trees, the first ones, that label a new row.

    A training row is labelled by the trees that it is out of the bag of, about 37 % of them; as many may label a new
    row, so both labels are equally good (Nielsen 2004, section 3.4.2).

    Examples
    --------
    >>> bags = ForestBags(drawn=np.array([[1, 0], [0, 2], [1, 0], [3, 1]], dtype=np.uint16))
    >>> n_voting(1.0, bags, 4), n_voting("out_of_bag", bags, 4), n_voting(0.25, bags, 4)
    (4, 2, 1)
    """
    if vote_trees != "out_of_bag":
        return n_voting_of_share(vote_trees, n_trees)
    n_out = bags.n_out_of_bag(n_trees)
    return n_voting_of_share(float(n_out.sum() / (n_trees * len(n_out))), n_trees)


def n_voting_of_share(share: float, n_trees: int) -> int:
    """Return the number of trees that is a share of all, at least one.

    Examples
    --------
    >>> n_voting_of_share(0.37, 100), n_voting_of_share(0.0, 100)
    (37, 1)
    """
    return max(1, round(share * n_trees))
