"""Fitted ensembles as sections: a short summary of a forest, and of the rounds of boosting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from calibrant._estimator_html import model_section
from calibrant._sections import DataTable, Section, TableColumn

if TYPE_CHECKING:
    import numpy as np

    from calibrant.trees import Tree

_MOST_ROUNDS = 10
_STOPPED = {"perfect": "a member without errors ended it", "weak": "a member no better than chance ended it"}


def forest_sections(model: Any) -> tuple[Section, ...]:
    """Return a fitted forest as sections.

    Examples
    --------
    >>> from calibrant.ensembles import BaggedTreesClassifier
    >>> model = BaggedTreesClassifier(n_trees=5, random_state=0).fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> forest_sections(model)[0].blocks[1].pairs[1]
    ('trees', '5, of 1 to 3 nodes each')
    """
    weights: NDArray[np.float64] = model._forest.examples.class_weights
    facts = [("trees", _sizes(model.trees_)), ("training rows", f"{weights.sum():,.10g}")]
    return (model_section(model, facts, weights),)


def boosted_sections(model: Any) -> tuple[Section, ...]:
    """Return a fitted classifier of boosted members as sections.

    Examples
    --------
    >>> from calibrant.ensembles import BoostedStumpsClassifier
    >>> model = BoostedStumpsClassifier(n_trees=2).fit([[1], [2], [3], [4]], ["a", "b", "a", "b"])
    >>> [section.name for section in boosted_sections(model)]
    ['model', 'rounds']
    """
    n_rounds = len(model.estimator_weights_)
    stopped = f"; {_STOPPED[model.stopped_]}" if model.stopped_ is not None else ""
    facts = [("rounds", f"{n_rounds:,} of at most {model.n_trees:,}{stopped}")]
    facts += [("trees", _sizes(model.trees_))] if "trees_" in vars(model) else []
    return model_section(model, facts), Section("rounds", "Rounds of boosting", (_rounds_table(model, n_rounds),))


def _sizes(trees: Sequence[Tree]) -> str:
    sizes = [tree.n_nodes for tree in trees]
    low, high = min(sizes), max(sizes)
    of = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return f"{len(sizes):,}, of {of} {'node' if high == 1 else 'nodes'} each"


def _rounds_table(model: Any, n_rounds: int) -> DataTable:
    columns = TableColumn("round"), TableColumn("error", term="weighted"), TableColumn("weight", term="of its votes")
    shown = range(min(n_rounds, _MOST_ROUNDS))
    rows = tuple(
        (f"{each + 1}", f"{model.errors_[each]:.4f}", f"{model.estimator_weights_[each]:.4f}") for each in shown
    )
    note = f"The first {_MOST_ROUNDS} of {n_rounds:,} rounds." if n_rounds > _MOST_ROUNDS else ""
    return DataTable("Error of each member on the reweighted training rows", columns, rows, note=note)
