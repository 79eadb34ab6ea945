"""Intervals for class probabilities: quantiles of the Dirichlet posterior of a leaf, mixed over a row's leaves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibrant.data._internal import Rows
from calibrant.estimates import Curtailment, Estimate, Laplace, MBranch, MEstimate, as_estimate
from calibrant.estimates._internal import nearest_above
from calibrant.trees._prediction.tree_reading import leaf_shares
from calibrant.trees._tree import Tree

# The posterior of frequencies: Jeffreys' prior, since the estimate itself adds nothing.
_JEFFREYS = 0.5
# Beta distributions with parameters beyond these are points: at 0 or 1 below, at their mean above.
_MIN_PARAMETER, _MAX_PARAMETER = 1e-12, 1e15
_HALVINGS = 40  # 2**-40 is below any digit that an interval of a probability is read to
_BLOCK = 2**16  # leaves of rows at a time: temporary arrays of a few MB


def posterior(tree: Tree, estimate: Estimate) -> NDArray[np.float64]:
    """Return the Dirichlet parameters (columns: classes) of the posterior at every node (rows).

    Examples
    --------
    >>> from calibrant.estimates import Laplace
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"]).tree_
    >>> posterior(tree, Laplace())[1]
    array([3., 1.])
    """
    if isinstance(estimate, Curtailment):
        then = "frequency" if estimate.then is None else estimate.then
        at_node = posterior(tree, as_estimate("estimate", then))[estimate.answering(tree)]
    else:
        at_node = tree.counts + _prior(tree, estimate)
    return np.asarray(at_node[nearest_above(tree, tree.weight > 0)])


def _prior(tree: Tree, estimate: Estimate) -> NDArray[np.float64] | float:
    if isinstance(estimate, Laplace):
        return estimate.alpha
    if isinstance(estimate, MEstimate):
        resolved = estimate.resolve(tree.counts[0], tree.counts[tree.is_leaf])
        return min(float(resolved.m), _MAX_PARAMETER) * np.asarray(resolved.prior)  # type: ignore[arg-type]
    if isinstance(estimate, MBranch):  # the end of a path has m = M
        return estimate.table(tree) * (tree.weight + estimate.M)[:, np.newaxis] - tree.counts
    return _JEFFREYS


def intervals(tree: Tree, rows: Rows, estimate: Estimate, confidence: float, n_jobs: int | None) -> NDArray[np.float64]:
    """Return the lower and upper ends (rows x classes x 2) of equal-tailed intervals.

    Examples
    --------
    >>> from calibrant.estimates import Laplace
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"]).tree_
    >>> intervals(tree, (1, np.array([[np.nan]])), Laplace(), 0.5, 1).round(3)
    array([[[0.202, 0.798],
            [0.202, 0.798]]])
    """
    n_rows, columns = rows
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    parameters = np.clip(posterior(tree, estimate), _MIN_PARAMETER, _MAX_PARAMETER)
    ends = _quantiles(parameters, tails)
    row, leaf, share = leaf_shares(tree, n_rows, columns, n_jobs)
    first = np.flatnonzero(np.diff(row, prepend=-1))
    # Most rows end in one leaf, whose quantiles are computed once for all of them; only mixtures need a search.
    found = ends[leaf[first]]
    is_mixed = np.diff(first, append=len(row)) > 1
    several = np.flatnonzero(is_mixed[row])
    # Blocks end where a row begins, as the parts of one row are summed together.
    cuts = np.unique(np.searchsorted(row[several], row[several][_BLOCK::_BLOCK]))
    for block in filter(len, np.split(several, cuts)):
        mixed, position = np.unique(row[block], return_inverse=True)
        found[mixed] = _mixture_quantiles(parameters[leaf[block]], ends[leaf[block]], share[block], position, tails)
    return found


def _quantiles(parameters: NDArray[np.float64], tails: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.special import betaincinv  # slow to import

    others = np.maximum(parameters.sum(axis=1, keepdims=True) - parameters, _MIN_PARAMETER)
    return np.asarray(betaincinv(parameters[..., np.newaxis], others[..., np.newaxis], tails))


def _mixture_quantiles(
    parameters: NDArray[np.float64],
    ends: NDArray[np.float64],
    share: NDArray[np.float64],
    position: NDArray[np.intp],
    tails: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Find the quantiles of a row's mixture by bisection between those of its leaves."""
    from scipy.special import betainc

    first = np.flatnonzero(np.diff(position, prepend=-1))
    # A quantile of a mixture lies between the least and the greatest of its parts', so halving starts there.
    low, high = np.minimum.reduceat(ends, first), np.maximum.reduceat(ends, first)
    others = np.maximum(parameters.sum(axis=1, keepdims=True) - parameters, _MIN_PARAMETER)
    a, b = parameters[..., np.newaxis], others[..., np.newaxis]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = np.add.reduceat(share[:, np.newaxis, np.newaxis] * betainc(a, b, middle[position]), first)
        low, high = np.where(below < tails, middle, low), np.where(below < tails, high, middle)
    return np.asarray((low + high) / 2)
