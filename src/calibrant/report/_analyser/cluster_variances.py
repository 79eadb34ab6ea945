"""Design effects of clustered rows on the interval of a profit, at any costs (Kish 1965)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SHARES = np.arange(11) / 10.0  # of the rows that are selected; between them variances are interpolated
_CELLS = ("tp", "fp", "fn", "tn")


@dataclass(frozen=True, eq=False)
class ClusterVariances:
    """Covariances of the numbers of rows in each cell, and of the parts by row, at shares of selected rows.

    Parameters
    ----------
    together : array of shape (n_shares, n_terms, n_terms)
        Sums of squares and products over clusters.
    alone : array of shape (n_shares, n_terms, n_terms)
        The same if rows were independent.
    least : float
        The least design effect.
    """

    together: NDArray[np.float64]
    alone: NDArray[np.float64]
    least: float

    def design_effect(self, cells: Mapping[str, float]) -> float:
        """Return the weight of rows that counts as one independent row, the largest over the shares."""
        terms = np.array([*(cells[name] for name in _CELLS), 1.0])[: self.alone.shape[1]]
        together, alone = (np.einsum("i,sij,j->s", terms, each, terms) for each in (self.together, self.alone))
        return float(max(self.least, (together[alone > 0] / alone[alone > 0]).max(initial=0.0)))

    def written(self) -> dict[str, Any]:
        """Return the covariances for the script, to seven digits."""
        together, alone = ([[float(f"{x:.7g}") for x in one.ravel()] for one in m] for m in (self.together, self.alone))
        return {"together": together, "alone": alone, "least": self.least}


def cluster_variances(
    score: NDArray[np.float64],
    is_positive: NDArray[np.bool_],
    weight: NDArray[np.float64],
    cluster: NDArray[np.intp],
    part: NDArray[np.float64] | None = None,
    least: float = 1.0,
    fewest: int = 0,
) -> ClusterVariances:
    """Compute the covariances of what is summed over the rows, by cluster and by row.

    At shares with fewer than `fewest` rows of a class beyond those of another share, they are those of a larger share:
    else their differences would show the parts and weights of single rows.

    Examples
    --------
    >>> label = np.repeat([False, True] * 5, 10)
    >>> found = cluster_variances(np.arange(100.0), label, np.ones(100), np.arange(100) // 10)
    >>> round(found.design_effect({"tp": 1.0, "fp": 0.0, "fn": 0.0, "tn": 0.0}), 1)
    11.1
    """
    order = np.argsort(-score, kind="stable")
    rank = np.empty(len(score))
    rank[order] = np.cumsum(weight[order])
    selected = _apart([rank <= share * rank[order[-1]] for share in _SHARES], is_positive, fewest)
    together, alone, n_clusters = [], [], int(cluster.max()) + 1
    for each in selected:
        # The terms of a profit by row: a column for each cell, and one for the part by row
        cells = [each & is_positive, each & ~is_positive, ~each & is_positive, ~each & ~is_positive]
        columns: list[NDArray[Any]] = cells if part is None else [*cells, each * part]
        terms = np.stack(columns, axis=1).astype(np.float64)
        away = terms - np.average(terms, axis=0, weights=weight)
        weighted = weight[:, np.newaxis] * away
        sums = np.stack([np.bincount(cluster, column, n_clusters) for column in weighted.T], axis=1)
        together.append(sums.T @ sums * (n_clusters / max(n_clusters - 1, 1)))
        alone.append(weighted.T @ away)
    return ClusterVariances(np.stack(together), np.stack(alone), least)


def _apart(selected: list[NDArray[np.bool_]], is_positive: NDArray[np.bool_], fewest: int) -> list[NDArray[np.bool_]]:
    """Select the rows of each share; those of the next share where it has too few rows of its own."""
    counts = [(int((each & is_positive).sum()), int((each & ~is_positive).sum())) for each in selected]
    kept = [0] * len(selected)
    last = kept[-1] = len(selected) - 1
    for place in range(last - 1, 0, -1):
        between = (*np.subtract(counts[last], counts[place]), *np.subtract(counts[place], counts[0]))
        last = place if min(between) >= fewest else last
        kept[place] = last
    return [selected[place] for place in kept]
