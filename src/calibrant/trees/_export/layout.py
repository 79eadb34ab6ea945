"""The positions of a tree's nodes in a drawing, whatever draws it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._export.outline import Outline

__all__ = ["leaves_below", "node_positions"]


def node_positions(outline: Outline, drawn: NDArray[np.bool_]) -> dict[int, tuple[float, int]]:
    """Return the column and depth of each node to draw: leaves side by side, tests centred above their children.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> outline = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])._outline()
    >>> node_positions(outline, outline.is_drawn())
    {0: (0.5, 0), 1: (0.0, 1), 2: (1.0, 1)}
    """
    tree = outline.tree
    positions: dict[int, tuple[float, int]] = {}
    n_columns, todo = 0, [(0, False)]
    while todo:
        node, is_done = todo.pop()
        children = [child for child in tree.children_of(node) if drawn[child]] if outline.has_branches(node) else []
        if is_done:
            positions[node] = float(np.mean([positions[child][0] for child in children])), int(tree.depth[node])
        elif children:
            todo += [(node, True), *((child, False) for child in reversed(children))]
        else:
            positions[node] = float(n_columns), int(tree.depth[node])
            n_columns += 1
    return {int(node): position for node, position in sorted(positions.items())}


def leaves_below(outline: Outline) -> list[int]:
    """Return the number of leaves below each node, itself not counted."""
    below = np.zeros(outline.tree.n_nodes, dtype=np.intp)
    for node in range(outline.tree.n_nodes - 1, 0, -1):  # in preorder children come after their parent
        below[outline.tree.parent[node]] += below[node] + int(outline.is_leaf[node])
    return [int(each) for each in below]
