"""A tree as text in the format of C4.5 (Release 8, trees.c), or in the DOT language of Graphviz."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from calibrant.trees._export.outline import Outline, cut_text, marked_missing, values_of_branches
from calibrant.trees._tree import Tree

_WIDTH, _BAR = 80, "|   "

Errors = Callable[[int], float]


def c45_text(tree: Tree, errors: Errors) -> str:
    """Write a tree as C4.5 does: leaves before subtrees, ``(N/E)`` at the leaves, wide subtrees separately.

    C4.5 omits subtrees beyond the 99th for lack of room; here they are numbered on.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> print(c45_text(model.tree_, lambda node: 0.0))
    x0 <= 2 : a (2.0)
    x0 > 2 : b (2.0)
    """
    roots = [0]
    parts = []
    for number, root in enumerate(roots):  # the list grows during the loop
        head = f"\n\nSubtree [S{number}]\n\n" if number else ""
        parts.append(head + "\n".join(_c45_lines(tree, root, errors, roots)) + "\n")
    return "".join(parts).rstrip("\n")


def _c45_lines(tree: Tree, root: int, errors: Errors, roots: list[int]) -> Iterator[str]:
    if tree.is_leaf[root]:
        yield _c45_leaf(tree, root, errors)  # with C4.5's space in front
        return
    waiting = _c45_branches(tree, root, 0)
    while waiting:
        node, depth, condition = waiting.pop()
        if tree.is_leaf[node]:
            yield condition + _c45_leaf(tree, node, errors)
        elif len(_BAR) * (depth + 1) + _widest_line(tree, node) > _WIDTH:
            yield f"{condition}[S{len(roots)}]"
            roots.append(node)
        else:
            yield condition
            waiting += _c45_branches(tree, node, depth + 1)


def _c45_leaf(tree: Tree, node: int, errors: Errors) -> str:
    wrong = errors(node)
    shown = f"/{wrong:.1f}" if wrong > 0 else ""
    return f" {tree.classes[tree.label[node]]} ({tree.weight[node]:.1f}{shown})"


def _c45_branches(tree: Tree, node: int, depth: int) -> list[tuple[int, int, str]]:
    pairs = zip(tree.children_of(node).tolist(), _c45_conditions(tree, node, depth), strict=True)
    branches = [(child, depth, condition) for child, condition in pairs if condition]
    # C4.5 prints the leaves of a node before its subtrees; the sort is stable, so each kind keeps its order.
    branches.sort(key=lambda branch: not tree.is_leaf[branch[0]])
    return branches[::-1]


def _c45_conditions(tree: Tree, node: int, depth: int) -> list[str]:
    name, bars = tree.schema.names[tree.feature[node]], _BAR * depth
    if tree.is_numeric[node]:
        cut = cut_text(tree, node, digits="g")
        texts, colon = [f"{name} {sign} {cut}" for sign in ("<=", ">")], " :"
    else:
        texts, colon = [_c45_values(name, values, bars) for values in values_of_branches(tree, node)], ":"
    return [f"{bars}{text}{colon}" if text else "" for text in marked_missing(tree, node, texts)]


def _c45_values(name: str, values: list[str], bars: str) -> str:
    if len(values) < 2:
        return f"{name} = {values[0]}" if values else ""
    skip = len(name) + 5
    lines, width = [f"{name} in {{"], skip  # C4.5 does not count the bars
    for value, end in zip(values, "," * (len(values) - 1) + "}", strict=True):
        if width > skip and width + len(value) + 11 > _WIDTH:
            lines.append(bars + " " * skip)
            width = skip
        lines[-1] += value + end
        width += len(value) + 1
    return "\n".join(lines)


def _widest_line(tree: Tree, node: int) -> int:
    """Return the width as C4.5 counts it: the name, the longest value, and the class where the branch is a leaf."""
    categories = [""] * 2 if tree.is_numeric[node] else tree.schema.features[tree.feature[node]].categories
    widest = 0
    for child, value in zip(tree.children_of(node).tolist(), categories, strict=False):
        width = (4 if tree.is_numeric[node] else len(str(value))) + 1
        if tree.is_leaf[child]:
            width += len(str(tree.classes[tree.label[child]])) + 6
        widest = max(widest, width)
    return len(tree.schema.names[tree.feature[node]]) + 4 + widest


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
    # Scaled so that equally probable classes have certainty 0 whatever their number.
    certainty = (probabilities[best] * n_classes - 1) / (n_classes - 1) if n_classes > 1 else 1.0
    return f"{best / n_classes:.3f} {_MIN_SATURATION + 0.4 * certainty:.3f} 1.000"  # hue, saturation, value


def _quoted(text: str) -> str:
    # Backslashes first, or those that escape the quotes would be doubled.
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1] + "…"
