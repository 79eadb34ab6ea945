"""A fitted tree as sections: a summary, the nodes that most rows reach with their positions."""

from __future__ import annotations

import heapq
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from calibrant._sections import TreeDrawing, TreeNode
from calibrant.trees._export.outline import Outline, Values, conditions, sklearn_outline
from calibrant.trees._tree import Tree

# What fits a screen or two: a drawing of 60 nodes is about 1,900 pixels high at most, and 7 levels about 2,100 wide.
_MOST_NODES, _MOST_BRANCHES, _MOST_LEVELS = 60, 12, 6
_MOST_LINES = 300  # of the text


def tree_drawing(
    outline: Outline, values: Values | None = None, shown_class: int | None = None, fewest_rows: float = 0.0
) -> TreeDrawing:
    """Return a tree to draw.

    With the distinct training values of each column, cuts have few digits. No branch that fewer than ``fewest_rows``
    training rows reach is drawn, nor one beside it, and where there are any the tree is not written as text.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> [(node.split, node.branch, node.rows) for node in tree_drawing(model._outline()).nodes]
    [('x0', '', '4 rows'), ('', '≤ 2', '2 rows'), ('', '> 2', '2 rows')]
    """
    tree, size = outline.tree, tree_size(outline.tree)
    first = f"; the first test is on {tree.schema.names[tree.feature[0]]}" if outline.is_test[0] else ""
    return TreeDrawing(
        caption="; ".join(filter(None, [size, outline.head])),
        description=f"Tree of {size}{first}. Its text follows.",
        classes=tuple(map(str, tree.classes)),
        nodes=_nodes(outline, _choose_nodes(outline, fewest_rows), values),
        # The text shows the weight of every leaf, so it is left out where some are too small to be shown.
        text="" if _is_small(outline, fewest_rows).any() else _text(outline),
        shown_class=shown_class,
    )


def _rows_text(weight: float) -> str:
    """Return a training weight as text.

    Examples
    --------
    >>> _rows_text(1.0), _rows_text(1200.0), _rows_text(0.25)
    ('1 row', '1,200 rows', '0.25 rows')
    """
    if weight == 1:
        return "1 row"
    return f"{weight:,.0f} rows" if weight == round(weight) or weight >= 1000 else f"{weight:.4g} rows"


def tree_size(tree: Tree) -> str:
    """Return the numbers of nodes and leaves and the depth as text."""
    nodes = "1 node" if tree.n_nodes == 1 else f"{tree.n_nodes:,} nodes"
    leaves = "1 leaf" if tree.n_leaves == 1 else f"{tree.n_leaves:,} leaves"
    return f"{nodes}, {leaves}, depth {tree.max_depth:,}"


def _is_small(outline: Outline, fewest_rows: float) -> NDArray[np.bool_]:
    """Return a mask of the nodes that some rows reach, but too few; a branch without any tells nothing of rows."""
    return np.asarray((outline.tree.weight > 0) & (outline.tree.weight < fewest_rows))


def _choose_nodes(outline: Outline, fewest_rows: float) -> NDArray[np.bool_]:
    """Return the nodes to draw: from the root on, the branches of the test that the most rows reach come next."""
    tree, is_shown, is_small = outline.tree, outline.is_drawn(), _is_small(outline, fewest_rows)
    chosen = np.zeros(tree.n_nodes, dtype=np.bool_)
    chosen[0], n_chosen = True, 1
    # The heaviest node is opened first, so that the part drawn is the one that most rows pass.
    waiting = [(-float(tree.weight[0]), 0)]
    while waiting:
        _, node = heapq.heappop(waiting)
        branches = _branches(outline, node, is_shown)
        # A node with a child of too few rows stays closed: its other
        # children would reveal the small one by subtraction.
        is_last = tree.depth[node] == _MOST_LEVELS or is_small[tree.children_of(node)].any()
        if is_last or n_chosen + len(branches) > _MOST_NODES:
            continue
        chosen[branches] = True
        n_chosen += len(branches)
        for child in branches.tolist():
            heapq.heappush(waiting, (-float(tree.weight[child]), child))
    return chosen


def _branches(outline: Outline, node: int, is_shown: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the children of a node, the largest where there are many."""
    if not outline.has_branches(node):
        return np.empty(0, dtype=np.intp)
    children = np.asarray(outline.tree.children_of(node), dtype=np.intp)
    children = children[is_shown[children]]
    return children[np.argsort(-outline.tree.weight[children], kind="stable")[:_MOST_BRANCHES]]


def _nodes(outline: Outline, chosen: NDArray[np.bool_], values: Values | None) -> tuple[TreeNode, ...]:
    tree, positions = outline.tree, outline.positions(chosen)
    branches = _branch_texts(outline, chosen, values)
    hidden = _count_hidden(outline, chosen)
    has_branches = {int(tree.parent[node]) for node in positions}
    return tuple(
        TreeNode(
            id=node,
            parent=int(tree.parent[node]),
            depth=depth,
            position=position,
            rows=_rows_text(float(tree.weight[node])),
            probabilities=tuple(outline.table[node].tolist()),
            branch=branches.get(node, ""),
            split=str(tree.schema.names[tree.feature[node]]) if node in has_branches else "",
            kind=_kind(outline, node),
            n_hidden=hidden[node],
        )
        for node, (position, depth) in positions.items()
    )


def _kind(outline: Outline, node: int) -> Literal["test", "leaf", "both", "removed"]:
    if outline.is_eliminated[node]:
        return "removed"
    if outline.is_test[node]:
        return "both" if outline.is_leaf[node] else "test"
    return "leaf"


def _branch_texts(outline: Outline, chosen: NDArray[np.bool_], values: Values | None) -> dict[int, str]:
    """Return the condition of each branch that is drawn, without the name of the column, which the box above has."""
    tree = outline.tree
    texts = {}
    for node in np.flatnonzero(chosen & ~tree.is_leaf).tolist():
        name = str(tree.schema.names[tree.feature[node]])
        for child, condition in zip(tree.children_of(node).tolist(), conditions(tree, node, values), strict=True):
            texts[child] = _in_words(condition.removeprefix(name).strip())
    return texts


def _in_words(condition: str) -> str:
    """Return the condition of a branch as it is drawn.

    Examples
    --------
    >>> _in_words("<= 30 or missing"), _in_words("= Rome"), _in_words("in {Oslo, Rome}"), _in_words("> 30")
    ('≤ 30 or missing', 'Rome', 'Oslo, Rome', '> 30')
    """
    if condition.startswith("<= "):
        return f"≤ {condition[3:]}"
    if condition.startswith("in {"):
        inside, _, rest = condition[4:].rpartition("}")
        return inside + rest
    return condition.removeprefix("= ")


def _count_hidden(outline: Outline, chosen: NDArray[np.bool_]) -> dict[int, int]:
    """Return the number of nodes below each chosen one that are below no chosen node further down."""
    depth = outline.tree.depth
    before = np.concatenate([[0], np.cumsum(outline.is_drawn())])
    sizes = {}
    for node in np.flatnonzero(chosen).tolist():  # in preorder the nodes below one follow it
        is_beyond = depth[node + 1 :] <= depth[node]
        end = node + 1 + int(is_beyond.argmax()) if is_beyond.any() else outline.tree.n_nodes
        sizes[node] = int(before[end] - before[node])
    hidden = {node: size - 1 for node, size in sizes.items()}
    for node, size in sizes.items():
        if node:
            hidden[int(outline.tree.parent[node])] -= size
    return hidden


def _text(outline: Outline) -> str:
    """Return the tree as text, down to a depth at which it is not too long."""
    n_until = np.cumsum(np.bincount(outline.tree.depth[outline.is_drawn()]))
    fits = np.flatnonzero(n_until <= _MOST_LINES)
    # Whole levels are dropped rather than the end of the text, which would be the right half of the tree.
    max_depth = None if len(fits) == len(n_until) else max(int(fits[-1]), 1)
    lines = outline.text(max_depth).splitlines()
    more = len(lines) - _MOST_LINES
    return "\n".join([*lines[:_MOST_LINES], *([f"… {more:,} more lines"] if more > 0 else [])])


HOW_TO_READ = (
    "Read from left to right: a row follows the branches that hold for it to a leaf, whose bar shows the probability "
    "of each class."
)


def draw_model(model: Any, positive: object = None, fewest_rows: float = 0.0) -> TreeDrawing:
    """Return a fitted tree, ours or scikit-learn's, drawn; of two classes boxes show the positive, or the second.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> draw_model(model).shown_class, draw_model(model, "a").shown_class
    (1, 0)
    """
    from sklearn.tree import DecisionTreeClassifier  # imports half of scikit-learn: a fifth of a second

    labels = [str(label) for label in model.classes_]
    shown = labels.index(str(positive)) if str(positive) in labels else 1
    shown_class = shown if len(labels) == 2 else None
    if isinstance(model, DecisionTreeClassifier):
        return tree_drawing(sklearn_outline(model), None, shown_class, fewest_rows)
    return tree_drawing(model._outline(), model._grown_tree.examples.known_values, shown_class, fewest_rows)
