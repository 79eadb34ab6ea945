"""Posterior probabilities of the prunings of a tree (Buntine 1992, "Learning classification trees")."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import gammaln

from calibrant.estimates._base import CountedTree
from calibrant.estimates._path.paths import Levels
from calibrant.estimates._path.tree_priors import TREE_PRIORS

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["leaves_of_most_probable", "log_marginal", "reach_of_prunings"]

_AS_GOOD = math.log(0.999)  # a leaf may be this much less probable than the subtree, as in IND


def reach_of_prunings(tree: CountedTree, levels: Levels, *, alpha: float, prior: str) -> NDArray[np.float64]:
    """Return the posterior probability that a pruning of the tree keeps each node.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> reach_of_prunings(tree, Levels(tree), alpha=1.0, prior="flat").round(3)  # 1/9 to 1/30
    array([1.   , 0.769, 0.769])
    """
    leaf, as_test = _log_probabilities(tree, alpha, prior)
    either = levels.climb(leaf, lambda nodes, below: np.logaddexp(leaf[nodes], as_test[nodes] + below))
    is_test = -np.expm1(leaf - either)
    at_root = np.zeros_like(leaf)
    at_root[0] = 1.0
    return levels.descend(at_root, keep=is_test[levels.above])


def leaves_of_most_probable(tree: CountedTree, *, alpha: float = 1.0, prior: str = "wallace") -> NDArray[np.bool_]:
    """Return which nodes test nothing in the most probable pruning of the tree, those below them included or not.

    A leaf wins over a subtree that is up to 0.1 % more probable.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> leaves_of_most_probable(tree, prior="flat"), leaves_of_most_probable(tree, prior="wallace")
    (array([False,  True,  True]), array([ True,  True,  True]))
    """
    leaf, as_test = _log_probabilities(tree, alpha, prior)
    is_leaf = np.array(tree.is_leaf)

    def better(nodes: NDArray[np.intp], below: Any) -> NDArray[np.float64]:
        subtree = as_test[nodes] + below
        is_leaf[nodes] = leaf[nodes] - subtree > _AS_GOOD
        return np.asarray(np.maximum(leaf[nodes], subtree))

    Levels(tree).climb(leaf, better)
    return is_leaf


def log_marginal(tree: CountedTree, alpha: float) -> NDArray[np.float64]:
    """Return the log marginal likelihood of the classes of each node's rows, their prior Dirichlet.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> tree = SimpleNamespace(counts=np.array([[2.0, 2.0]]), weight=np.array([4.0]))
    >>> np.exp(-log_marginal(tree, 1.0)).round(9)  # 5! / (2! 2!)
    array([30.])
    """
    n_classes = tree.counts.shape[1]
    own = np.einsum("ij->i", gammaln(tree.counts + alpha)) - gammaln(tree.weight + n_classes * alpha)
    return np.asarray(own - (n_classes * gammaln(alpha) - gammaln(n_classes * alpha)))


def _log_probabilities(tree: CountedTree, alpha: float, prior: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the log-probability of each node as a leaf, classes included, and that of its test before the classes."""
    as_leaf, as_test = TREE_PRIORS[prior](tree)
    return as_leaf + log_marginal(tree, alpha), as_test + getattr(tree, "log_prior", 0.0)
