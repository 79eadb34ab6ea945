"""Rows that a tree was not grown from: what a classifier chooses and fits estimates by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from calibrant.estimates._base import CountedTree, Estimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FittedHeldOut", "HeldOut", "log_loss_of"]


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Rows held out, and where they end in a tree; a row with missing values ends in several leaves, in shares.

    Parameters
    ----------
    tree : CountedTree
        A tree grown without these rows.
    row, leaf, share : arrays of the same length
        Each says that a share of a row ends at a node; the shares of a row sum to 1.
    label : array of shape (n_rows,)
        The class of each row, a column of the tree's counts.
    weight : array of shape (n_rows,)
        How often each row counts.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> rows = HeldOut(tree, np.array([0, 1]), np.array([1, 2]), np.ones(2), np.array([0, 0]), np.ones(2))
    >>> rows.probabilities(np.array([[0.5, 0.5], [0.8, 0.2], [0.4, 0.6]]))
    array([0.8, 0.4])
    """

    tree: CountedTree
    row: NDArray[np.intp]
    leaf: NDArray[np.int32]
    share: NDArray[np.float64]
    label: NDArray[np.intp]
    weight: NDArray[np.float64]

    def probabilities(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the probability of each row's own class.

        Parameters
        ----------
        table : array of shape (n_nodes, n_classes)
            Probabilities at the nodes of the tree.

        Returns
        -------
        array of shape (n_rows,)
            The leaves' probabilities, averaged by the shares.
        """
        mixed = self.share * table[self.leaf, self.label[self.row]]
        return np.asarray(np.bincount(self.row, mixed, minlength=len(self.label)), dtype=np.float64)


@runtime_checkable
class FittedHeldOut(Estimate, Protocol):
    """An estimate that may have to be fitted on rows that the tree was not grown from.

    Examples
    --------
    >>> from calibrant.estimates import PathAverage
    >>> isinstance(PathAverage(), FittedHeldOut), PathAverage().needs_held_out
    (True, False)
    """

    @property
    def needs_held_out(self) -> bool:
        """Whether there are no probabilities before `fit_held_out`."""

    def fit_held_out(self, folds: Sequence[HeldOut]) -> Estimate:
        """Give the estimate that fits the rows held out in every fold of a cross-validation."""


def log_loss_of(table: NDArray[np.float64], held_out: HeldOut) -> float:
    """Give the log-loss of rows held out, in nats, summed over their weights; infinite where a probability is 0.

    Parameters
    ----------
    table : array of shape (n_nodes, n_classes)
        Probabilities at the nodes of the tree.
    held_out : HeldOut
        The rows.

    Returns
    -------
    float
        Sums of folds add up; divided by the weight of all rows they are the mean.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> rows = HeldOut(tree, np.array([0, 1]), np.array([1, 2]), np.ones(2), np.array([0, 0]), np.ones(2))
    >>> round(log_loss_of(np.array([[0.5, 0.5], [0.8, 0.2], [0.4, 0.6]]), rows), 4)
    1.1394
    """
    counts = held_out.weight > 0
    with np.errstate(divide="ignore"):
        losses = 0.0 - np.log(np.minimum(held_out.probabilities(table)[counts], 1.0))
    return float((losses * held_out.weight[counts]).sum())
