"""Laplace's rule of succession (Provost & Domingos 2003, "Tree induction for probability-based ranking")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant.estimates._base import CountedTree

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Laplace"]


@dataclass(frozen=True)
class Laplace:
    """The share of each class after one more row of every class.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> leaf = SimpleNamespace(counts=np.array([[3.0, 0.0]]), weight=np.array([3.0]))
    >>> Laplace().table(leaf)
    array([[0.8, 0.2]])
    """

    def table(self, tree: CountedTree) -> NDArray[np.float64]:
        """Give (n_k + 1) / (w + K) at every node, K the number of classes."""
        n_classes = tree.counts.shape[1]
        return np.asarray((tree.counts + 1.0) / (tree.weight + n_classes)[:, np.newaxis])
