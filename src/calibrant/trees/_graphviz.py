"""A tree in the DOT language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from calibrant.trees._conditions import all_conditions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._tree import Tree

__all__ = ["graphviz_text"]

_LONGEST = 60
_PALEST = 0.1  # how much colour a leaf of even odds still has


def graphviz_text(tree: Tree, table: NDArray[np.float64], max_depth: int | None = None) -> str:
    """Write a tree as a directed graph: tests as boxes, leaves shaded by the probability of their likeliest class.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> print(graphviz_text(model.tree_, model.tree_.counts / 2))
    digraph tree {
    ...
      0 -> 1 [label="<= 2"];
    ...
    """
    lines = ["digraph tree {", '  node [shape=box, style="rounded,filled", fillcolor=white, fontname="sans-serif"];']
    lines += ['  edge [fontname="sans-serif"];', *_lines(tree, table, max_depth), "}"]
    return "\n".join(lines)


def _lines(tree: Tree, table: NDArray[np.float64], max_depth: int | None) -> Iterator[str]:
    words = all_conditions(tree)
    for node in np.flatnonzero(tree.depth <= (tree.max_depth if max_depth is None else max_depth)).tolist():
        if tree.is_leaf[node]:
            yield f"  {node} [{_leaf(tree, table, node)}];"
        elif tree.depth[node] == max_depth:
            yield f'  {node} [label="…"];'
        else:
            yield f"  {node} [label={_quoted(_cut(tree.schema.names[tree.feature[node]]))}];"
        above = int(tree.parent[node])
        if above >= 0:
            condition = words[node].removeprefix(tree.schema.names[tree.feature[above]]).strip()
            yield f"  {above} -> {node} [label={_quoted(_cut(condition))}];"


def _leaf(tree: Tree, table: NDArray[np.float64], node: int) -> str:
    best, n_classes = int(table[node].argmax()), table.shape[1]
    certain = (table[node, best] * n_classes - 1) / (n_classes - 1) if n_classes > 1 else 1.0
    colour = f"{best / n_classes:.3f} {_PALEST + 0.4 * certain:.3f} 1.000"  # hue, saturation, value
    label = f"{_cut(str(tree.classes[best]))}\np = {table[node, best]:.3f}\nn = {tree.weight[node]:.6g}"
    return f'label={_quoted(label)}, fillcolor="{colour}"'


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
