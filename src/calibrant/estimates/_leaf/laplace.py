"""Laplace's rule of succession (Provost & Domingos 2003, "Tree induction for probability-based ranking")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant.estimates._base import CountedTree
from calibrant.estimates._method_docs import METHOD_DOCS

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Laplace"]


@dataclass(frozen=True, slots=True)
class Laplace:
    """The share of each class after one more row of every class.

    For a single tree and balanced classes: a pure leaf of 5 rows has 0.86, one of 50 rows 0.98 (Chawla & Cieslak
    2006). It pulls towards 1/K, which is far too high for a rare class (Zadrozny & Elkan 2001, Tables 1 and 4, where
    it is little better than the frequencies): use `MEstimate` or `Curtailment` there. With many classes and small
    leaves the K added rows outweigh the actual ones: use `HierarchicalShrinkage` or `MEstimate`.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> Laplace().table(tree)
    array([[0.5 , 0.5 ],
           [0.75, 0.25],
           [0.25, 0.75]])
    """

    @fill_docstring(**METHOD_DOCS)
    def table(self, tree: CountedTree) -> NDArray[np.float64]:
        """Return (n_k + 1) / (w + K) at every node, K the number of classes.

        %(table_sections)s
        """
        n_classes = tree.counts.shape[1]
        return np.asarray((tree.counts + 1.0) / (tree.weight + n_classes)[:, np.newaxis])
