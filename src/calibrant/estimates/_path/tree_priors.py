"""Prior probabilities of a tree: of each node as a leaf and as a test."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from calibrant.estimates._base import CountedTree
from calibrant.estimates._path.paths import Levels

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TREE_PRIORS", "flat", "wallace", "wallace_choices"]


def flat(tree: CountedTree) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the log-probabilities of leaf and test where all prunings are equally probable, not normalized.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> flat(SimpleNamespace(parent=np.array([-1, 0, 0])))[0]
    array([0., 0., 0.])
    """
    return np.zeros(len(tree.parent)), np.zeros(len(tree.parent))


def wallace(tree: CountedTree) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the log-probabilities of leaf and test by Wallace & Patrick (1993, "Coding decision trees").

    A node whose parent has a branches is a test with probability 1/a; the root is a leaf with probability 1/columns,
    or 1/2 where there is one column only.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> tree = SimpleNamespace(parent=np.array([-1, 0, 0, 0]), n_children=np.array([3, 0, 0, 0]), n_features=5)
    >>> np.exp(wallace(tree)).round(3)
    array([[0.2  , 0.667, 0.667, 0.667],
           [0.8  , 0.333, 0.333, 0.333]])
    """
    p_test = 1.0 / np.maximum(tree.n_children[np.maximum(tree.parent, 0)], 2)
    p_test[0] = 1.0 - 1.0 / max(tree.n_features, 2)
    return np.log1p(-p_test), np.log(p_test)


def wallace_choices(tree: CountedTree) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the log-probabilities of `wallace`, every column that a test could be of being equally probable.

    A nominal column with a branch for each category cannot be tested again below.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> tree = SimpleNamespace(parent=np.array([-1, 0, 0, 0]), n_children=np.array([3, 0, 0, 0]), n_features=5)
    >>> tree.depth, tree.n_values = np.array([0, 1, 1, 1]), np.array([3, 0, 0, 0])
    >>> np.exp(wallace_choices(tree)[1]).round(3)  # 0.8 / 5, 1/3 / 4
    array([0.16 , 0.083, 0.083, 0.083])
    """
    as_leaf, as_test = wallace(tree)
    levels = Levels(tree)
    is_used_up = (tree.n_values > 0) & (tree.n_children == tree.n_values)
    used_above = levels.descend(np.where(tree.parent < 0, 0.0, is_used_up[levels.above]))
    return as_leaf, as_test - np.log(np.maximum(tree.n_features - used_above, 1.0))


TREE_PRIORS: dict[str, Callable[[CountedTree], tuple[NDArray[np.float64], NDArray[np.float64]]]] = {
    "flat": flat,
    "wallace": wallace,
    "wallace_choices": wallace_choices,
}
