"""A fitted tree for people: as text, as a graph, in a notebook, and as curtailment leaves it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sklearn.utils import estimator_html_repr

from calibrant._params import Choice, Int, Nothing, check_param
from calibrant.estimates import Curtailment
from calibrant.exceptions import ParameterError
from calibrant.trees._pruning.curtailed import CurtailedTree
from calibrant.trees._pruning.prune import extra_errors
from calibrant.trees._showing.graphviz import graphviz_text
from calibrant.trees._showing.html import tree_html
from calibrant.trees._showing.outline import Outline
from calibrant.trees._showing.text import c45_text, plain_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from calibrant.trees._reading.probability_tables import Reading
    from calibrant.trees._tree import Tree

__all__: list[str] = []


class _Showing:
    """The methods of a fitted tree that show it."""

    if TYPE_CHECKING:
        tree_: Tree
        prune: str | None
        dialect: str
        confidence: float
        _reading: Reading
        _check_fitted: Callable[[], None]

    def export_text(self, *, style: Literal["plain", "c45"] = "plain", max_depth: int | None = None) -> str:
        """Write the tree as text.

        Parameters
        ----------
        style : {"plain", "c45"}
            ``"c45"`` is what C4.5 prints: leaves with their weight N and errors E as ``(N/E)``, the errors estimated
            where its pessimistic pruning was used. ``"plain"`` gives the probability of the likeliest class; with a
            `Curtailment` it is the tree that this leaves, as in Zadrozny & Elkan's Figure 2: eliminated nodes stand
            behind a colon, and a node that answers for the rows that would have entered them is called a leaf too.
        max_depth : int, optional
            Where to stop; of the plain style only.

        Returns
        -------
        str
            One line a node.

        Examples
        --------
        >>> from calibrant.estimates import Curtailment
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4], [5]], ["a", "a", "b", "b", "b"])
        >>> print(model.export_text())
        x0 <= 2: a (p = 0.750, n = 2)
        x0 > 2: b (p = 0.800, n = 3)
        >>> print(model.with_estimate(Curtailment(v=3)).export_text())
        Curtailed: v = 3 leaves 2 of 3 nodes, depth 1 of 1
        all rows, also a leaf: b (p = 0.600, n = 5)
        : x0 <= 2 (n = 2)
        x0 > 2: b (p = 1.000, n = 3)
        """
        check_param("style", style, Choice("plain", "c45"))
        check_param("max_depth", max_depth, Int(1) | Nothing())
        self._check_fitted()
        return c45_text(self.tree_, self._c45_errors) if style == "c45" else plain_text(self._outline(), max_depth)

    def export_graphviz(self, *, max_depth: int | None = None) -> str:
        """Write the tree in the DOT language; ``graphviz.Source(text)`` draws it.

        With a `Curtailment` it is the tree that this leaves, drawn as in Zadrozny & Elkan's Figure 2: eliminated nodes
        are dotted, and a node that is a test for some rows and a leaf for others is grey.

        Parameters
        ----------
        max_depth : int, optional
            Where to stop.

        Returns
        -------
        str
            A directed graph.

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> model.export_graphviz().splitlines()[0]
        'digraph tree {'
        """
        check_param("max_depth", max_depth, Int(1) | Nothing())
        self._check_fitted()
        return graphviz_text(self._outline(), max_depth)

    def curtailed(self) -> CurtailedTree:
        """Give the tree that the estimate, a `Curtailment`, leaves: its size and depth, and which nodes answer.

        Returns
        -------
        CurtailedTree
            With ``n_nodes``, ``n_leaves`` and ``max_depth``; `export_text` and `export_graphviz` show it.

        Examples
        --------
        >>> from calibrant.estimates import Curtailment
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> model = ProbabilityTreeClassifier(estimate=Curtailment(v=3))
        >>> model.fit([[1], [2], [3], [4], [5]], ["a", "a", "b", "b", "b"]).curtailed()
        <CurtailedTree: v = 3 leaves 2 of 3 nodes, depth 1 of 1; 2 answer, 1 of them a test too>
        """
        self._check_fitted()
        estimate = self._reading.estimate
        if not isinstance(estimate, Curtailment):
            raise ParameterError(
                f"curtailed: the estimate must be a Curtailment; got {estimate!r}. "
                "Call with_estimate('curtailment').curtailed()."
            )
        return CurtailedTree(self.tree_, estimate)

    def _outline(self) -> Outline:
        curtailed = self.curtailed() if isinstance(self._reading.estimate, Curtailment) else None
        return Outline.of(self.tree_, self._reading.table, curtailed)

    def _c45_errors(self, node: int) -> float:
        n = float(self.tree_.weight[node])
        errors = n - float(self.tree_.counts[node, self.tree_.label[node]])
        is_estimated = self.prune == "pessimistic" and self.dialect == "c45" and n > 0
        return errors + (extra_errors(n, errors, self.confidence) if is_estimated else 0.0)

    def _html_repr(self) -> str:
        """Show the parameters as scikit-learn does and, once fitted, the top of the tree."""
        page: str = estimator_html_repr(self)
        return page + tree_html(self.tree_, self._reading.table) if "tree_" in self.__dict__ else page
