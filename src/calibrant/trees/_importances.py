"""The decrease of impurity by the tests on each column of a tree or a forest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._tree import Tree

__all__ = ["impurity_importances"]


def impurity_importances(trees: Iterable[Tree], criterion: str) -> NDArray[np.float64]:
    """Return the decrease of impurity by the tests on each column, averaged over the trees, as shares of the total.

    The impurity is the Gini index for ``"gini"`` and ``"twoing"``, else the entropy.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1, 5], [2, 5], [3, 5], [4, 5]], ["a", "a", "b", "b"]).tree_
    >>> impurity_importances([tree], "entropy")
    array([1., 0.])
    """
    return _normalize(np.sum([_decreases(tree, criterion) for tree in trees], axis=0))


def _normalize(gains: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(gains / (gains.sum() or 1.0))


def _decreases(tree: Tree, criterion: str) -> NDArray[np.float64]:
    impurity = _gini(tree) if criterion in ("gini", "twoing") else _entropy(tree)
    gain = impurity.copy()
    np.subtract.at(gain, tree.parent[1:], impurity[1:])
    inner = ~tree.is_leaf
    gains = np.bincount(tree.feature[inner], np.maximum(gain[inner], 0.0), tree.n_features)
    return _normalize(gains.astype(np.float64))


def _entropy(tree: Tree) -> NDArray[np.float64]:
    return np.asarray(_x_log_x(tree.weight) - _x_log_x(tree.counts).sum(axis=1))


def _gini(tree: Tree) -> NDArray[np.float64]:
    return np.asarray(tree.weight - (tree.counts**2).sum(axis=1) / np.where(tree.weight > 0, tree.weight, 1.0))


def _x_log_x(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return x * np.log2(np.where(x > 0, x, 1.0))
