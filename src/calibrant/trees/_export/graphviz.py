"""A tree in the DOT language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from calibrant.trees._export.outline import Outline

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["graphviz_text"]

_MAX_TEXT = 60
_CUT_OFF = 'label="…"'
_MIN_SATURATION = 0.1  # of a leaf whose classes are equally probable


def graphviz_text(outline: Outline, max_depth: int | None = None) -> str:
    """Write a tree as a directed graph: tests as boxes, leaves shaded by the probability of their most probable class.

    As in Zadrozny & Elkan's Figure 2, what curtailment removes is dotted, and a node that is test and leaf is grey.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> print(graphviz_text(Outline.of(model.tree_, model.tree_.counts / 2)))
    digraph tree {
    ...
      0 -> 1 [label="<= 2"];
    ...
    """
    lines = ["digraph tree {", '  node [shape=box, style="rounded,filled", fillcolor=white, fontname="sans-serif"];']
    lines += ['  edge [fontname="sans-serif"];']
    if outline.head:
        lines += [f'  label={_quoted(outline.head)}; labelloc=t; fontname="sans-serif";']
    return "\n".join([*lines, *_lines(outline, max_depth), "}"])


def _lines(outline: Outline, max_depth: int | None) -> Iterator[str]:
    tree, conditions = outline.tree, outline.conditions
    for node in np.flatnonzero(outline.is_drawn(max_depth)).tolist():
        is_cut = outline.is_test[node] and tree.depth[node] == max_depth
        yield f"  {node} [{_CUT_OFF if is_cut else _node(outline, node)}];"
        above = int(tree.parent[node])
        if above >= 0:
            name = tree.schema.names[tree.feature[above]] if outline.is_test[above] else ""  # else no box shows it
            dotted = ", style=dotted" if outline.is_eliminated[node] else ""
            yield f"  {above} -> {node} [label={_quoted(_cut(conditions[node].removeprefix(name).strip()))}{dotted}];"


def _node(outline: Outline, node: int) -> str:
    if outline.is_eliminated[node]:
        return f'label="n = {outline.tree.weight[node]:.6g}", style="rounded,dotted"'
    test = _cut(outline.tree.schema.names[outline.tree.feature[node]]) if outline.is_test[node] else ""
    if not outline.is_leaf[node]:
        return f"label={_quoted(test)}"
    label, p = outline.top_class(node)
    text = f"{_cut(label)}\np = {p:.3f}\nn = {outline.tree.weight[node]:.6g}"
    if test:
        text = f"{test}\n\n{text}"
        return f"label={_quoted(text)}, fillcolor=lightgrey"
    return f'label={_quoted(text)}, fillcolor="{_colour(outline.table[node])}"'


def _colour(probabilities: NDArray[np.float64]) -> str:
    best, n_classes = int(probabilities.argmax()), len(probabilities)
    certainty = (probabilities[best] * n_classes - 1) / (n_classes - 1) if n_classes > 1 else 1.0
    return f"{best / n_classes:.3f} {_MIN_SATURATION + 0.4 * certainty:.3f} 1.000"  # hue, saturation, value


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1] + "…"
