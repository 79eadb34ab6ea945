"""Trees of scikit-learn as outlines, so that they are drawn and written as ours are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from calibrant.trees._export.outline import Outline

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._tree import Tree

__all__ = ["sklearn_outline"]


@dataclass(frozen=True, eq=False)
class _SklearnNodes:
    """The arrays of a tree that outlines use, numbered in preorder, which scikit-learn's best-first trees are not."""

    classes: NDArray[Any]
    schema: SimpleNamespace
    parent: NDArray[np.intp]
    depth: NDArray[np.intp]
    children: NDArray[np.intp]
    feature: NDArray[np.intp]
    threshold: NDArray[np.float64]
    weight: NDArray[np.float64]

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        return self.feature < 0

    @property
    def is_numeric(self) -> NDArray[np.bool_]:
        return self.feature >= 0

    @property
    def missing_branch(self) -> NDArray[np.intp]:
        return np.full(self.n_nodes, -1)

    @property
    def n_nodes(self) -> int:
        return len(self.parent)

    @property
    def n_leaves(self) -> int:
        return int(self.is_leaf.sum())

    @property
    def max_depth(self) -> int:
        return int(self.depth.max())

    def children_of(self, node: int) -> NDArray[np.intp]:
        return np.empty(0, dtype=np.intp) if self.is_leaf[node] else self.children[node]


def sklearn_outline(model: Any, names: Sequence[str] | None = None) -> Outline:
    """Return a fitted DecisionTreeClassifier of one output as an outline.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from calibrant.trees._export.text import plain_text
    >>> model = DecisionTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> print(plain_text(sklearn_outline(model, ["age"])))
    age <= 2.5: a (p = 1.000, n = 2)
    age > 2.5: b (p = 1.000, n = 2)
    """
    tree = model.tree_
    order, parent, depth = _preorder(tree.children_left, tree.children_right)
    number = np.empty(tree.node_count + 1, dtype=np.intp)
    number[order], number[-1] = np.arange(tree.node_count), -1
    default = getattr(model, "feature_names_in_", [f"x{j}" for j in range(model.n_features_in_)])
    nodes = _SklearnNodes(
        classes=model.classes_,
        schema=SimpleNamespace(names=tuple(map(str, default if names is None else names))),
        parent=parent,
        depth=depth,
        children=number[np.column_stack([tree.children_left, tree.children_right])[order]],
        feature=np.maximum(tree.feature, -1)[order],
        threshold=tree.threshold[order],
        weight=tree.weighted_n_node_samples[order],
    )
    value = tree.value[order, 0, :]
    return Outline.of(cast("Tree", nodes), value / value.sum(axis=1, keepdims=True))


def _preorder(
    left: NDArray[np.intp], right: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return the nodes in preorder, and the parent (in that numbering) and the depth of each."""
    found: list[tuple[int, int, int]] = []
    waiting = [(0, -1, 0)]
    while waiting:
        node, parent, depth = waiting.pop()
        if left[node] >= 0:
            waiting += [(int(child), len(found), depth + 1) for child in (right[node], left[node])]
        found.append((node, parent, depth))
    order, parents, depths = np.array(found, dtype=np.intp).T
    return order, parents, depths
