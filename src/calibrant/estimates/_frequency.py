"""The frequency of each class, unsmoothed: what C4.5 votes with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant.estimates._base import CountedTree

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Frequency"]


@dataclass(frozen=True)
class Frequency:
    """The share of each class among a node's training weight.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> leaf = SimpleNamespace(counts=np.array([[3.0, 0.0]]), weight=np.array([3.0]))
    >>> Frequency().table(leaf)
    array([[1., 0.]])
    """

    def table(self, tree: CountedTree) -> NDArray[np.float64]:
        """Give n_k / w at every node."""
        return tree.counts / np.where(tree.weight > 0, tree.weight, 1.0)[:, np.newaxis]
