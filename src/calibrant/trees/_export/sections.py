"""A fitted tree as sections: what it is, and the tree, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant._estimator_html import model_section
from calibrant._sections import Paragraph, Section
from calibrant.trees._export.drawing import tree_drawing, tree_size

if TYPE_CHECKING:
    from calibrant._sections import TreeDrawing

__all__ = ["draw_model", "tree_sections"]

_HOW_TO_READ = (
    "Read from left to right: a row follows the branches that hold for it to a leaf, whose bar shows the probability "
    "of each class."
)


def tree_sections(model: Any) -> tuple[Section, ...]:
    """Return a fitted `ProbabilityTreeClassifier` as sections.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> [section.name for section in tree_sections(model)]
    ['model', 'tree']
    """
    facts = [
        ("size", tree_size(model.tree_)),
        ("training rows", f"{model.tree_.weight[0]:,.10g}"),
        ("probabilities by", str(model.estimate_)),
    ]
    about = model_section(model, facts, model.tree_.counts[0])
    drawn = Section("tree", "The tree", (Paragraph(_HOW_TO_READ, "note"), draw_model(model)), term="Decision tree")
    return about, drawn


def draw_model(model: Any, shown_class: int | None = None) -> TreeDrawing:
    """Return a fitted `ProbabilityTreeClassifier`, drawn; of two classes the boxes show the second by default."""
    if shown_class is None and len(model.classes_) == 2:
        shown_class = 1
    return tree_drawing(model._outline(), model._grown_tree.examples.table.values, shown_class)
