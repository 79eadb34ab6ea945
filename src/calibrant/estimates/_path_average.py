"""Averages over the nodes of a path: Buntine's, over all prunings of the tree, and Bahl's, fitted on held-out rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.special import gammaln

from calibrant._params import Choice, Real, Rule, check_params
from calibrant.estimates._base import CountedTree
from calibrant.estimates._paths import Levels, average_along_paths
from calibrant.estimates._tree_priors import TREE_PRIORS
from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PathAverage"]

_RULES: dict[str, Rule] = {
    "how": Choice("bayes", "interpolate"),
    "alpha": Real(0, closed="neither"),
    "prior": Choice(*TREE_PRIORS),
}


@dataclass(frozen=True, slots=True)
class PathAverage:
    """The estimates of all nodes on the path, weighted.

    ``"bayes"``: for a single tree, grown in full, of any number of classes; it needs nothing but the counts, and its
    trees predicted better than those of C4, CART and minimum encoding (Buntine 1992, "Learning classification trees").
    ``"interpolate"``: held-out rows tell how far nodes of each size can be trusted, which finds out tests that fit
    noise, in unbalanced data too; it costs a cross-validation. Zadrozny & Elkan (2001, section 2.3) warn of many fitted
    weights: here there is one for each power of 2 of the rows. Members of an ensemble need neither.

    Parameters
    ----------
    how : {"bayes", "interpolate"}
        Whether the weights are the posterior probabilities of the prunings of the tree, or those that make held-out
        rows likeliest (Bahl et al. 1989, deleted interpolation).
    alpha : float
        The rows of each class that every node has beforehand; of ``"bayes"``.
    prior : {"flat", "wallace"}
        The probability of a tree beforehand, of ``"bayes"``: all the same, or Wallace & Patrick's (1993), by which
        a node whose parent has a branches is split with probability 1/a, the root with 1 - 1/columns.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> PathAverage().table(tree).round(3)
    array([[0.5  , 0.5  ],
           [0.692, 0.308],
           [0.308, 0.692]])
    """

    how: Literal["bayes", "interpolate"] = "bayes"
    alpha: float = field(default=1.0, kw_only=True)
    prior: Literal["flat", "wallace"] = field(default="flat", kw_only=True)

    def __post_init__(self) -> None:
        check_params(self, _RULES)

    def table(self, tree: CountedTree) -> NDArray[np.float64]:
        """Give the average of (n + alpha) / (w + K alpha) over the path to every node.

        Parameters
        ----------
        tree : CountedTree
            A grown tree.

        Returns
        -------
        array of shape (n_nodes, n_classes)
            Probabilities.
        """
        if self.how == "interpolate":
            raise ParameterError(
                "PathAverage: how='interpolate' is fitted on held-out rows by a classifier; see there."
            )
        own = (tree.counts + self.alpha) / (tree.weight + tree.counts.shape[1] * self.alpha)[:, np.newaxis]
        levels = Levels(tree)
        return average_along_paths(levels, self._reach(tree, levels), own)

    def _reach(self, tree: CountedTree, levels: Levels) -> NDArray[np.float64]:
        """Give the posterior probability that a pruning of the tree keeps each node."""
        as_leaf, as_test = TREE_PRIORS[self.prior](tree)
        leaf = as_leaf + _log_marginal(tree, self.alpha)
        either = levels.climb(leaf, lambda nodes, below: np.logaddexp(leaf[nodes], as_test[nodes] + below))
        is_test = -np.expm1(leaf - either)
        at_root = np.zeros_like(leaf)
        at_root[0] = 1.0
        return levels.descend(at_root, keep=is_test[levels.above])


def _log_marginal(tree: CountedTree, alpha: float) -> NDArray[np.float64]:
    """Give the log-probability of the rows of each node, whatever its class probabilities are."""
    n_classes = tree.counts.shape[1]
    own = gammaln(tree.counts + alpha) @ np.ones(n_classes) - gammaln(tree.weight + n_classes * alpha)
    return np.asarray(own - (n_classes * gammaln(alpha) - gammaln(n_classes * alpha)))
