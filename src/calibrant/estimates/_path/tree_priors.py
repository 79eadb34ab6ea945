"""Prior probabilities of a tree: of each node as a leaf and as a test."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from calibrant.estimates._base import CountedTree

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TREE_PRIORS", "flat", "wallace"]


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


TREE_PRIORS: dict[str, Callable[[CountedTree], tuple[NDArray[np.float64], NDArray[np.float64]]]] = {
    "flat": flat,
    "wallace": wallace,
}
