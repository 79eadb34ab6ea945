"""Drawings of trees, also curtailed ones, as in Zadrozny & Elkan (2001, Figure 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant._params import Int, Nothing, check_param
from calibrant.exceptions import ParameterError
from calibrant.plots._style import COLORS, axes_or_new, format_number
from calibrant.trees import ProbabilityTreeClassifier
from calibrant.trees._internal import Outline

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_AX = """\
ax : matplotlib Axes, optional
    The axes to draw into; by default those of a new figure, as large as the tree needs."""
_MAX_LETTERS = 22  # of a name: the width of a leaf
_LEAF_WIDTH, _LEVEL_HEIGHT = 1.55, 1.25  # inches
_MAX_SIZE = 120.0  # inches: 36,000 pixels at 300 dots per inch, well below the 65,536 that matplotlib can draw


@fill_docstring()
class TreeDisplay:
    r"""A fitted tree: tests in white boxes, leaves shaded by the probability of their most likely class.

    Every node has its most likely class, the probability p of that class by the tree's estimate, and its training
    weight n. Cuts have as few digits as separate the training values. Nodes eliminated by curtailment are dotted, and a
    node that is a test for some rows and a leaf for others is grey.

    Parameters
    ----------
    model : ProbabilityTreeClassifier
        A fitted tree.
    max_depth : int, optional
        The depth at which to stop; a node at which the drawing stops says how many leaves are below it, and the title
        how many are drawn. Trees of more than about 80 leaves need it to be readable, since a figure is at most 120
        inches wide and the font shrinks until the tree fits; it also shrinks to fit axes that are passed.

    Attributes
    ----------
    %(drawn)s

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> [text.get_text() for text in TreeDisplay.from_estimator(model).ax_.texts]
    ['x0\na\np = 0.500, n = 4', '<= 2', 'a\np = 0.750\nn = 2', '> 2', 'b\np = 0.750\nn = 2']
    """

    def __init__(self, model: ProbabilityTreeClassifier, *, max_depth: int | None = None) -> None:
        check_param("max_depth", max_depth, Int(1) | Nothing())
        if not isinstance(model, ProbabilityTreeClassifier):
            raise ParameterError(f"model must be a ProbabilityTreeClassifier; got {type(model).__name__}.")
        self.model = model
        self.max_depth = max_depth

    @classmethod
    @fill_docstring(ax=_AX)
    def from_estimator(cls, model: ProbabilityTreeClassifier, *, max_depth: int | None = None, ax: Any = None) -> Self:
        """Draw a fitted tree.

        Parameters
        ----------
        model : ProbabilityTreeClassifier
            A fitted tree.
        max_depth : int, optional
            The depth at which to stop.
        %(ax)s

        %(returns_drawn)s

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> len(TreeDisplay.from_estimator(model, max_depth=1).ax_.texts)
        5
        """
        return cls(model, max_depth=max_depth).plot(ax)

    @fill_docstring(ax=_AX)
    def plot(self, ax: Any = None) -> Self:
        """Draw the tree.

        %(plot_sections)s

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> TreeDisplay(model).plot().ax_.texts[1].get_text()
        '<= 2'
        """
        self.model._check_fitted()
        outline = self.model._outline()
        positions = outline.positions(outline.is_drawn(self.max_depth))
        n_columns = 1 + max(x for x, _ in positions.values())
        n_levels = 1 + max(depth for _, depth in positions.values())
        size = max(_LEAF_WIDTH * n_columns, 3.0), max(_LEVEL_HEIGHT * n_levels, 2.0)
        self.ax_: Axes = axes_or_new(ax, (min(size[0], _MAX_SIZE), min(size[1], _MAX_SIZE)))
        self.figure_ = self.ax_.figure
        # The font shrinks for the tree to fit
        figure: Any = self.ax_.figure
        room = figure.bbox if ax is None else self.ax_.get_window_extent()
        scale = min(1.0, room.width / figure.dpi / size[0], room.height / figure.dpi / size[1])
        self._draw(outline, positions, scale)
        self.ax_.set(xlim=(-0.6, n_columns - 0.4), ylim=(0.45 - n_levels, 0.5))
        self.ax_.set_axis_off()
        title = "; ".join(filter(None, [outline.head, _describe_cut(outline, self.max_depth)]))
        if title:
            self.ax_.set_title(title, fontsize="medium")
        return self

    def _draw(self, outline: Outline, positions: dict[int, tuple[float, int]], scale: float) -> None:
        tree, conditions, below = outline.tree, self.model._short_conditions(), outline.leaves_below()
        for node, (x, depth) in positions.items():
            above = int(tree.parent[node])
            if above >= 0:
                name = tree.schema.names[tree.feature[above]] if outline.is_test[above] else ""
                dotted = ":" if outline.is_eliminated[node] else "-"
                text = _truncate(conditions[node].removeprefix(name).strip())
                _draw_edge(self.ax_, positions[above], (x, depth), text, dotted, 8.0 * scale)
            is_cut = bool(outline.is_test[node] and depth == self.max_depth)
            style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8.5 * scale, "zorder": 3}
            text = _node_text(outline, node, below[node] if is_cut else None)
            self.ax_.text(x, -depth, text, bbox=_box_style(outline, node, is_cut), **style)


def _node_text(outline: Outline, node: int, n_cut: int | None) -> str:
    """Return the text of a node; one at which the drawing stops says how many leaves are below it."""
    weight = f"n = {format_number(float(outline.tree.weight[node]))}"
    if outline.is_eliminated[node] and n_cut is None:
        return weight
    label, p = outline.top_class(node)
    shown = f"{_truncate(label)}\np = {p:.3f}"
    if n_cut is not None:
        return f"{shown}, {weight}\n… {n_cut:,} {'leaf' if n_cut == 1 else 'leaves'} below"
    if not outline.is_test[node]:
        return f"{shown}\n{weight}"
    return f"{_truncate(outline.tree.schema.names[outline.tree.feature[node]])}\n{shown}, {weight}"


def _describe_cut(outline: Outline, max_depth: int | None) -> str:
    """Return the depth and the number of leaves that are drawn, as text; empty if all are."""
    depth = outline.tree.depth
    is_drawn = outline.is_leaf & (depth <= (max_depth or 0))
    if max_depth is None or is_drawn.sum() == outline.is_leaf.sum():
        return ""
    deepest = int(depth[outline.is_leaf].max())
    return f"drawn to depth {max_depth} of {deepest}, {is_drawn.sum():,} of {outline.is_leaf.sum():,} leaves"


def _box_style(outline: Outline, node: int, is_cut: bool) -> dict[str, Any]:
    """Return the style of the box of a node."""
    box: dict[str, Any] = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": "0.3", "linewidth": 0.9}
    if outline.is_eliminated[node]:
        return {**box, "linestyle": ":", "edgecolor": "0.5"}
    if is_cut or not outline.is_leaf[node]:
        return box
    return {**box, "facecolor": "0.85" if outline.is_test[node] else _shade(outline, node)}


def _shade(outline: Outline, node: int) -> tuple[float, float, float]:
    """Return the colour of the most likely class mixed with white: the more certain, the stronger."""
    from matplotlib.colors import to_rgb

    probabilities = outline.table[node]
    best, n_classes = int(probabilities.argmax()), len(probabilities)
    certain = (probabilities[best] * n_classes - 1) / (n_classes - 1) if n_classes > 1 else 1.0
    share = 0.1 + 0.35 * float(np.clip(certain, 0, 1))
    red, green, blue = (1 - share + share * part for part in to_rgb(COLORS[best % len(COLORS)]))
    return red, green, blue


def _draw_edge(ax: Axes, above: tuple[float, int], below: tuple[float, int], text: str, line: str, size: float) -> None:
    (x0, y0), (x1, y1) = (above[0], -above[1]), (below[0], -below[1])
    ax.plot([x0, x1], [y0, y1], color="0.5", linewidth=1.0, linestyle=line, zorder=1)
    along = 0.52 if round(2 * x1) % 4 else 0.64  # neighbouring labels alternate in height, so as not to overlap
    box = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"}
    position = (x0 + along * (x1 - x0), y0 + along * (y1 - y0))
    ax.text(*position, text, ha="center", va="center", fontsize=size, bbox=box, zorder=2)


def _truncate(text: str) -> str:
    return text if len(text) <= _MAX_LETTERS else text[: _MAX_LETTERS - 1] + "…"
