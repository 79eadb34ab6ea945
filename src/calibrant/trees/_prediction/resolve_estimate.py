"""The numbers that an estimate leaves open: chosen or fitted on held-out rows, or computed from the tree."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from calibrant.estimates import ChosenByCV, Estimate, FittedHeldOut, HeldOutLeaves, Resolvable
from calibrant.estimates._internal import with_classes
from calibrant.exceptions import CalibrantWarning
from calibrant.trees._prediction.probability_tables import probability_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._growing.grown_tree import GrownTree
    from calibrant.trees._tree import Tree
    from calibrant.trees._tree_params import ReadingParams

__all__ = ["log_loss_of", "resolve_estimate"]


def resolve_estimate(estimate: Estimate, grown: GrownTree, params: ReadingParams) -> Estimate:
    """Return the estimate with all its numbers: chosen by cross-validation, fitted, or computed from the tree.

    Examples
    --------
    >>> from calibrant.estimates import MEstimate
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier(random_state=0).fit([[i] for i in range(20)], [0] * 10 + [1] * 10)
    >>> resolve_estimate(MEstimate(m="cv"), model._grown_tree, model).m
    1.0
    """
    estimate = _best_candidate(with_classes(estimate, grown.tree.classes), grown, params)
    if isinstance(estimate, FittedHeldOut) and estimate.needs_held_out:
        estimate = estimate.fit_held_out(grown.folds)
    if isinstance(estimate, Resolvable):
        tree = grown.tree
        estimate = estimate.resolve(tree.counts[0], tree.counts[tree.is_leaf])
    return estimate


def _best_candidate(estimate: Estimate, grown: GrownTree, params: ReadingParams) -> Estimate:
    """Return the candidate with the least log-loss summed over the folds; the last, which is the smoothest, if tied."""
    candidates = estimate.candidates(grown.tree) if isinstance(estimate, ChosenByCV) else (estimate,)
    if len(candidates) == 1:
        return candidates[0]
    folds = grown.folds  # which may warn of the rows
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrantWarning)  # the chosen one will warn when it is resolved
        losses = [_loss(candidate, folds, params) for candidate in candidates]
    return candidates[len(losses) - 1 - int(np.argmin(losses[::-1]))]


def _loss(estimate: Estimate, folds: Sequence[HeldOutLeaves], params: ReadingParams) -> float:
    empty_leaf, dialect = params.empty_leaf, params.dialect
    return math.fsum(
        log_loss_of(probability_table(cast("Tree", fold.tree), estimate, empty_leaf=empty_leaf, dialect=dialect), fold)
        for fold in folds
    )


def log_loss_of(table: NDArray[np.float64], held_out: HeldOutLeaves) -> float:
    """Return the weighted sum of the log-loss of held-out rows, in nats; infinite where a probability is 0.

    Parameters
    ----------
    table : array of shape (n_nodes, n_classes)
        Probabilities at the nodes of the tree.
    held_out : HeldOutLeaves
        The rows.

    Returns
    -------
    float
        The sum; those of all folds add up, and divided by the total weight they are the mean.

    Examples
    --------
    >>> from calibrant.estimates import HeldOutLeaves
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> rows = HeldOutLeaves(tree, np.array([0, 1]), np.array([1, 2]), np.ones(2), np.array([0, 0]), np.ones(2))
    >>> round(log_loss_of(np.array([[0.5, 0.5], [0.8, 0.2], [0.4, 0.6]]), rows), 4)
    1.1394
    """
    counts = held_out.weight > 0
    with np.errstate(divide="ignore"):
        losses = 0.0 - np.log(np.minimum(held_out.probabilities(table)[counts], 1.0))
    return float((losses * held_out.weight[counts]).sum())
