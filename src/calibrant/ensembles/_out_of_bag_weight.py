"""How much a row out of the bag counts beside one in it: Nielsen's alpha, a number, chosen, or one for each leaf.

Nielsen (2004, section 3.4.2) leaves its choice to future research. Here it is chosen among powers of two by the
log-loss of the out-of-bag probabilities, every row's own count taken away (those of class frequencies where an
estimate looks beyond the leaf). A leaf's own alpha makes its rows out of the
bag likeliest, each without itself; so few rows say little, and it is shrunk towards the chosen number on the scale of
logarithms: the leaf's rows out of the bag against `_STRENGTH`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant.ensembles._members import Members
from calibrant.ensembles._pooling import Binning, Pooling, Pools, added_counts, binned_trees, row_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Alpha", "choose_alpha", "probability_floor"]

_Pair = tuple["NDArray[np.float64]", "NDArray[np.float64]"]

_GRID = 2.0 ** np.arange(-3, 7)
_STRENGTH = 10.0


@dataclass(frozen=True)
class Alpha:
    """A settled alpha: one number, or for each bin its own, shrunk towards the number.

    Parameters
    ----------
    number : float
        The one number.
    by_bin : bool
        Whether each bin has its own.
    floor : float
        The least probability that the choice for a bin reckons with.

    Examples
    --------
    >>> few, many = np.array([[1.0, 0]]), np.array([[0.0, 40]])
    >>> Alpha(2.0).pool(Pools(few, many))
    array([[ 1., 80.]])
    >>> float(Alpha(2.0, by_bin=True, floor=0.005).of(Pools(few, many))[0, 0].round(1))  # the leaf was wrong
    32.0
    """

    number: float
    by_bin: bool = False
    floor: float = 0.005

    def pool(self, pools: Pools) -> NDArray[np.float64]:
        """Add up the counts in and out of the bag."""
        return np.asarray(pools.inside + self.of(pools) * pools.outside)

    def of(self, pools: Pools) -> NDArray[np.float64]:
        """Give the alpha of each bin as a column, or one for all."""
        if not self.by_bin:
            return np.array([[self.number]])
        rows = row_sums(pools.outside)
        best = np.log(_GRID)[_likelihoods(pools, self.floor).argmax(axis=0)]
        logs = (rows * best + _STRENGTH * np.log(self.number)) / (rows + _STRENGTH)
        return np.asarray(np.exp(logs)[:, np.newaxis])


def _likelihoods(pools: Pools, floor: float) -> NDArray[np.float64]:
    """Give for each alpha of the grid the log-likelihood of each bin's rows out of the bag, each without itself."""
    inside, outside = pools
    others = np.maximum(outside - 1.0, 0.0)
    n_others = row_sums(outside)[:, np.newaxis] - outside + others
    n_inside, found = row_sums(inside)[:, np.newaxis], np.empty((len(_GRID), len(inside)))
    for place, alpha in enumerate(_GRID):
        total = n_inside + alpha * n_others
        rate = np.divide(inside + alpha * others, total, out=np.zeros_like(inside), where=total > 0)
        found[place] = row_sums(outside * np.log(np.maximum(rate, floor)))
    return found


def probability_floor(class_weights: NDArray[np.float64]) -> float:
    """Give what replaces a probability of 0 in a log-loss (Nielsen 2004, footnote 9).

    Examples
    --------
    >>> probability_floor(np.array([98.0, 2])), probability_floor(np.array([999.0, 1]))
    (0.005, 0.0005)
    """
    rates = class_weights[class_weights > 0] / class_weights.sum()
    return min(0.005, 0.5 * float(rates.min()))


def choose_alpha(members: Members, binning: Binning, pooling: Pooling) -> Alpha:
    """Settle alpha: as told, or by the honest out-of-bag log-loss of a reading whose bins are given.

    Examples
    --------
    >>> choose_alpha(None, None, Pooling(weight=3.0))
    Alpha(number=3.0, by_bin=False, floor=0.005)
    """
    if not isinstance(pooling.weight, str):
        return Alpha(float(pooling.weight))
    if pooling.out_of_bag == "only":
        return Alpha(1.0)
    floor = probability_floor(members.class_weights)
    own = _own_class_rates(members, binning, pooling)
    weights = np.ones(members.n_rows) if members.weights is None else members.weights
    losses = -np.nansum(weights * np.log(np.maximum(own, floor)), axis=1)
    return Alpha(float(_GRID[losses.argmin()]), pooling.weight == "leaf", floor)


def _own_class_rates(members: Members, binning: Binning, pooling: Pooling) -> NDArray[np.float64]:
    """Give for each alpha of the grid the honest out-of-bag probability of each row's own class, NaN without one."""
    added = added_counts(pooling.estimate, members.class_weights)
    sums, n_trees = np.zeros((len(_GRID), members.n_rows)), np.zeros(members.n_rows)
    for binned in binned_trees(members, binning, pooling):
        left, (inside, outside) = binned.outside(members)
        entry, label = np.arange(len(left.row)), members.labels[left.row]
        own = inside[entry, label] + added[label], outside[entry, label]
        n_inside, n_outside = row_sums(inside), row_sums(outside)
        found = np.column_stack([_rate(own, (n_inside + added.sum(), n_outside), alpha) for alpha in _GRID])
        rows, values = left.by_row(found, n_inside + n_outside > 0)
        sums[:, rows] += values.T
        n_trees[rows] += 1.0
    return sums / np.where(n_trees > 0, n_trees, np.nan)


def _rate(own: _Pair, total: _Pair, alpha: float) -> NDArray[np.float64]:
    below = total[0] + alpha * total[1]
    below[below <= 0] = 1.0
    return np.asarray((own[0] + alpha * own[1]) / below)
