"""The weight of an out-of-bag row relative to one in the bag, Nielsen's alpha: a number, chosen, or one for each leaf.

Nielsen (2004, section 3.4.2) leaves its choice to future research. Here it is chosen among powers of two by the
log-loss of the honest out-of-bag probabilities (of class frequencies where an estimate uses more than the leaf). A
leaf's own alpha maximizes the likelihood of its out-of-bag rows, each without itself. These rows are few, so it is
shrunk towards the chosen number on the log scale, as if 10 more rows had supported that number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from calibrant import _core
from calibrant._exact_sums import ExactSums
from calibrant.ensembles._readings.forest_members import Members
from calibrant.ensembles._readings.pooling import Pooling, added_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._internal import Examples

__all__ = [
    "Alpha",
    "OwnClassRates",
    "best_alpha",
    "choose_alpha",
    "core_pooling",
    "fixed_alpha",
    "probability_floor",
    "sum_log_rates",
]

# From an out-of-bag row that hardly counts to one that outweighs the bag of a small leaf; powers of two trade
# resolution for the cost of evaluating each alpha on all rows.
_GRID = 2.0 ** np.arange(-3, 7)

# Returns the honest out-of-bag probability of each row's actual class for several alphas, rows x alphas.
OwnClassRates: TypeAlias = Callable[[_core.Pooling, list[float]], "NDArray[np.float64]"]


@dataclass(frozen=True)
class Alpha:
    """A chosen alpha: one number, or one for each bin, shrunk towards that number.

    Examples
    --------
    >>> Alpha(2.0)
    Alpha(number=2.0, by_bin=False, floor=0.005)
    """

    number: float
    by_bin: bool = False
    floor: float = 0.005  # the least probability in the likelihood that chooses the alpha of a bin


def core_pooling(members: Members | Examples, pooling: Pooling, alpha: Alpha) -> _core.Pooling:
    """Return the core's description of how counts become probabilities, by the class weights of all rows.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> pooling = core_pooling(SimpleNamespace(class_weights=np.ones(2)), Pooling(), Alpha(2.0, by_bin=True))
    >>> round(pooling.alpha_of(np.array([1.0, 0]), np.array([0.0, 40])), 1)  # the bag misled the leaf
    32.0
    """
    added = added_counts(pooling.estimate, members.class_weights).tolist()
    return _core.Pooling(pooling.out_of_bag == "only", alpha.number, alpha.by_bin, alpha.floor, added)


def probability_floor(class_weights: NDArray[np.float64]) -> float:
    """Return what replaces a probability of 0 in a log-loss (Nielsen 2004, footnote 9).

    Examples
    --------
    >>> probability_floor(np.array([98.0, 2])), probability_floor(np.array([999.0, 1]))
    (0.005, 0.0005)
    """
    rates = class_weights[class_weights > 0] / class_weights.sum()
    return min(0.005, 0.5 * float(rates.min()))


def choose_alpha(members: Members, own_class_rates: OwnClassRates, pooling: Pooling) -> Alpha:
    """Choose alpha: the number specified, or the best by the honest out-of-bag log-loss of a reading.

    Examples
    --------
    >>> choose_alpha(None, None, Pooling(weight=3.0))
    Alpha(number=3.0, by_bin=False, floor=0.005)
    """
    fixed = fixed_alpha(pooling)
    if fixed is not None:
        return fixed
    return best_alpha(sum_log_rates(members, own_class_rates, pooling), pooling, members.class_weights)


def fixed_alpha(pooling: Pooling) -> Alpha | None:
    """Return alpha where there is nothing to choose, or None.

    Examples
    --------
    >>> fixed_alpha(Pooling(weight="auto", out_of_bag="only")), fixed_alpha(Pooling(weight="auto"))
    (Alpha(number=1.0, by_bin=False, floor=0.005), None)
    """
    if not isinstance(pooling.weight, str):
        return Alpha(float(pooling.weight))
    return Alpha(1.0) if pooling.out_of_bag == "only" else None


def sum_log_rates(members: Members, own_class_rates: OwnClassRates, pooling: Pooling) -> ExactSums:
    """Return the log-likelihood of the rows for each alpha; exact, so that parts of the rows add up to that of all."""
    floor = probability_floor(members.class_weights)
    own = own_class_rates(core_pooling(members, pooling, Alpha(1.0)), _GRID.tolist())
    weights = np.ones(members.n_rows) if members.weights is None else members.weights
    return ExactSums(len(_GRID)).add(np.nan_to_num(weights[:, np.newaxis] * np.log(np.maximum(own, floor))))


def best_alpha(log_rates: ExactSums, pooling: Pooling, class_weights: NDArray[np.float64]) -> Alpha:
    """Return the alpha of the greatest log-likelihood, the least of equal ones.

    Examples
    --------
    >>> log_rates = ExactSums(10).add(-np.abs(np.arange(10.0) - 4)[np.newaxis])
    >>> best_alpha(log_rates, Pooling(weight="auto"), np.ones(2)).number
    2.0
    """
    number = float(_GRID[log_rates.totals().argmax()])
    return Alpha(number, pooling.weight == "leaf", probability_floor(class_weights))
