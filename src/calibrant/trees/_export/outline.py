"""The parts of a tree to draw: tests, leaves, and the nodes that curtailment removes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from calibrant.trees._export.conditions import all_conditions
from calibrant.trees._pruning.curtailed import CurtailedTree
from calibrant.trees._tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Outline"]


@dataclass(frozen=True, eq=False)
class Outline:
    """A tree as it is drawn, with the probabilities at its nodes; ``head`` is a title, if any."""

    tree: Tree
    table: NDArray[np.float64]
    is_test: NDArray[np.bool_]
    is_leaf: NDArray[np.bool_]
    is_eliminated: NDArray[np.bool_]
    head: str = ""

    @classmethod
    def of(cls, tree: Tree, table: NDArray[np.float64], curtailed: CurtailedTree | None = None) -> Outline:
        """Outline a whole tree, or what curtailment keeps of it.

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> Outline.of(model.tree_, model.tree_.counts / 2).is_leaf
        array([False,  True,  True])
        """
        if curtailed is None:
            return cls(tree, table, ~tree.is_leaf, tree.is_leaf, np.zeros(tree.n_nodes, dtype=np.bool_))
        head = f"Curtailed: {curtailed.summary}"
        return cls(tree, table, curtailed.is_test, curtailed.answers, curtailed.is_eliminated, head)

    @cached_property
    def conditions(self) -> list[str]:
        """The condition that leads to each node from its parent; empty for the root."""
        return all_conditions(self.tree)

    def is_drawn(self, max_depth: int | None = None) -> NDArray[np.bool_]:
        """Return which nodes there are down to a depth; below nodes that curtailment removes there are none."""
        is_shown = self.is_test | self.is_leaf | self.is_eliminated
        return is_shown if max_depth is None else np.asarray(is_shown & (self.tree.depth <= max_depth))

    def has_branches(self, node: int) -> bool:
        """Return whether anything is drawn below a node."""
        return not (self.tree.is_leaf[node] or self.is_eliminated[node])

    def top_class(self, node: int) -> tuple[str, float]:
        """Return the most probable class at a node, and its probability."""
        best = int(self.table[node].argmax())
        return str(self.tree.classes[best]), float(self.table[node, best])
