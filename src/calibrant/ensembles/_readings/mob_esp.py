"""MOB-ESP: class frequencies at a leaf among rows with the same vote of the ensemble (Nielsen 2004, section 2.3).

Each training row is labelled by the vote of the trees that were grown without it. A leaf keeps, for each label j, the
class counts of its rows with that label; a new row is labelled by vote and reads the counts of its label.

For strict out-of-bag probabilities, subtracting a row's own count is not enough: the labels of the rows in the same
leaf are votes of trees of which some have the row in the bag. On labels that are pure noise this made the out-of-bag
loss too low by up to 0.05 bits, where the row's own count made 0.25. A row is therefore predicted by the part of the
forest that was grown without it, labels included: about 37 % of the trees vote and predict, and 14 % label the other
rows. It is the prediction of a new row by MOB-ESP with that many trees.

All pairs of rows that share a leaf are visited, in every tree, which would be slow for large leaves: at a leaf of more
than `MAX_NEIGHBORS` rows that many of them, drawn at random, represent all. The cost is then at most the number of rows
times the trees without them times `MAX_NEIGHBORS`, at a few nanoseconds each for two classes and 128 trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._saved import Inline, Integer, ListOf, Narrowed, Object, need, saved
from calibrant.ensembles._bagging.bags import ForestBags
from calibrant.ensembles._readings.eb_pets import EBPets, TablesByTree, honest_oob_proba, read_eb_pets, split_by_tree
from calibrant.ensembles._readings.forest_members import Cells, LeafPaths, Members, average_cells, out_of_bag_votes
from calibrant.ensembles._readings.pooling import Alpha, Pooling, choose_alpha, core_pooling, is_local, sum_log_rates
from calibrant.estimates import Estimate
from calibrant.exceptions import ParameterError
from calibrant.trees import Tree

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
    >>> from calibrant.ensembles._readings.forest_members import LeafMatrix
    >>> from calibrant.ensembles._readings.pooling import Alpha, core_pooling
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


@saved(
    index=Narrowed("f8", ndim=2),
    n_cells=ListOf(Integer(0, 2**31)),
    tables=TablesByTree(),
    fallback=Object(EBPets),
    alpha=Inline(Alpha),
)
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

    def _saved_values(self, training_rows: bool) -> dict[str, Any]:  # noqa: ARG002
        tables = [table for _, table in self.cells]
        return {
            # Shifted by one, so that -1 is stored as 0 and small numbers take a byte.
            "index": np.concatenate([line + 1 for line, _ in self.cells if line is not None]).astype(np.float64),
            "n_cells": [len(table) for table in tables],
            "tables": tables,
            "fallback": self.fallback,
            "alpha": self.alpha,
        }

    @classmethod
    def _from_saved(cls, values: dict[str, Any]) -> MobEsp:
        cells: Any = values["index"], values["n_cells"], values["tables"]  # `split` makes cells of trees of them
        return cls(cells, values["fallback"], values["alpha"], np.empty(0, dtype=np.int32))

    def split(self, oob_label: NDArray[np.int32] | None, trees: Sequence[Tree]) -> MobEsp:
        """Return the reading of a file with the cells of each tree, and the labels where the file holds them."""
        whole: Any = self.cells
        index, n_cells, table = whole
        same = len(n_cells) == len(trees) and sum(n_cells) == len(table)
        same = same and {table.shape[1], index.shape[1]} == {len(trees[0].classes)}
        need(same, "has cells of other trees or classes")
        is_proba = not len(table) or np.allclose(table.sum(axis=1), 1.0, rtol=0, atol=1e-6)
        need(is_proba, "has probabilities that do not sum to 1")
        by_tree = zip(split_by_tree(index, trees), np.split(table, np.cumsum(n_cells)[:-1]), strict=True)
        cells: list[Cells] = [((lines.astype(np.int64) - 1).astype(np.int32), each) for lines, each in by_tree]
        exist = (lines is None or ((lines >= -1) & (lines < len(each))).all() for lines, each in cells)
        need(all(exist), "has cells that do not exist")
        labels = cast("NDArray[np.int32]", oob_label)  # None: the file has no rows
        return MobEsp(cells, self.fallback.split(trees), self.alpha, labels)

    def predict_proba(self, paths: LeafPaths, voters: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the probabilities of rows; the first trees, those with class frequencies in `voters`, label them."""
        # Nielsen's fallback: where no tree has rows of that vote at the leaf, the row is read by EB-PETs.
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
    >>> from calibrant.ensembles._readings.forest_members import LeafMatrix
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
    log_rates = partial(sum_log_rates, members, partial(strict_probabilities, members, pooling), pooling)
    alpha = choose_alpha(pooling, members.class_weights, log_rates)
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
    if vote_trees == "out_of_bag":
        n_out = bags.n_out_of_bag(n_trees)
        vote_trees = float(n_out.sum() / (n_trees * len(n_out)))
    return max(1, round(vote_trees * n_trees))
