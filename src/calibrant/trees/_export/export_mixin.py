"""The methods of a fitted tree that export it: as text, as a graph, in a notebook, and curtailed."""

from __future__ import annotations

from typing import Literal

from calibrant._estimator_html import SectionsReprMixin, model_section
from calibrant._params import Choice, Int, Nothing, check_param
from calibrant._sections import Paragraph, Section
from calibrant.estimates import Curtailment
from calibrant.exceptions import ParameterError
from calibrant.trees._export.drawing import HOW_TO_READ, draw_model, tree_size
from calibrant.trees._export.outline import CurtailedTree, Outline, all_conditions
from calibrant.trees._export.text import c45_text, graphviz_text
from calibrant.trees._growing.grow import extra_errors
from calibrant.trees._prediction.prediction_mixin import PredictionMixin


class ExportMixin(SectionsReprMixin, PredictionMixin):
    """Exports of a fitted tree."""

    def export_text(self, *, style: Literal["plain", "c45"] = "plain", max_depth: int | None = None) -> str:
        """Write the tree as text.

        Parameters
        ----------
        style : {"plain", "c45"}
            ``"c45"`` is the output of C4.5: leaves with their weight N and errors E as ``(N/E)``, the errors estimated
            where its pessimistic pruning was used. ``"plain"`` shows the probability of the most probable class;
            with a `Curtailment` it shows the curtailed tree, as in Zadrozny & Elkan's Figure 2: removed nodes are
            marked by a colon, and a node that predicts for the rows that would have entered them is also a leaf.
        max_depth : int, optional
            The number of levels to write; for the plain style only.

        Returns
        -------
        str
            One line for each node.

        Examples
        --------
        >>> from calibrant.estimates import Curtailment
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4], [5]], ["a", "a", "b", "b", "b"])
        >>> print(model.export_text())
        x0 <= 2: a (p = 0.750, n = 2)
        x0 > 2: b (p = 0.800, n = 3)
        >>> print(model.with_estimate(Curtailment(v=3)).export_text())
        Curtailed: v = 3 keeps 2 of 3 nodes, depth 1 of 1
        all rows, also a leaf: b (p = 0.600, n = 5)
        : x0 <= 2 (n = 2)
        x0 > 2: b (p = 1.000, n = 3)
        """
        check_param("style", style, Choice("plain", "c45"))
        check_param("max_depth", max_depth, Int(1) | Nothing())
        self._check_fitted()
        return c45_text(self.tree_, self._c45_errors) if style == "c45" else self._outline().text(max_depth)

    def export_graphviz(self, *, max_depth: int | None = None) -> str:
        """Write the tree in the DOT language; ``graphviz.Source(text)`` draws it.

        With a `Curtailment` it is the curtailed tree, drawn as in Zadrozny & Elkan's Figure 2: removed nodes
        are dotted, and a node that is a test for some rows and a leaf for others is grey.

        Parameters
        ----------
        max_depth : int, optional
            The number of levels to draw.

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
        """Return the tree as its estimate, a `Curtailment`, curtails it: its size and depth, and its leaves.

        Returns
        -------
        CurtailedTree
            With ``n_nodes``, ``n_leaves`` and ``max_depth``; `export_text` and `export_graphviz` show the same tree.

        Examples
        --------
        >>> from calibrant.estimates import Curtailment
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> model = ProbabilityTreeClassifier(estimate=Curtailment(v=3))
        >>> model.fit([[1], [2], [3], [4], [5]], ["a", "a", "b", "b", "b"]).curtailed()
        <CurtailedTree: v = 3 keeps 2 of 3 nodes, depth 1 of 1; 2 leaves, 1 of them also a test>
        """
        self._check_fitted()
        estimate = self._reading.estimate
        if not isinstance(estimate, Curtailment):
            raise ParameterError(
                f"curtailed: the estimate must be a Curtailment; got {estimate!r}. "
                "Call with_estimate('curtailment').curtailed()."
            )
        return CurtailedTree(self.tree_, estimate)

    def _short_conditions(self) -> list[str]:
        """Return the condition that leads to each node, its cuts with as few digits as separate the training values."""
        return all_conditions(self.tree_, self._grown_tree.examples.known_values)

    def _outline(self) -> Outline:
        curtailed = self.curtailed() if isinstance(self._reading.estimate, Curtailment) else None
        return Outline.of(self.tree_, self._reading.table, curtailed)

    def _c45_errors(self, node: int) -> float:
        n = float(self.tree_.weight[node])
        errors = n - float(self.tree_.counts[node, self.tree_.label[node]])
        is_estimated = self.prune == "pessimistic" and self.dialect == "c45" and n > 0
        return errors + (extra_errors(n, errors, self.confidence) if is_estimated else 0.0)

    def _sections(self) -> tuple[Section, ...]:
        """Return the fitted tree as sections, which notebooks, reports and web pages show."""
        facts = [
            ("size", tree_size(self.tree_)),
            ("training rows", f"{self.tree_.weight[0]:,.10g}"),
            ("probabilities by", str(self._reading.estimate)),
        ]
        about = model_section(self, facts, self.tree_.counts[0])
        drawn = Section("tree", "The tree", (Paragraph(HOW_TO_READ, "note"), draw_model(self)), term="Decision tree")
        return about, drawn
