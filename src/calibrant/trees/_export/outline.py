"""The parts of a tree to draw: tests with their conditions, leaves, the nodes that curtailment removes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from calibrant.estimates import Curtailment
from calibrant.trees._tree import Tree, read_only

Values: TypeAlias = "Callable[[int], NDArray[np.float64] | None]"

_BAR = "|   "
# Deeper lines state their depth instead: else the text of a deep tree had quadratic length.
_MAX_BARS = 25
_DIGITS = ".10g"
_MOST_MICROSECONDS = 2.5e17  # since 1970, up to which dates have years of four digits


def conditions(tree: Tree, node: int, values: Values | None = None) -> list[str]:
    """Return the condition of each branch of a node: ``age <= 30``, ``town = Rome``, ``town in {Oslo, Rome}``.

    With the distinct training values of each column, a cut has as few digits as separate them. A branch that missing
    values go to says so.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([["a"], ["a"], ["b"], ["b"]], [0, 0, 1, 1]).tree_
    >>> conditions(tree, 0)
    ['x0 = a', 'x0 = b']
    """
    name = tree.schema.names[tree.feature[node]]
    if tree.is_numeric[node]:
        threshold = cut_text(tree, node, None if values is None else values(int(tree.feature[node])))
        return marked_missing(tree, node, [f"{name} <= {threshold}", f"{name} > {threshold}"])
    return marked_missing(tree, node, [_category_condition(name, found) for found in values_of_branches(tree, node)])


def cut_text(tree: Tree, node: int, values: NDArray[np.float64] | None = None, digits: str = _DIGITS) -> str:
    """Return the cut of a numeric test as text; of dates the date, with as much of the time as it needs.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> days = np.arange("2024-02-28", "2024-03-03", dtype="M8[D]")[:, np.newaxis]
    >>> cut_text(ProbabilityTreeClassifier().fit(days, [0, 0, 1, 1]).tree_, 0)
    '2024-02-29'
    """
    cut, features = float(tree.threshold[node]), getattr(tree.schema, "features", None)
    low, high = cut, float(np.nextafter(cut, np.inf))
    has_gap = values is not None and len(values) > 0 and bool(values[0] <= cut < values[-1])
    if values is not None and has_gap:
        above = int(np.searchsorted(values, cut, side="right"))
        low, high = float(values[above - 1]), float(values[above])
    if features is not None and features[tree.feature[node]].measure == "dates" and abs(cut) < _MOST_MICROSECONDS:
        return _date_text(cut, low, high)
    # Beyond 1e15 floats are sparser than decimals, and a cut outside the known values has no gap to be shortened in.
    return shortest_between(low, high, cut) if has_gap and abs(cut) < 1e15 else format(cut, digits)


def _date_text(cut: float, low: float, high: float) -> str:
    """Return the shortest date or time in [low, high), the gap between two values of its column."""
    moment = np.datetime64(round(cut), "us")
    units: tuple[tuple[Literal["D", "m", "s"], float], ...] = (("D", 86_400e6), ("m", 60e6), ("s", 1e6))
    for unit, step in units:
        for shown in (moment.astype(f"M8[{unit}]"), moment.astype(f"M8[{unit}]") + np.timedelta64(1, unit)):
            if low <= float(shown.astype(np.int64)) * step < high:
                return str(shown).replace("T", " ")
    return str(moment).replace("T", " ")


def marked_missing(tree: Tree, node: int, texts: list[str]) -> list[str]:
    """Return the conditions of a node's branches with the branch of missing values marked, where there is one.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier(missing="learned")
    >>> tree = model.fit([[1], [2], [3], [4], [None]], ["a", "a", "b", "b", "b"]).tree_
    >>> conditions(tree, 0)
    ['x0 <= 2', 'x0 > 2 or missing']
    """
    branch, name = int(tree.missing_branch[node]), tree.schema.names[tree.feature[node]]
    if branch < 0:
        return texts
    if tree.is_numeric[node] and math.isinf(tree.threshold[node]):
        return [f"{name} is known", f"{name} is missing"]
    marked = f"{texts[branch]} or missing" if texts[branch] else f"{name} is missing"
    return [*texts[:branch], marked, *texts[branch + 1 :]]


def _category_condition(name: str, values: list[str]) -> str:
    if len(values) < 2:
        return f"{name} = {values[0]}" if values else ""
    return f"{name} in {{{', '.join(values)}}}"


def values_of_branches(tree: Tree, node: int) -> list[list[str]]:
    """Return the categories of each branch of a nominal test, in the order of their codes."""
    categories = tree.schema.features[tree.feature[node]].categories
    branches = tree.branches_of(node)
    values: list[list[str]] = [[] for _ in range(int(tree.n_children[node]))]
    for code in np.flatnonzero(branches >= 0):
        values[branches[code]].append(str(categories[code]))
    return values


def shortest_between(low: float, high: float, near: float) -> str:
    """Return the number of fewest decimals in [low, high), the nearest to a number if there are several.

    Examples
    --------
    >>> shortest_between(2.4173, 2.52, 2.4173), shortest_between(1234.5, 1300, 1234.5), shortest_between(3, 4, 3)
    ('2.5', '1235', '3')
    """
    for decimals in range(18):
        scale = 10.0**decimals
        # The rounded number first, as it is nearest; it may lie outside a
        # narrow gap where one of its neighbours does not.
        found = [whole / scale for whole in (round(near * scale), math.floor(near * scale), math.ceil(near * scale))]
        inside = [number for number in found if low <= number < high]
        if inside:
            return f"{inside[0]:.{decimals}f}"
    return format(near, _DIGITS)


def all_conditions(tree: Tree, values: Values | None = None) -> list[str]:
    """Return the condition that leads to each node from its parent; empty for the root."""
    texts = [""] * tree.n_nodes
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        for child, condition in zip(tree.children_of(node), conditions(tree, node, values), strict=True):
            texts[child] = condition
    return texts


@dataclass(frozen=True, eq=False, repr=False)
class CurtailedTree:
    """The part of a tree that remains when no node of less than v training weight is entered.

    A node whose children are all entered is a test, one with no child entered is a leaf, and one with some children
    entered is both: a test for some rows, a leaf for others. Pruning, in contrast, removes the children of a node
    together.

    Parameters
    ----------
    tree : Tree
        The grown tree.
    estimate : Curtailment
        The estimate that curtails it.

    Examples
    --------
    >>> from calibrant.estimates import Curtailment
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier(estimate=Curtailment(v=3))
    >>> curtailed = model.fit([[1], [2], [3], [4], [5]], ["a", "a", "b", "b", "b"]).curtailed()
    >>> curtailed
    <CurtailedTree: v = 3 keeps 2 of 3 nodes, depth 1 of 1; 2 leaves, 1 of them also a test>
    >>> curtailed.is_kept, curtailed.answers, curtailed.is_eliminated
    (array([ True, False,  True]), array([ True, False,  True]), array([False,  True, False]))
    """

    tree: Tree
    estimate: Curtailment

    def __post_init__(self) -> None:
        leaves = self.tree.counts[self.tree.is_leaf]
        object.__setattr__(self, "estimate", self.estimate.resolve(self.tree.counts[0], leaves))

    @property
    def n_nodes(self) -> int:
        """Number of nodes that remain."""
        return int(self.is_kept.sum())

    @property
    def n_leaves(self) -> int:
        """Number of nodes that predict for some rows, including those that are also tests."""
        return int(self.answers.sum())

    @property
    def max_depth(self) -> int:
        """Number of tests on the longest path that remains."""
        return int(self.tree.depth[self.is_kept].max())

    @cached_property
    def is_kept(self) -> NDArray[np.bool_]:
        """Whether each node of the grown tree remains."""
        return read_only(self.estimate.answering(self.tree) == np.arange(self.tree.n_nodes))

    @cached_property
    def is_eliminated(self) -> NDArray[np.bool_]:
        """Whether each node is one that rows stop before: removed, but below a node that remains."""
        return read_only(~self.is_kept & self.is_kept[self.tree.parent])

    @cached_property
    def is_test(self) -> NDArray[np.bool_]:
        """Whether each node remains and has a child that does."""
        return read_only(self._has_child(self.is_kept))

    @cached_property
    def answers(self) -> NDArray[np.bool_]:
        """Whether each node remains and predicts for some rows."""
        return read_only((self.is_kept & self.tree.is_leaf) | self._has_child(self.is_eliminated))

    def __repr__(self) -> str:
        both = int((self.answers & self.is_test).sum())
        return f"<CurtailedTree: {self.summary}; {self.n_leaves:,} leaves, {both:,} of them also a test>"

    @property
    def summary(self) -> str:
        """Its size compared with that of the grown tree, as text."""
        kept, depth, v = self.n_nodes, self.max_depth, self.estimate.v
        return f"v = {v:.6g} keeps {kept:,} of {self.tree.n_nodes:,} nodes, depth {depth:,} of {self.tree.max_depth:,}"

    def _has_child(self, is_child: NDArray[np.bool_]) -> NDArray[np.bool_]:
        found = np.zeros(self.tree.n_nodes, dtype=np.bool_)
        # The root has no parent: its -1 would mark the last node.
        found[self.tree.parent[1:][is_child[1:]]] = True
        return found


@dataclass(frozen=True, eq=False)
class Outline:
    """A tree as it is drawn, with the probabilities at its nodes; ``head`` is a title, if any."""

    tree: Tree
    table: NDArray[np.float64]
    is_test: NDArray[np.bool_]
    is_leaf: NDArray[np.bool_]
    is_eliminated: NDArray[np.bool_]
    head: str = ""

    @classmethod
    def of(cls, tree: Tree, table: NDArray[np.float64], curtailed: CurtailedTree | None = None) -> Outline:
        """Outline a whole tree, or what curtailment keeps of it.

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> Outline.of(model.tree_, model.tree_.counts / 2).is_leaf
        array([False,  True,  True])
        """
        if curtailed is None:
            return cls(tree, table, ~tree.is_leaf, tree.is_leaf, np.zeros(tree.n_nodes, dtype=np.bool_))
        head = f"Curtailed: {curtailed.summary}"
        return cls(tree, table, curtailed.is_test, curtailed.answers, curtailed.is_eliminated, head)

    @cached_property
    def conditions(self) -> list[str]:
        """The condition that leads to each node from its parent; empty for the root."""
        return all_conditions(self.tree)

    def is_drawn(self, max_depth: int | None = None) -> NDArray[np.bool_]:
        """Return a mask of the nodes down to a depth; below nodes that curtailment removes there are none."""
        is_shown = self.is_test | self.is_leaf | self.is_eliminated
        return is_shown if max_depth is None else np.asarray(is_shown & (self.tree.depth <= max_depth))

    def has_branches(self, node: int) -> bool:
        """Return whether anything is drawn below a node."""
        return not (self.tree.is_leaf[node] or self.is_eliminated[node])

    def top_class(self, node: int) -> tuple[str, float]:
        """Return the most probable class at a node, and its probability."""
        best = int(self.table[node].argmax())
        return str(self.tree.classes[best]), float(self.table[node, best])

    def text(self, max_depth: int | None = None) -> str:
        """Write one node a line: the condition, and at a leaf the most probable class, its probability, and the weight.

        A node that curtailment removes is marked by a colon. A node that is test and leaf is marked as such.

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> print(Outline.of(model.tree_, model.tree_.counts / 2).text())
        x0 <= 2: a (p = 1.000, n = 2)
        x0 > 2: b (p = 1.000, n = 2)
        """
        lines = [self.head] if self.head else []
        if self.is_leaf[0]:
            lines.append(self._line(0, "all rows") if self.is_test[0] else self._leaf(0))
        waiting = self._branches(0, 0)
        while waiting:
            node, depth, condition = waiting.pop()
            start = _BAR * depth if depth <= _MAX_BARS else f"{_BAR * _MAX_BARS}(+{depth - _MAX_BARS}) "
            is_last = max_depth is not None and depth + 1 >= max_depth
            line = f"{condition}: ..." if is_last and self.is_test[node] else self._line(node, condition)
            lines.append(start + line)
            waiting += [] if is_last else self._branches(node, depth + 1)
        return "\n".join(lines)

    def _line(self, node: int, condition: str) -> str:
        if self.is_eliminated[node]:
            return f": {condition} (n = {self.tree.weight[node]:.6g})"
        if not self.is_leaf[node]:
            return condition
        return f"{condition}{', also a leaf' if self.is_test[node] else ''}: {self._leaf(node)}"

    def _leaf(self, node: int) -> str:
        label, p = self.top_class(node)
        return f"{label} (p = {p:.3f}, n = {self.tree.weight[node]:.6g})"

    def _branches(self, node: int, depth: int) -> list[tuple[int, int, str]]:
        """Return the children of a node in the order of a stack, the first on top."""
        if not self.has_branches(node):
            return []
        pairs = zip(self.tree.children_of(node).tolist(), conditions(self.tree, node), strict=True)
        # Reversed, because the caller takes the last of its list first.
        return [(child, depth, condition) for child, condition in pairs][::-1]

    def positions(self, drawn: NDArray[np.bool_]) -> dict[int, tuple[float, int]]:
        """Return the column and depth of each node to draw: leaves side by side, tests centred above their children.

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> outline = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])._outline()
        >>> outline.positions(outline.is_drawn())
        {0: (0.5, 0), 1: (0.0, 1), 2: (1.0, 1)}
        """
        tree = self.tree
        positions: dict[int, tuple[float, int]] = {}
        n_columns, todo = 0, [(0, False)]
        while todo:
            node, is_done = todo.pop()
            children = [child for child in tree.children_of(node) if drawn[child]] if self.has_branches(node) else []
            if is_done:
                positions[node] = float(np.mean([positions[child][0] for child in children])), int(tree.depth[node])
            elif children:
                # A node is placed after its children, whose mean it stands above; a
                # stack, since deep trees exceed the recursion limit.
                todo += [(node, True), *((child, False) for child in reversed(children))]
            else:
                positions[node] = float(n_columns), int(tree.depth[node])
                n_columns += 1
        return {int(node): position for node, position in sorted(positions.items())}

    def leaves_below(self) -> list[int]:
        """Return the number of leaves below each node, itself not counted."""
        below = np.zeros(self.tree.n_nodes, dtype=np.intp)
        for node in range(self.tree.n_nodes - 1, 0, -1):  # in preorder children come after their parent
            below[self.tree.parent[node]] += below[node] + int(self.is_leaf[node])
        return [int(each) for each in below]


def sklearn_outline(model: Any, names: Sequence[str] | None = None) -> Outline:
    """Return a fitted DecisionTreeClassifier of one output as an outline.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> print(sklearn_outline(model, ["age"]).text())
    age <= 2.5: a (p = 1.000, n = 2)
    age > 2.5: b (p = 1.000, n = 2)
    """
    tree = model.tree_
    order, parent, depth = _preorder(tree.children_left, tree.children_right)
    number = np.empty(tree.node_count + 1, dtype=np.intp)
    # scikit-learn writes -1 for no child, which this last entry keeps as -1.
    number[order], number[-1] = np.arange(tree.node_count), -1
    default = getattr(model, "feature_names_in_", [f"x{j}" for j in range(model.n_features_in_)])
    feature = np.maximum(tree.feature, -1)[order]  # scikit-learn marks leaves by -2
    children = number[np.column_stack([tree.children_left, tree.children_right])[order]]
    # The arrays of a tree that outlines use, numbered in preorder, which scikit-learn's best-first trees are not
    nodes = SimpleNamespace(
        classes=model.classes_,
        schema=SimpleNamespace(names=tuple(map(str, default if names is None else names))),
        parent=parent,
        depth=depth,
        feature=feature,
        threshold=tree.threshold[order],
        weight=tree.weighted_n_node_samples[order],
        is_leaf=feature < 0,
        is_numeric=feature >= 0,
        missing_branch=np.full(len(order), -1),
        n_nodes=len(order),
        n_leaves=int((feature < 0).sum()),
        max_depth=int(depth.max()),
        children_of=lambda node: children[node] if feature[node] >= 0 else children[:0, 0],
    )
    # Counts or shares, by the version of scikit-learn: normalizing serves both.
    value = tree.value[order, 0, :]
    return Outline.of(cast("Tree", nodes), value / value.sum(axis=1, keepdims=True))


def _preorder(
    left: NDArray[np.intp], right: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return the nodes in preorder, and the parent (in that numbering) and the depth of each."""
    found: list[tuple[int, int, int]] = []
    waiting = [(0, -1, 0)]
    while waiting:
        node, parent, depth = waiting.pop()
        if left[node] >= 0:
            # The right child is pushed first, so that the left one is numbered first, as in our trees.
            waiting += [(int(child), len(found), depth + 1) for child in (right[node], left[node])]
        found.append((node, parent, depth))
    order, parents, depths = np.array(found, dtype=np.intp).T
    return order, parents, depths
