"""How much wider than that of independent rows the interval of a profit is (Kish 1965)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["earnings_design_effect"]

_SHARES = np.arange(1, 11) / 10.0  # of the rows that are selected


def earnings_design_effect(
    score: NDArray[np.float64],
    selected: NDArray[np.float64],
    left: NDArray[np.float64],
    weight: NDArray[np.float64],
    cluster: NDArray[np.intp],
    least: float = 1.0,
) -> float:
    """Return the weight of rows that counts as one independent row, the largest over the shares of selected rows.

    Examples
    --------
    >>> score, one = np.arange(100.0), np.ones(100)
    >>> round(earnings_design_effect(score, np.repeat([0.0, 1.0] * 5, 10), 0 * one, one, np.arange(100) // 10), 1)
    11.1
    """
    order = np.argsort(-score, kind="stable")
    rank = np.empty(len(score))
    rank[order] = np.cumsum(weight[order])
    n_clusters = int(cluster.max()) + 1
    found = [least]
    for share in _SHARES:
        earned = np.where(rank <= share * rank.max(), selected, left)
        away = earned - np.average(earned, weights=weight)
        alone = float((weight * away**2).sum())
        together = float((np.bincount(cluster, weight * away, n_clusters) ** 2).sum())
        if alone > 0.0 and n_clusters > 1:
            found.append(together / alone * n_clusters / (n_clusters - 1))
    return max(found)
