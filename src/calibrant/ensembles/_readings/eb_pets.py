"""EB-PETs: bagged trees whose leaves also count the out-of-bag rows (Nielsen 2004, section 2.2).

Out-of-bag rows are counted in the leaves that they reach, so each would find its own class there: for its out-of-bag
probabilities the counts of a row, or of its group, are subtracted from its leaves. On labels that are pure noise,
probabilities without the subtraction had a log-loss of 0.84 bits, where the best possible is 1 (new rows: 1.02).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._docstrings import fill_docstring
from calibrant._folds import count_by_group
from calibrant._saved import Array, Field, Inline, need, saved
from calibrant.ensembles._readings.forest_members import (
    EXAMPLE_MEMBERS,
    Cells,
    LeafPaths,
    Members,
    average_cells,
    by_node,
)
from calibrant.ensembles._readings.pooling import (
    Alpha,
    PooledTree,
    Pooling,
    choose_alpha,
    core_pooling,
    is_local,
    pooled_table,
    sum_log_rates,
)
from calibrant.estimates import CountedTree
from calibrant.trees import Tree

if TYPE_CHECKING:
    from calibrant._saved.documents import Reader, Writer

N_FIFTHS = 5  # a table of each tree is made for each fifth of the rows, without it: few tables, of most of the rows


@fill_docstring(example_members=EXAMPLE_MEMBERS)
def honest_oob_proba(members: Members, pooling: Pooling, alpha: Alpha) -> NDArray[np.float64]:
    """Return out-of-bag probabilities by leaf, as of EB-PETs; NaN for a row that is in every bag.

    A leaf that is empty without the row is left out. A row whose leaves are all empty has the class frequencies of the
    other rows.

    Examples
    --------
    %(example_members)s
    >>> honest_oob_proba(members, Pooling(), Alpha(1.0))[4]
    array([0., 1.])
    """
    if is_local(pooling.estimate):
        # The row's own count is taken from each leaf, or it would see its own label (ALGORITHMS.md 10.1).
        return _with_others(members, own_class_rates(members, pooling, core_pooling(members, pooling, alpha), []))
    return _by_fifths(members, pooling, alpha)


def pooled_trees(
    members: Members, pooling: Pooling, alpha: Alpha, left_out: NDArray[np.bool_] | None = None
) -> list[PooledTree]:
    """Return the trees with pooled counts at their nodes; rows left out count in their bags only."""
    rows = members.bagged_rows(multiplicity=pooling.in_bag_counts == "multiplicity")
    parents, core = [tree.parent for tree in members.trees], core_pooling(members, pooling, alpha)
    counts: Any = _core.pool_leaves(members.paths.core, parents, rows, left_out, core, members.paths.n_threads)
    return [PooledTree(tree, each) for tree, each in zip(members.trees, counts, strict=True)]


def pool_counts(
    trees: Sequence[CountedTree], leaf_counts: Sequence[NDArray[np.float64]], core: _core.Pooling
) -> list[PooledTree]:
    """Return the same from the counts of all rows at the leaves.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> counts = np.array([[0.0, 0, 0, 0], [2, 0, 1, 0], [0, 2, 0, 0]])  # two classes in the bag, and out of it
    >>> pool_counts([tree], [counts], _core.Pooling(False, 3.0, False, 0.005, [0.0, 0.0]))[0].counts
    array([[5., 2.],
           [5., 0.],
           [0., 2.]])
    """
    return [
        PooledTree(tree, np.asarray(_core.pool_nodes(counts, tree.parent, core)))
        for tree, counts in zip(trees, leaf_counts, strict=True)
    ]


def own_class_rates(
    members: Members, pooling: Pooling, core: _core.Pooling, alphas: list[float]
) -> NDArray[np.float64]:
    """Return for each alpha the honest out-of-bag frequency, by leaf, of each row's actual class; NaN where none."""
    rows, paths = members.bagged_rows(multiplicity=pooling.in_bag_counts == "multiplicity"), members.paths
    whole = [] if members.whole is None else list(members.whole.leaf_counts)
    return np.asarray(
        _core.predict_leave_one_out(paths.core, members.n_nodes, rows, core, alphas, paths.n_threads, whole)
    )


def _by_fifths(members: Members, pooling: Pooling, alpha: Alpha) -> NDArray[np.float64]:
    """Return the probabilities by an estimate that uses more than the leaf.

    Its probabilities at a leaf depend on the counts of many nodes, and subtracting each row from all of them would need
    a table for each row. A fifth of the rows is left out at a time instead: each row is predicted by a table made
    without the rows of its fifth, which has whole groups.
    """
    # Estimates along the path cannot have one row subtracted cheaply, so tables are made without each fifth.
    numbers = np.arange(members.n_rows) if members.groups is None else members.groups
    proba, fifth_of = np.empty((members.n_rows, members.n_classes)), numbers % N_FIFTHS
    for fifth in range(N_FIFTHS):
        chosen = fifth_of == fifth
        trees = pooled_trees(members, pooling, alpha, chosen)
        proba[chosen] = fifth_average(members, fifth_level(trees, pooling))[chosen]
    return proba


def fifth_level(trees: Sequence[PooledTree], pooling: Pooling) -> list[Cells]:
    """Return the probabilities of trees that are pooled without a fifth of the rows, at the nodes that have others."""
    return by_node([pooled_table(tree, pooling) for tree in trees], [tree.weight > 0 for tree in trees])[0]


def fifth_average(members: Members, level: Sequence[Cells]) -> NDArray[np.float64]:
    """Return out-of-bag probabilities, which are those of the rows of the fifth that was left out."""
    return _with_others(members, average_cells(members.paths, [level], bags=members.bags))


def _with_others(members: Members, proba: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities; of a row out of some bags whose leaves are all empty, the class frequencies of others."""
    without = np.flatnonzero(np.isnan(proba[:, 0]) & (members.bags.n_out_of_bag(members.n_trees) > 0))
    others = np.tile(members.class_weights, (len(without), 1))
    if members.groups is None:
        # Where every leaf was emptied, the base rate without the row itself is all that is left.
        weights = 1.0 if members.weights is None else members.weights[without]
        others[np.arange(len(without)), members.labels[without]] -= weights
    else:
        others -= count_by_group(members.groups, members.labels, members.weights)[members.groups[without]]
    proba[without] = others / np.maximum(others.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    return proba


class TablesByTree(Field):
    """A list of tables with one line for each node of each tree, as one array, which `split_by_tree` splits again."""

    def __init__(self, kinds: str = "f8") -> None:
        self.field = Array(kinds, ndim=2, finite=True, low=0.0, high=1.0)

    def write(self, value: Any, out: Writer) -> Any:
        """Return the document of the tables."""
        return self.field.write(np.concatenate(value), out)

    def read(self, document: Any, source: Reader) -> NDArray[Any]:
        """Return the tables as one array."""
        return self.field.read(document, source)


def split_by_tree(table: NDArray[Any], trees: Sequence[Tree]) -> list[NDArray[Any]]:
    """Return the lines of each tree of a table with one for each node of all trees."""
    ends = np.cumsum([tree.n_nodes for tree in trees])
    need(len(table) == ends[-1], "has tables of other nodes")
    return np.split(table, ends[:-1])


@saved(tables=TablesByTree(), filled=TablesByTree("b") | None, alpha=Inline(Alpha))
@dataclass(frozen=True, eq=False)
class EBPets:
    """A forest read by the counts of rows in and out of the bag."""

    tables: list[NDArray[np.float64]]  # nodes x classes of each tree, empty leaves filled from above
    filled: list[NDArray[np.bool_]] | None  # the nodes of each tree that are averaged; None for all
    alpha: Alpha  # the weight of out-of-bag rows

    def _saved_values(self, training_rows: bool) -> dict[str, Any]:  # noqa: ARG002
        filled = None if self.filled is None else [each[:, np.newaxis] for each in self.filled]
        return {"tables": self.tables, "filled": filled, "alpha": self.alpha}

    def split(self, trees: Sequence[Tree]) -> EBPets:
        """Return the reading of a file, whose tables are one array each, with tables by tree."""
        whole: Any = self
        tables, filled = split_by_tree(whole.tables, trees), None
        need(tables[0].shape[1] == len(trees[0].classes), "has tables of other classes")
        if whole.filled is not None:
            need(whole.filled.shape[1] == 1, "has marks of other nodes")
            filled = [np.ascontiguousarray(each[:, 0]) for each in split_by_tree(whole.filled, trees)]
        return EBPets(tables, filled, self.alpha)

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
    log_rates = partial(sum_log_rates, members, partial(own_class_rates, members, pooling), pooling)
    alpha = choose_alpha(pooling, members.class_weights, log_rates)
    return eb_pets_of(pooled_trees(members, pooling, alpha), pooling, alpha)


def eb_pets_of(trees: Sequence[PooledTree], pooling: Pooling, alpha: Alpha) -> EBPets:
    """Return the reading of trees whose counts are pooled."""
    filled = [tree.weight > 0 for tree in trees] if pooling.out_of_bag == "only" else None
    return EBPets([pooled_table(tree, pooling) for tree in trees], filled, alpha)
