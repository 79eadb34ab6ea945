"""The number of an estimate that is chosen, or the weights that are fitted, on rows held out of growing."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from calibrant.estimates import ChosenByCV, Estimate, FittedHeldOut, HeldOut, Resolvable
from calibrant.estimates._internal import log_loss_of
from calibrant.exceptions import CalibrantWarning

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._growing.growth import Growth
    from calibrant.trees._tree import Tree

__all__ = ["in_numbers"]

TableOf = Callable[[Estimate, "Tree"], "NDArray[np.float64]"]


def in_numbers(estimate: Estimate, growth: Growth, table_of: TableOf) -> Estimate:
    """Give an estimate with nothing left open: chosen by cross-validation, fitted, or worked out from the tree.

    Examples
    --------
    >>> from calibrant.estimates import MEstimate
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier(random_state=0).fit([[i] for i in range(20)], [0] * 10 + [1] * 10)
    >>> in_numbers(MEstimate(m="cv"), model._growth, lambda estimate, tree: estimate.table(tree)).m
    1.0
    """
    estimate = _chosen(estimate, growth, table_of)
    if isinstance(estimate, FittedHeldOut) and estimate.needs_held_out:
        estimate = estimate.fit_held_out(growth.folds)
    if isinstance(estimate, Resolvable):
        tree = growth.tree
        estimate = estimate.resolve(tree.counts[0], tree.counts[tree.is_leaf])
    return estimate


def _chosen(estimate: Estimate, growth: Growth, table_of: TableOf) -> Estimate:
    """Give the candidate with the least log-loss on all folds together, of equals the smoothest, which is the last."""
    candidates = estimate.candidates(growth.tree) if isinstance(estimate, ChosenByCV) else (estimate,)
    if len(candidates) == 1:
        return candidates[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrantWarning)  # the one that is chosen gives its warnings once
        losses = [_loss(each, growth.folds, table_of) for each in candidates]
    return candidates[len(losses) - 1 - int(np.argmin(losses[::-1]))]


def _loss(estimate: Estimate, folds: Sequence[HeldOut], table_of: TableOf) -> float:
    return math.fsum(log_loss_of(table_of(estimate, cast("Tree", fold.tree)), fold) for fold in folds)
