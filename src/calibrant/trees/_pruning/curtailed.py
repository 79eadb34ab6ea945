"""The tree that curtailment leaves of a grown one (Zadrozny & Elkan 2001, Figure 2)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from calibrant.trees._tree import Tree, read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.estimates import Curtailment

__all__ = ["CurtailedTree"]


@dataclass(frozen=True, eq=False, repr=False)
class CurtailedTree:
    """The part of a tree that remains when no node of less than v training weight is entered.

    A node whose children are all entered is a test, one with no child entered is a leaf, and one with some children
    entered is both: a test for some rows, a leaf for others. Pruning, in contrast, removes the children of a node
    together.

    Parameters
    ----------
    tree : Tree
        The grown tree.
    estimate : Curtailment
        The estimate that curtails it.

    Examples
    --------
    >>> from calibrant.estimates import Curtailment
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier(estimate=Curtailment(v=3))
    >>> curtailed = model.fit([[1], [2], [3], [4], [5]], ["a", "a", "b", "b", "b"]).curtailed()
    >>> curtailed
    <CurtailedTree: v = 3 keeps 2 of 3 nodes, depth 1 of 1; 2 leaves, 1 of them also a test>
    >>> curtailed.is_kept, curtailed.answers, curtailed.is_eliminated
    (array([ True, False,  True]), array([ True, False,  True]), array([False,  True, False]))
    """

    tree: Tree
    estimate: Curtailment

    def __post_init__(self) -> None:
        leaves = self.tree.counts[self.tree.is_leaf]
        object.__setattr__(self, "estimate", self.estimate.resolve(self.tree.counts[0], leaves))

    @property
    def n_nodes(self) -> int:
        """Number of nodes that remain."""
        return int(self.is_kept.sum())

    @property
    def n_leaves(self) -> int:
        """Number of nodes that predict for some rows, including those that are also tests."""
        return int(self.answers.sum())

    @property
    def max_depth(self) -> int:
        """Number of tests on the longest path that remains."""
        return int(self.tree.depth[self.is_kept].max())

    @cached_property
    def is_kept(self) -> NDArray[np.bool_]:
        """Whether each node of the grown tree remains."""
        return read_only(self.estimate.answering(self.tree) == np.arange(self.tree.n_nodes))

    @cached_property
    def is_eliminated(self) -> NDArray[np.bool_]:
        """Whether each node is one that rows stop before: removed, but below a node that remains."""
        return read_only(~self.is_kept & self.is_kept[self.tree.parent])

    @cached_property
    def is_test(self) -> NDArray[np.bool_]:
        """Whether each node remains and has a child that does."""
        return read_only(self._has_child(self.is_kept))

    @cached_property
    def answers(self) -> NDArray[np.bool_]:
        """Whether each node remains and predicts for some rows."""
        return read_only((self.is_kept & self.tree.is_leaf) | self._has_child(self.is_eliminated))

    def __repr__(self) -> str:
        both = int((self.answers & self.is_test).sum())
        return f"<CurtailedTree: {self.summary}; {self.n_leaves:,} leaves, {both:,} of them also a test>"

    @property
    def summary(self) -> str:
        """Its size compared with that of the grown tree, as text."""
        kept, depth, v = self.n_nodes, self.max_depth, self.estimate.v
        return f"v = {v:.6g} keeps {kept:,} of {self.tree.n_nodes:,} nodes, depth {depth:,} of {self.tree.max_depth:,}"

    def _has_child(self, is_child: NDArray[np.bool_]) -> NDArray[np.bool_]:
        found = np.zeros(self.tree.n_nodes, dtype=np.bool_)
        found[self.tree.parent[1:][is_child[1:]]] = True
        return found
