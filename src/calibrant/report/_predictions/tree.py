"""The models themselves: a tree is drawn, a blend or a forest is described."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from calibrant._repr import short_repr
from calibrant._sections import Block, Paragraph, Section
from calibrant.exceptions import ParameterError
from calibrant.report._predictions.report_data import FEWEST_ROWS, ReportData
from calibrant.trees import ProbabilityTreeClassifier
from calibrant.trees._internal import HOW_TO_READ, draw_model

_MOST_WRAPPERS = 10


def tree_section(data: ReportData) -> Section | None:
    """Return the trees, drawn, and what other models are made of; None where no model was passed."""
    if not data.model:
        return None
    for name, model in data.model.items():
        try:
            check_is_fitted(model)
        except (NotFittedError, TypeError) as error:
            given = short_repr(model)
            raise ParameterError(f"model must be a fitted classifier; for {name!r} got {given}.") from error
    parts = {name: shown_part(model) for name, model in data.model.items()}
    blocks = [block for name, part in parts.items() for block in _blocks(data, name, part)]
    if any(_is_tree(part) for part in parts.values()):
        blocks.insert(0, Paragraph(HOW_TO_READ, "note"))
        return Section("tree", "How does the model decide?", tuple(blocks), term="Decision tree")
    return Section("tree", "What is the model made of?", tuple(blocks), term="Fitted model")


def shown_part(model: Any) -> Any:
    """Return the fitted model inside a pipeline, a search, a calibrated or another wrapped classifier; or the model.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from calibrant.calibration import CalibratedClassifier
    >>> model = CalibratedClassifier(make_pipeline(ProbabilityTreeClassifier()), cv=2)
    >>> type(shown_part(model.fit([[1], [2], [3], [4]] * 5, ["a", "a", "b", "b"] * 5))).__name__
    'ProbabilityTreeClassifier'
    """
    part = model
    for _ in range(_MOST_WRAPPERS):
        inner = None if _is_tree(part) or hasattr(part, "_sections") else next(_inside(part), None)
        if inner is None:
            return part
        part = inner
    return part


def _inside(model: Any) -> Iterator[Any]:
    """Yield the fitted models that a model consists of, where they stand for it."""
    if isinstance(model, Pipeline):
        yield model[-1]
    for name in ("best_estimator_", "estimator_"):
        with suppress(NotFittedError, TypeError):  # forests of scikit-learn have one that is not fitted
            check_is_fitted(inner := getattr(model, name, None))
            yield inner
    if hasattr(model, "calibrators_"):  # of several folds the first
        yield from model.estimators_
    yield from (each.estimator for each in getattr(model, "calibrated_classifiers_", ()))


def _blocks(data: ReportData, name: str, part: Any) -> Iterator[Block]:
    kind = type(part).__name__
    if _is_tree(part):
        wrapped = part is not data.model[name]
        inside = f", inside a {type(data.model[name]).__name__}: probabilities are those of the tree" if wrapped else ""
        yield Paragraph(f"{name}: {kind}{inside}", "lead")
        yield draw_model(part, data.positive, 0.0 if data.rows else FEWEST_ROWS)
    elif hasattr(part, "_sections"):
        yield Paragraph(f"{name}: {kind}", "lead")
        yield from (block for each in part._sections() for block in each.blocks)
    else:
        yield Paragraph(f"{name}: {kind}. It is no single tree, so it is not drawn.", "lead")


def _is_tree(model: Any) -> bool:
    from sklearn.tree import DecisionTreeClassifier  # imports half of scikit-learn: a fifth of a second

    return isinstance(model, ProbabilityTreeClassifier | DecisionTreeClassifier)
