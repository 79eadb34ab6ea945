"""How much each column of a tree takes off the impurity of the training rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._tree import Tree

__all__ = ["impurity_shares"]


def impurity_shares(tree: Tree, criterion: str) -> NDArray[np.float64]:
    """Give the share of each column in what the tests of a tree take off the impurity; all 0 for a leaf alone.

    The impurity is the Gini index or Kearns and Mansour's where the tree was grown by them, else the entropy.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier().fit([[5, 1], [7, 2], [6, 3], [7, 4]], ["a", "a", "b", "b"])
    >>> impurity_shares(model.tree_, "gain_ratio")
    array([0., 1.])
    """
    left = tree.weight * _impurity(tree.counts, tree.weight, criterion)
    taken = left.copy()
    np.subtract.at(taken, tree.parent[1:], left[1:])
    tests = np.flatnonzero(~tree.is_leaf)
    sums = np.bincount(tree.feature[tests], np.maximum(taken[tests], 0.0), tree.n_features)
    return np.asarray(sums / max(sums.sum(), np.finfo(float).tiny))


def _impurity(counts: NDArray[np.float64], weight: NDArray[np.float64], criterion: str) -> NDArray[np.float64]:
    shares = counts / np.maximum(weight, np.finfo(float).tiny)[:, np.newaxis]
    if criterion == "gini":
        return np.asarray(1 - (shares**2).sum(axis=1))
    if criterion in ("dkm", "dkm_ratio"):
        return np.asarray(np.sqrt(shares).sum(axis=1) ** 2 - 1)
    return np.asarray(-(shares * np.log2(np.maximum(shares, np.finfo(float).tiny))).sum(axis=1))
