"""The top of a tree as HTML for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from calibrant.trees._export.conditions import conditions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._tree import Tree

__all__ = ["tree_html"]

_LEVELS, _MAX_LINES, _MAX_CLASSES, _MAX_TEXT = 3, 40, 6, 60
# Colours that read on white and on black alike (Paul Tol's bright scheme); text takes the page's own colour.
_COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")


def tree_html(tree: Tree, table: NDArray[np.float64]) -> str:
    """Show the first levels of a tree: conditions, weights, and the probabilities as a bar.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> tree_html(model.tree_, model.tree_.counts / 2)[:4]
    '<div'
    """
    head = f"{tree.n_nodes:,} nodes, {tree.n_leaves:,} leaves, depth {tree.max_depth:,}"
    parts = [
        '<div style="font-family:system-ui,sans-serif;font-size:13px;line-height:1.5;max-width:70em">',
        f'<div style="margin:4px 0"><b>Tree</b> · {head}{_legend(tree)}</div>',
        *_lines(tree, table),
        "</div>",
    ]
    return "".join(parts)


def _legend(tree: Tree) -> str:
    if len(tree.classes) > _MAX_CLASSES:
        return ""
    marks = (f'<span style="color:{_COLOURS[k]}">■</span> {escape(_cut(str(c)))}' for k, c in enumerate(tree.classes))
    return " · " + " ".join(marks)


def _lines(tree: Tree, table: NDArray[np.float64]) -> list[str]:
    lines = [_line(tree, table, 0, "all rows")]
    waiting = _below(tree, 0)
    while waiting and len(lines) < _MAX_LINES:
        node, condition = waiting.pop()
        lines.append(_line(tree, table, node, condition))
        if tree.depth[node] < _LEVELS:
            waiting += _below(tree, node)
    return lines + (["<div>…</div>"] if waiting else [])


def _below(tree: Tree, node: int) -> list[tuple[int, str]]:
    if tree.is_leaf[node]:
        return []
    children, texts = tree.children_of(node)[:_MAX_LINES].tolist(), conditions(tree, node)[:_MAX_LINES]
    return list(zip(children, texts, strict=True))[::-1]


def _line(tree: Tree, table: NDArray[np.float64], node: int, condition: str) -> str:
    best = int(table[node].argmax())
    more = "" if tree.is_leaf[node] else " …" if tree.depth[node] == _LEVELS else ""
    label = f"{tree.classes[best]} {table[node, best]:.3f}"
    return (
        f'<div style="display:flex;align-items:center;gap:8px;padding-left:{1.5 * tree.depth[node]:.1f}em">'
        f"<span>{escape(_cut(condition))}{more}</span>{_bar(table[node])}"
        f'<span style="opacity:.75">{escape(_cut(label))} · n = {tree.weight[node]:.6g}</span></div>'
    )


def _bar(probabilities: NDArray[np.float64]) -> str:
    if len(probabilities) > _MAX_CLASSES:
        return ""
    pieces = "".join(
        f'<span style="width:{p:.2%};background:{colour}"></span>'
        for p, colour in zip(probabilities, _COLOURS, strict=False)
    )
    return f'<span style="display:flex;width:8em;height:9px;border-radius:2px;overflow:hidden">{pieces}</span>'


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1] + "…"
