"""Fitted estimators in notebooks: sections instead of scikit-learn's diagram, which unfitted ones keep."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray
from sklearn import get_config
from sklearn.utils import estimator_html_repr

from calibrant._repr import short_repr
from calibrant._sections import Block, Definitions, Paragraph, Section, Share, Shares, sections_html

if TYPE_CHECKING:
    import numpy as np

_MOST_CLASSES = 12


class SectionsReprMixin:
    """Mixin of an estimator, before ``BaseEstimator``: a fitted one is shown by its sections."""

    def _sections(self) -> tuple[Section, ...]:
        """Return the fitted estimator as sections, which notebooks, reports and web pages show."""
        raise NotImplementedError

    def _html_repr(self) -> str:
        is_fitted = "classes_" in vars(self)
        return sections_html(self._sections()) if is_fitted else str(estimator_html_repr(self))

    # scikit-learn 1.6 does not call _html_repr, but shows the diagram in both

    def _repr_html_inner(self) -> str:
        return self._html_repr()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        html = {"text/html": self._html_repr()} if get_config()["display"] == "diagram" else {}
        return {"text/plain": repr(self), **html}


def model_section(
    estimator: Any,
    facts: Sequence[tuple[str, str]],
    class_weights: NDArray[np.float64] | None = None,
    summary: str = "",
) -> Section:
    """Return the section of an estimator: a summary (the first line of its documentation), parameters, facts, classes.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier(max_depth=1).fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> section = model_section(model, [("size", "3 nodes")])
    >>> section.title, section.blocks[1].pairs[:2]
    ('ProbabilityTreeClassifier', (('parameters', 'max_depth=1'), ('size', '3 nodes')))
    """
    summary = summary or (inspect.getdoc(type(estimator)) or "").partition("\n")[0]
    blocks: list[Block] = [Paragraph(summary)] if summary else []
    columns = f"{estimator.n_features_in_:,}"
    pairs = [("parameters", changed_parameters(estimator)), *facts, ("columns", columns)]
    if class_weights is None:
        classes = estimator.classes_
        more = f", … ({len(classes):,})" if len(classes) > _MOST_CLASSES else ""
        pairs.append(("classes", ", ".join(map(str, classes[:_MOST_CLASSES])) + more))
    blocks.append(Definitions(tuple(pairs)))
    if class_weights is not None:
        blocks.append(class_shares(estimator.classes_, class_weights))
    return Section("model", type(estimator).__name__, tuple(blocks))


def changed_parameters(estimator: Any) -> str:
    """Return the parameters that differ from their defaults as text.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> changed_parameters(ProbabilityTreeClassifier(min_leaf=20, prune=None))
    'min_leaf=20'
    """
    defaults = inspect.signature(type(estimator)).parameters
    changed = {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if name not in defaults or repr(value) != repr(defaults[name].default)
    }
    return ", ".join(f"{name}={short_repr(value)}" for name, value in changed.items()) or "all at their defaults"


def class_shares(classes: Sequence[Any] | NDArray[Any], weights: NDArray[np.float64]) -> Shares:
    """Return the training weight and the base rate of each class; of many classes those of the most frequent.

    Examples
    --------
    >>> import numpy as np
    >>> [part.text for part in class_shares(["a", "b"], np.array([30.0, 10.0])).parts]
    ['30 (75.0%)', '10 (25.0%)']
    """
    total = max(float(weights.sum()), 1e-300)
    shown = sorted(sorted(range(len(classes)), key=lambda each: -weights[each])[:_MOST_CLASSES])
    parts = tuple(
        Share(str(classes[each]), float(weights[each]) / total, f"{weights[each]:,.10g} ({weights[each] / total:.1%})")
        for each in shown
    )
    n_more = len(classes) - len(shown)
    note = f"… and {n_more:,} more {'class' if n_more == 1 else 'classes'}" if n_more else ""
    return Shares("Classes: training rows and base rates", parts, note)
