"""Drawn trees: the root at the left, a box for each node, a bar of the class probabilities in each leaf."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from html import escape
from math import inf
from typing import Literal
from unicodedata import east_asian_width

from calibrant._sections.blocks import element, text

# Pixels: four levels fit a report on a screen
_BOX, _GAP, _HEIGHT, _ROW = 172, 90, 40, 48
_MARGIN, _PAD, _TURN = 2, 10, 11
_TALL = 12  # rows: what is not higher fits a screen, with tests in the middle of their branches
_REMARK = 120  # pixels beside a box, where the drawing stops
_SPLIT, _BRANCH = 22, 12  # letters that fit
_BOLD, _SMALL = 7.2, 6.1  # pixels of a letter, about: those of Arial and Liberation Sans are narrower
_WIDE = 1.17  # DejaVu Sans to that: what may be too long there is set to the width of its room
# Readable on white and on black alike (Paul Tol's bright scheme); all else has the colour of the page's text.
_COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")
_OTHERS = "#999999"
# The opacity is that of all lines together: where they overlap they are not darker
_LINES = {"fill": "none", "stroke": "currentColor", "opacity": "0.5", "shape_rendering": "crispEdges"}


def tree_svg(drawing: TreeDrawing) -> str:
    """Return a tree as SVG, from left to right: the text is horizontal, so leaves below each other take least room.

    Examples
    --------
    >>> from calibrant._sections.tree_drawing import TreeDrawing, TreeNode
    >>> node = TreeNode(0, -1, 0, 0.0, "4 rows", (0.5, 0.5))
    >>> tree_svg(TreeDrawing("A tree", "A tree of one leaf", ("a", "b"), (node,), "")).count("<rect")
    3
    """
    nodes = _aligned(drawing.nodes)
    tests = {node.parent for node in drawing.nodes}
    fills = _fills(nodes[0].probabilities, drawing.shown_class)
    n_levels = 1 + max(node.depth for node in drawing.nodes)
    is_cut = any(node.n_hidden and node.depth == n_levels - 1 for node in drawing.nodes)
    width = 2 * _MARGIN + n_levels * _BOX + (n_levels - 1) * _GAP + is_cut * _REMARK
    height = 2 * _MARGIN + round((1 + max(node.position for node in drawing.nodes)) * _ROW)
    below = [node for node in nodes.values() if node.parent >= 0]
    edges = []
    for node in below:
        (x0, y0), (x1, y1) = _corner(nodes[node.parent]), _corner(node)
        path = f"M{x0 + _BOX} {y0 + _HEIGHT // 2}H{x1 - _GAP + _TURN}V{y1 + _HEIGHT // 2}H{x1}"
        edges.append(element("path", d=path, stroke_dasharray="3 3" if node.kind == "removed" else None))
    return element(
        "svg",
        element("g", *edges, **_LINES),
        *map(_branch, below),
        *(_box(drawing, node, node.id in tests, fills) for node in nodes.values()),
        role="img",
        aria_label=drawing.description,
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        fill="currentColor",
        font_size="13",
    )


def _aligned(nodes: tuple[TreeNode, ...]) -> dict[int, TreeNode]:
    """Return the nodes by number; in a tall tree tests are in the row of their first branch: the root is in sight."""
    rows = {node.id: node.position for node in nodes}
    is_tall = max(rows.values()) >= _TALL
    for node in sorted(nodes, key=lambda node: -node.depth) if is_tall else ():
        if node.parent >= 0:
            rows[node.parent] = min(rows[node.parent], rows[node.id])
    return {node.id: replace(node, position=rows[node.id]) for node in nodes}


def legend_html(classes: tuple[str, ...], base_rates: tuple[float, ...], shown_class: int | None) -> str:
    """Return the colour of each class that has one of its own, as an HTML list."""
    named: dict[tuple[str, float], str] = {}
    for label, fill in zip(classes, _fills(base_rates, shown_class), strict=True):
        named[fill] = "other classes" if fill[0] == _OTHERS else label
    marks = (
        element(
            "li", element("svg", _rect(0, 1, 10, 10, fill), width=10, height=12, aria_hidden="true"), " ", text(name)
        )
        for fill, name in named.items()
    )
    return element("ul", *marks, class_="legend")


def _fills(base_rates: tuple[float, ...], shown_class: int | None) -> list[tuple[str, float]]:
    """Return the colour and opacity of each class: of two the shown one is darker, of many the most frequent differ.

    Two classes need no colours, which a report has for models.
    """
    n_classes = len(base_rates)
    if n_classes == 2 and shown_class is not None:
        return [("currentColor", 0.7 if each == shown_class else 0.15) for each in range(2)]
    if n_classes <= len(_COLOURS):
        return [(colour, 1.0) for colour in _COLOURS[:n_classes]]
    frequent = sorted(range(n_classes), key=lambda each: -base_rates[each])[: len(_COLOURS) - 1]
    colours = dict(zip(sorted(frequent), _COLOURS, strict=False))
    return [(colours.get(each, _OTHERS), 1.0) for each in range(n_classes)]


def _box(drawing: TreeDrawing, node: TreeNode, has_branches: bool, fills: list[tuple[str, float]]) -> str:
    x, y = _corner(node)
    p = node.probabilities
    shown = drawing.shown_class if drawing.shown_class is not None else max(range(len(p)), key=p.__getitem__)
    label, share = drawing.classes[shown], percent(p[shown])
    full = [f"tests {node.split}"] * bool(node.split) + [node.rows]
    full += [f"{name}: {percent(p)}" for name, p in zip(drawing.classes, p, strict=True)][:20]
    frame = element(
        "rect",
        x=x,
        y=y,
        width=_BOX,
        height=_HEIGHT,
        rx=6,
        fill_opacity="0.05" if node.split else "0",
        stroke="currentColor",
        stroke_opacity="0.45",
        stroke_width=2 if node.kind == "both" else 1,
        stroke_dasharray="3 3" if node.kind == "removed" else None,
    )
    parts = [element("title", text(" · ".join(full))), frame]
    if node.kind == "removed":
        parts += [_text(x + _PAD, y + 24, f"removed · {node.rows}", small=True)]
    elif has_branches:
        parts += [_text(x + _PAD, y + 17, _cut(node.split, _SPLIT), bold=True, room=_room())]
        rest = f": {share} · {node.rows}"
        words = _cut(label, _letters_left(_SMALL, rest)) + rest
        parts += [_text(x + _PAD, y + 32, words, small=True, room=_room())]
    else:
        rest = f": {share}"
        n_letters = _letters_left(_BOLD, rest, node.rows)
        parts += [_text(x + _PAD, y + 17, _cut(label, n_letters) + rest, bold=True, room=_room(node.rows))]
        parts += [_text(x + _BOX - _PAD, y + 17, node.rows, small=True, anchor="end")]
        parts += _bar(x + _PAD, y + 25, node.probabilities, fills, drawing.shown_class)
    if node.n_hidden:  # beside a box at which the drawing stops, or below one with further branches
        note = f"+ {node.n_hidden:,} {'node' if node.n_hidden == 1 else 'nodes'}"
        place = (x + _PAD, y + _HEIGHT + 14, note) if has_branches else (x + _BOX + 8, y + 24, f"… {note}")
        parts.append(_text(*place, small=True))
    return element("g", *parts)


def _letters_left(pixels: float, rest: str, beside: str = "") -> int:
    """Return the number of letters of a size that fit in a line of a box, with what follows and what stands beside."""
    return max(3, int(_room(beside) / pixels) - len(rest))


def _room(beside: str = "") -> float:
    """Return the pixels of a line of a box, without what stands beside."""
    return _BOX - 2 * _PAD - (_SMALL * len(beside) + 8 if beside else 0)


def percent(share: float) -> str:
    """Return a share as a percentage of one decimal; what is not certain is never shown as 0 % or 100 %.

    Examples
    --------
    >>> percent(0.1234), percent(0.0001), percent(0.9999), percent(1.0)
    ('12.3%', '<0.1%', '>99.9%', '100.0%')
    """
    return "<0.1%" if 0 < share < 0.0005 else ">99.9%" if 0.9995 <= share < 1 else f"{share:.1%}"


def _bar(
    x: int, y: int, probabilities: tuple[float, ...], fills: list[tuple[str, float]], first: int | None
) -> Iterator[str]:
    """Yield a bar of the class probabilities; a class that is shown stands first, so that its bars start together."""
    shares: dict[tuple[str, float], float] = {}
    for each in sorted(range(len(fills)), key=lambda each: (each != first, fills[each][0] == _OTHERS)):
        shares[fills[each]] = shares.get(fills[each], 0.0) + probabilities[each]
    left, width = float(x), _BOX - 2 * _PAD
    for fill, share in shares.items():
        yield _rect(left, y, share * width, 8, fill)
        left += share * width


def _branch(node: TreeNode) -> str:
    x, y = _corner(node)
    first, second = _two_lines(node.branch, _BRANCH)
    left, middle = x - _GAP + _TURN + 5, y + _HEIGHT // 2
    room = _GAP - _TURN - 5
    lines = [
        _text(left, middle - 5, first, small=True, room=room),
        *([_text(left, middle + 14, second, small=True, room=room)] if second else []),
    ]
    return element("g", element("title", text(node.branch)), *lines)


def _corner(node: TreeNode) -> tuple[int, int]:
    x = _MARGIN + node.depth * (_BOX + _GAP)
    return x, _MARGIN + round(node.position * _ROW) + (_ROW - _HEIGHT) // 2


def _rect(x: float, y: float, width: float, height: float, fill: tuple[str, float]) -> str:
    size = {"x": f"{x:.4g}", "y": f"{y:.4g}", "width": f"{width:.4g}", "height": f"{height:.4g}"}
    return element("rect", **size, fill=fill[0], fill_opacity=f"{fill[1]:g}")


def _text(
    x: int, y: int, words: str, *, bold: bool = False, small: bool = False, anchor: str = "", room: float = inf
) -> str:
    is_long = _n_letters(words) * _WIDE * (_BOLD if bold else _SMALL) > room
    return element(
        "text",
        text(words),
        x=x,
        y=y,
        font_weight="600" if bold else None,
        font_size="11.5" if small else "12.5" if bold else None,
        text_anchor=anchor,
        textLength=f"{room:g}" if is_long else None,
        lengthAdjust="spacingAndGlyphs" if is_long else None,
    )


def _n_letters(words: str) -> int:
    """Return the number of letters; those of East Asian scripts count twice, as they are twice as wide."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in words)


def _two_lines(words: str, n_letters: int) -> tuple[str, str]:
    """Split a text into two lines: whole words above, as far as they fit, and the others below.

    Examples
    --------
    >>> _two_lines("≤ 30", 12), _two_lines("> 30 or missing", 12), _two_lines("north, south, east, west", 12)
    (('≤ 30', ''), ('> 30 or', 'missing'), ('north,', 'south, east…'))
    """
    if _cut(words, n_letters) == words or " " not in words[:n_letters]:
        return _cut(words, n_letters), ""
    first = words[: n_letters + 1].rpartition(" ")[0]
    return first, _cut(words[len(first) + 1 :], n_letters)


def _cut(words: str, n_letters: int) -> str:
    """Return the words that fit."""
    width, kept = 0, 0
    for letter in words:
        width += _n_letters(letter)
        kept += width < n_letters
    return words if width <= n_letters else words[:kept] + "…"


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
        n_nodes = "1 node is" if self.n_hidden == 1 else f"{self.n_hidden:,} nodes are"
        note = f"{n_nodes} not drawn, below boxes marked +: the drawing shows those that most rows reach."
        words = element("pre", escape(self.text), tabindex=0)
        return element(
            "figure",
            element("figcaption", element("strong", text(self.caption))),
            legend_html(self.classes, self.nodes[0].probabilities, self.shown_class),
            element("div", tree_svg(self), class_="tree", role="region", aria_label=self.caption, tabindex=0),
            element("p", text(note), class_="note") if self.n_hidden else "",
            element("details", element("summary", "The tree as text"), words) if self.text else "",
            class_="drawing",
        )
