"""Held-out rows of a tree, on which a classifier chooses and fits estimates."""

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
    """Held-out rows and the leaves where they end; a row with missing values ends in several leaves, with shares.

    Parameters
    ----------
    tree : CountedTree
        A tree grown without these rows.
    row, leaf, share : arrays of the same length
        Each entry is the share of a row that ends at a leaf; the shares of a row sum to 1.
    label : array of shape (n_rows,)
        The class of each row, a column of the tree's counts.
    weight : array of shape (n_rows,)
        The weight of each row.

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
        """Return the predicted probability of each row's actual class.

        Parameters
        ----------
        table : array of shape (n_nodes, n_classes)
            Probabilities at the nodes of the tree.

        Returns
        -------
        array of shape (n_rows,)
            The leaves' probabilities, averaged by share.
        """
        mixed = self.share * table[self.leaf, self.label[self.row]]
        return np.asarray(np.bincount(self.row, mixed, minlength=len(self.label)), dtype=np.float64)


@runtime_checkable
class FittedHeldOut(Estimate, Protocol):
    """An estimate that may have to be fitted on held-out rows.

    Examples
    --------
    >>> from calibrant.estimates import PathAverage
    >>> isinstance(PathAverage(), FittedHeldOut), PathAverage().needs_held_out
    (True, False)
    """

    @property
    def needs_held_out(self) -> bool:
        """Whether `fit_held_out` must be called before `table`."""

    def fit_held_out(self, folds: Sequence[HeldOut]) -> Estimate:
        """Return the estimate fitted to the held-out rows of every fold of a cross-validation."""


def log_loss_of(table: NDArray[np.float64], held_out: HeldOut) -> float:
    """Return the weighted sum of the log-loss of held-out rows, in nats; infinite where a probability is 0.

    Parameters
    ----------
    table : array of shape (n_nodes, n_classes)
        Probabilities at the nodes of the tree.
    held_out : HeldOut
        The rows.

    Returns
    -------
    float
        The sum; those of all folds add up, and divided by the total weight they are the mean.

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
