"""Pruning a grown tree: pessimistic, by reduced error, cost-complexity, description length or probability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant import _core
from calibrant.estimates._internal import leaves_of_most_probable
from calibrant.exceptions import ParameterError
from calibrant.trees._growing.training_set import TrainingSet
from calibrant.trees._tree_params import CRITERIA, TreeParams

if TYPE_CHECKING:
    from calibrant.trees._growing.grow import RowSubsets

# Quinlan's table: the deviate is interpolated between these confidences (C4.5 Release 8, stats.c).
_CONFIDENCES = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
_DEVIATES = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)


def prune(tree: _core.Tree, examples: TrainingSet, subsets: RowSubsets, params: TreeParams) -> _core.Tree:
    """Collapse and prune a tree as the parameters specify."""
    if params.collapse:
        tree = _core.collapse_tree(tree)
    if params.prune == "pessimistic":
        tree = _prune_pessimistic(tree, examples, subsets, params)
    elif params.prune == "reduced_error":
        tree = _prune_reduced_error(tree, examples, subsets)
    elif params.prune == "cost_complexity":
        tree = _core.prune_cost_complexity(tree, float(params.ccp_alpha))
    elif params.prune == "mdl":
        tree = _core.prune_mdl(tree, examples.table.core)
    elif params.prune == "continuity":
        tree = _core.prune_continuity(tree)
    elif params.prune == "map":
        tree = _prune_to_most_probable(tree, examples, params)
    return tree


def deviate(confidence: float, dialect: str) -> float:
    """Return the normal deviate of a confidence: from Quinlan's table (C4.5) or exact (J48, at most 0.5).

    Examples
    --------
    >>> round(deviate(0.25, "c45"), 4), round(deviate(0.25, "j48"), 4)
    (0.6925, 0.6745)
    """
    if dialect == "c45":
        return float(np.interp(confidence, _CONFIDENCES, _DEVIATES))
    if confidence > 0.5:
        raise ParameterError(f"confidence must be a number in (0, 0.5] with dialect='j48'; got {confidence!r}.")
    from scipy.stats import norm

    return float(norm.isf(float(np.float32(confidence))))  # Weka keeps the confidence in single precision


def extra_errors(n: float, errors: float, confidence: float) -> float:
    """Return C4.5's pessimistic addition to the errors of a leaf of n cases (Release 8, stats.c).

    Examples
    --------
    >>> round(extra_errors(2, 0, 0.25), 3), round(extra_errors(10, 1, 0.25), 3)
    (1.0, 1.441)
    """
    return _core.extra_errors(n, errors, _options(confidence, "c45"))


def _options(confidence: float, dialect: str, *, raising: bool = True) -> _core.PessimisticOptions:
    options = _core.PessimisticOptions()
    options.confidence = float(confidence)
    options.z = deviate(confidence, dialect)
    options.raising = raising
    options.dialect = _core.Dialect[dialect]
    return options


def _prune_pessimistic(tree: _core.Tree, examples: TrainingSet, subsets: RowSubsets, params: TreeParams) -> _core.Tree:
    weights = examples.weights if subsets.grow is None else examples.weights_of(subsets.grow)
    options = _options(params.confidence, params.dialect, raising=bool(params.subtree_raising))
    return _core.prune_pessimistic(tree, examples.table.core, examples.labels, weights, options)


def _prune_to_most_probable(tree: _core.Tree, examples: TrainingSet, params: TreeParams) -> _core.Tree:
    """Prune to the most probable subtree by the prior of the criterion, Wallace's where it has none."""
    prior = CRITERIA[params.criterion].prior or "wallace"
    grown = examples.tree(tree)
    return _core.prune_marked(tree, leaves_of_most_probable(grown, prior=prior))


def _prune_reduced_error(tree: _core.Tree, examples: TrainingSet, subsets: RowSubsets) -> _core.Tree:
    if subsets.prune is None:
        raise AssertionError("reduced-error pruning sets rows aside")
    weights = examples.weights_of(subsets.prune)
    holdout = _core.count_rows(tree, examples.n_rows, examples.table.core, examples.labels, weights)
    return _core.prune_reduced_error(tree, holdout)
