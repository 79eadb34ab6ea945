"""Drawn trees: the root at the left, a box for each node, a bar of the class probabilities in each leaf."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Literal

from calibrant._sections.markup import element, text
from calibrant._sections.tree_svg import legend_html, tree_svg

__all__ = ["TreeDrawing", "TreeNode"]


@dataclass(frozen=True)
class TreeNode:
    """A node of a drawn tree.

    Parameters
    ----------
    id, parent : int
        Its number, and that of the node above it; -1 for the root.
    depth : int
        Number of tests above it.
    position : float
        Its position beside the other nodes: a whole number where nothing is drawn below it.
    rows : str
        Its training rows, such as ``"120 rows"``.
    probabilities : tuple of float
        The probability of each class.
    branch : str
        The condition that leads to it from the node above.
    split : str
        The column that it tests; "" for a leaf, and where no branch of it is drawn.
    kind : {"test", "leaf", "both", "removed"}
        Whether it tests rows, predicts for them, tests some and predicts for others, or was removed by curtailment.
    n_hidden : int
        Number of nodes below it, and below no other node that is drawn, that are not drawn.

    Examples
    --------
    >>> TreeNode(1, 0, 1, 0.0, "120 rows", (0.2, 0.8), branch="≤ 30").kind
    'leaf'
    """

    id: int
    parent: int
    depth: int
    position: float
    rows: str
    probabilities: tuple[float, ...]
    branch: str = ""
    split: str = ""
    kind: Literal["test", "leaf", "both", "removed"] = "leaf"
    n_hidden: int = 0


@dataclass(frozen=True)
class TreeDrawing:
    """A tree, drawn.

    Parameters
    ----------
    caption : str
        What is drawn.
    description : str
        The same for those who do not see it, in a sentence or two.
    classes : tuple of str
        The classes, in the order of the nodes' probabilities.
    nodes : tuple of TreeNode
        The nodes that are drawn, the root first.
    text : str
        The tree as text; "" to leave it out.
    shown_class : int, optional
        The class whose probability the boxes show; by default the most probable one of each node.

    Examples
    --------
    >>> node = TreeNode(0, -1, 0, 0.0, "4 rows", (0.5, 0.5))
    >>> drawing = TreeDrawing("A tree of 1 node", "A leaf.", ("a", "b"), (node,), "a (p = 0.500, n = 4)")
    >>> drawing.n_hidden, 'aria-label="A leaf."' in drawing.html()
    (0, True)
    """

    caption: str
    description: str
    classes: tuple[str, ...]
    nodes: tuple[TreeNode, ...] = field(repr=False)
    text: str = field(repr=False)
    shown_class: int | None = None

    @property
    def n_hidden(self) -> int:
        """Number of nodes that are not drawn."""
        return sum(node.n_hidden for node in self.nodes)

    def html(self) -> str:
        """Return the drawing as HTML: a legend, the tree in a container that scrolls, and the tree as text."""
        return element(
            "figure",
            element("figcaption", element("strong", text(self.caption))),
            legend_html(self.classes, self.nodes[0].probabilities, self.shown_class),
            element("div", tree_svg(self), class_="tree", role="region", aria_label=self.caption, tabindex=0),
            self._note(),
            self._details(),
            class_="drawing",
        )

    def _details(self) -> str:
        if not self.text:
            return ""
        words = element("pre", escape(self.text), tabindex=0)
        return element("details", element("summary", "The tree as text"), words)

    def _note(self) -> str:
        if not self.n_hidden:
            return ""
        n_nodes = "1 node is" if self.n_hidden == 1 else f"{self.n_hidden:,} nodes are"
        note = f"{n_nodes} not drawn, below boxes marked +: the drawing shows those that most rows reach."
        return element("p", text(note), class_="note")
