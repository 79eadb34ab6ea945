"""A fitted tree as sections: what it is, and the tree, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant._estimator_html import model_section
from calibrant._sections import Paragraph, Section
from calibrant.trees._export.drawing import tree_drawing, tree_size
from calibrant.trees._export.sklearn_tree import sklearn_outline

if TYPE_CHECKING:
    from calibrant._sections import TreeDrawing

__all__ = ["HOW_TO_READ", "draw_model", "tree_sections"]

HOW_TO_READ = (
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
    drawn = Section("tree", "The tree", (Paragraph(HOW_TO_READ, "note"), draw_model(model)), term="Decision tree")
    return about, drawn


def draw_model(model: Any, positive: object = None, fewest_rows: float = 0.0) -> TreeDrawing:
    """Return a fitted tree, ours or scikit-learn's, drawn; of two classes boxes show the positive, or the second.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> draw_model(model).shown_class, draw_model(model, "a").shown_class
    (1, 0)
    """
    from sklearn.tree import DecisionTreeClassifier  # imports half of scikit-learn: a fifth of a second

    labels = [str(label) for label in model.classes_]
    shown = labels.index(str(positive)) if str(positive) in labels else 1
    shown_class = shown if len(labels) == 2 else None
    if isinstance(model, DecisionTreeClassifier):
        return tree_drawing(sklearn_outline(model), None, shown_class, fewest_rows)
    return tree_drawing(model._outline(), model._grown_tree.examples.table.known_values, shown_class, fewest_rows)
