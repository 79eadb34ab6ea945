"""The tree itself, curtailed ones too, as Zadrozny & Elkan (2001, Figure 2) draw it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from calibrant._params import Int, Nothing, check_param
from calibrant.exceptions import ParameterError
from calibrant.plots._style import COLOURS, axes_or_new
from calibrant.trees import ProbabilityTreeClassifier

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calibrant.trees._internal import Outline

__all__ = ["TreeDisplay"]

_LONGEST = 22
_WIDTH, _HEIGHT = 1.55, 1.25  # inches for a leaf and for a level
_LARGEST = 120.0  # inches: what can still be saved as an image


class TreeDisplay:
    r"""A fitted tree: tests in white boxes, leaves shaded by the probability of their likeliest class.

    What curtailment eliminates is dotted, and a node that is a test for some rows and a leaf for others is grey.

    Parameters
    ----------
    model : ProbabilityTreeClassifier
        A fitted tree.
    max_depth : int, optional
        Where to stop; what is left out stands as "…". Trees of more than about 80 leaves need it to be readable, since
        a picture is at most 120 inches wide and letters shrink until they fit; so they do in axes that are given.

    Attributes
    ----------
    ax_, figure_
        What was drawn, once `plot` has run.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> [text.get_text() for text in TreeDisplay.from_estimator(model).ax_.texts]
    ['x0', '<= 2', 'a\np = 0.750\nn = 2', '> 2', 'b\np = 0.750\nn = 2']
    """

    def __init__(self, model: ProbabilityTreeClassifier, *, max_depth: int | None = None) -> None:
        check_param("max_depth", max_depth, Int(1) | Nothing())
        if not isinstance(model, ProbabilityTreeClassifier):
            raise ParameterError(f"model must be a ProbabilityTreeClassifier; got {type(model).__name__}.")
        self.model = model
        self.max_depth = max_depth

    @classmethod
    def from_estimator(cls, model: ProbabilityTreeClassifier, *, max_depth: int | None = None, ax: Any = None) -> Self:
        """Draw a fitted tree.

        Parameters
        ----------
        model : ProbabilityTreeClassifier
            A fitted tree.
        max_depth : int, optional
            Where to stop.
        ax : matplotlib Axes, optional
            Axes to draw into; by default those of a new figure, as large as the tree needs.

        Returns
        -------
        TreeDisplay
            The display, drawn.

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> len(TreeDisplay.from_estimator(model, max_depth=1).ax_.texts)
        5
        """
        return cls(model, max_depth=max_depth).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw into axes, or into a new figure, as large as the tree needs.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        TreeDisplay
            The display itself, with `ax_` and `figure_`.

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> TreeDisplay(model).plot().ax_.texts[0].get_text()
        'x0'
        """
        self.model._check_fitted()
        outline = self.model._outline()
        places = _places(outline, self.max_depth)
        n_columns = 1 + max(x for x, _ in places.values())
        n_levels = 1 + max(depth for _, depth in places.values())
        size = max(_WIDTH * n_columns, 3.0), max(_HEIGHT * n_levels, 2.0)
        self.ax_: Axes = axes_or_new(ax, (min(size[0], _LARGEST), min(size[1], _LARGEST)))
        self.figure_ = self.ax_.figure
        self._draw(outline, places, _share_of_room(self.ax_, size, is_new=ax is None))
        self.ax_.set(xlim=(-0.6, n_columns - 0.4), ylim=(0.45 - n_levels, 0.5))
        self.ax_.set_axis_off()
        if outline.head:
            self.ax_.set_title(outline.head, fontsize="medium")
        return self

    def _draw(self, outline: Outline, places: dict[int, tuple[float, int]], share: float) -> None:
        tree, words = outline.tree, outline.conditions
        for node, (x, depth) in places.items():
            above = int(tree.parent[node])
            if above >= 0:
                name = tree.schema.names[tree.feature[above]] if outline.is_test[above] else ""
                dotted = ":" if outline.is_eliminated[node] else "-"
                word = _cut(words[node].removeprefix(name).strip())
                _draw_edge(self.ax_, places[above], (x, depth), word, dotted, 8.0 * share)
            is_cut = outline.is_test[node] and depth == self.max_depth
            word = "…" if is_cut else _words(outline, node)
            _draw_node(self.ax_, (x, depth), word, _box(outline, node, is_cut), 8.5 * share)


def _share_of_room(ax: Axes, size: tuple[float, float], *, is_new: bool) -> float:
    """Return how much of the room that a tree needs there is, at most 1: letters shrink with it."""
    place = ax.figure.bbox if is_new else ax.get_window_extent()
    return min(1.0, place.width / ax.figure.dpi / size[0], place.height / ax.figure.dpi / size[1])


def _places(outline: Outline, max_depth: int | None) -> dict[int, tuple[float, int]]:
    """Return each node that is drawn its column and depth: leaves side by side, tests above the middle of theirs."""
    tree = outline.tree
    places: dict[int, tuple[float, int]] = {}
    deepest = tree.max_depth if max_depth is None else max_depth
    drawn = (outline.is_test | outline.is_leaf | outline.is_eliminated) & (tree.depth <= deepest)
    n_columns, todo = 0, [(0, False)]
    while todo:
        node, is_done = todo.pop()
        children = [child for child in tree.children_of(node) if drawn[child]] if outline.has_branches(node) else []
        if is_done:
            places[node] = float(np.mean([places[child][0] for child in children])), int(tree.depth[node])
        elif children:
            todo += [(node, True), *((child, False) for child in reversed(children))]
        else:
            places[node] = float(n_columns), int(tree.depth[node])
            n_columns += 1
    return dict(sorted(places.items()))


def _words(outline: Outline, node: int) -> str:
    weight = f"n = {outline.tree.weight[node]:.6g}"
    if outline.is_eliminated[node]:
        return weight
    test = _cut(outline.tree.schema.names[outline.tree.feature[node]]) if outline.is_test[node] else ""
    if not outline.is_leaf[node]:
        return test
    label, p = outline.top_class(node)
    answer = f"{_cut(label)}\np = {p:.3f}\n{weight}"
    return f"{test}\n{answer}" if test else answer


def _box(outline: Outline, node: int, is_cut: bool) -> dict[str, Any]:
    """Return how the box of a node looks."""
    box: dict[str, Any] = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": "0.3", "linewidth": 0.9}
    if outline.is_eliminated[node]:
        return {**box, "linestyle": ":", "edgecolor": "0.5"}
    if is_cut or not outline.is_leaf[node]:
        return box
    return {**box, "facecolor": "0.85" if outline.is_test[node] else _shade(outline, node)}


def _shade(outline: Outline, node: int) -> tuple[float, float, float]:
    """Mix the colour of the likeliest class with white, the more of it the surer the class."""
    from matplotlib.colors import to_rgb

    probabilities = outline.table[node]
    best, n_classes = int(probabilities.argmax()), len(probabilities)
    certain = (probabilities[best] * n_classes - 1) / (n_classes - 1) if n_classes > 1 else 1.0
    share = 0.1 + 0.35 * float(np.clip(certain, 0, 1))
    red, green, blue = (1 - share + share * part for part in to_rgb(COLOURS[best % len(COLOURS)]))
    return red, green, blue


def _draw_edge(ax: Axes, above: tuple[float, int], below: tuple[float, int], text: str, line: str, size: float) -> None:
    (x0, y0), (x1, y1) = (above[0], -above[1]), (below[0], -below[1])
    ax.plot([x0, x1], [y0, y1], color="0.5", linewidth=1.0, linestyle=line, zorder=1)
    way = 0.52 if round(2 * x1) % 4 else 0.64  # neighbours' words in turn higher and lower
    box = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"}
    at = (x0 + way * (x1 - x0), y0 + way * (y1 - y0))
    ax.text(*at, text, ha="center", va="center", fontsize=size, bbox=box, zorder=2)


def _draw_node(ax: Axes, place: tuple[float, int], text: str, box: dict[str, Any], size: float) -> None:
    ax.text(place[0], -place[1], text, ha="center", va="center", fontsize=size, bbox=box, zorder=3)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
