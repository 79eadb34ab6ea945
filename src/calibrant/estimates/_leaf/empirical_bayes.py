"""The strength of a Dirichlet prior by maximum likelihood of the class counts of the leaves (empirical Bayes)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import digamma, gammaln

__all__ = ["maximum_likelihood_m"]

_MIN_M = 0.01  # below it the estimates of any leaf are its frequencies
_STEP = 16.0  # of the grid that brackets the maximum; Brent's method refines it


class _Terms(NamedTuple):
    """Distinct counts, the prior of their class and their number; row totals as a class of prior 1, subtracted."""

    seen: NDArray[np.float64]
    prior: NDArray[np.float64]
    times: NDArray[np.float64]


def maximum_likelihood_m(leaves: NDArray[np.float64], prior: NDArray[np.float64]) -> float:
    """Return the m that maximizes the Dirichlet-multinomial likelihood of the class counts of leaves.

    The class probabilities of a leaf are modelled as a draw from a Dirichlet distribution with parameters m times the
    prior. The search covers 0.01 to 1,000 times the weight of all leaves: beyond that the estimates hardly change.

    Parameters
    ----------
    leaves : array of shape (n_leaves, n_classes)
        The weight of each class in each leaf.
    prior : array of shape (n_classes,)
        The mean of the Dirichlet distribution; a class with prior 0 is ignored.

    Returns
    -------
    float
        The maximum.

    Examples
    --------
    >>> round(maximum_likelihood_m(np.array([[9.0, 1], [5, 5], [2, 8]]), np.array([0.5, 0.5])), 3)
    3.271
    """
    terms = _terms(leaves, prior)
    greatest = max(1000.0 * float(np.sort(leaves, axis=None).sum()), 1.0)
    grid = np.append(_MIN_M * _STEP ** np.arange(np.log(greatest / _MIN_M) / np.log(_STEP)), greatest)
    best = int(np.argmax([_log_likelihood(m, terms) for m in grid]))
    low, high = np.log(grid[max(best - 1, 0)]), np.log(grid[min(best + 1, len(grid) - 1)])
    if _slope(low, terms) <= 0 or _slope(high, terms) >= 0:  # the maximum is at an end of the range
        return float(grid[best])
    return float(np.exp(brentq(_slope, low, high, args=(terms,), xtol=1e-13)))


def _log_likelihood(m: float, terms: _Terms) -> float:
    alpha = m * terms.prior
    return float((terms.times * (gammaln(terms.seen + alpha) - gammaln(alpha))).sum())


def _slope(log_m: float, terms: _Terms) -> float:
    alpha = np.exp(log_m) * terms.prior
    return float((terms.times * alpha * (digamma(terms.seen + alpha) - digamma(alpha))).sum())


def _terms(leaves: NDArray[np.float64], prior: NDArray[np.float64]) -> _Terms:
    """Group equal counts, sorted so that the order of the classes does not affect rounding."""
    is_positive = prior > 0
    known = leaves[:, is_positive]
    found = [_distinct(column) for column in [*known.T, np.sort(known, axis=1).sum(axis=1)]]
    shares, signs = np.append(prior[is_positive], 1.0), np.append(np.ones(int(is_positive.sum())), -1.0)
    sizes = [len(counts) for counts, _ in found]
    seen, prior = np.concatenate([counts for counts, _ in found]), np.repeat(shares, sizes)
    times = np.concatenate([times for _, times in found]) * np.repeat(signs, sizes)
    order = np.lexsort((times, prior, seen))
    return _Terms(seen[order], prior[order], times[order])


def _distinct(column: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    return np.unique(column[column > 0], return_counts=True)
