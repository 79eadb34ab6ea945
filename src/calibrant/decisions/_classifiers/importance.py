"""How much each training row matters to somebody who pays for errors (Ting 2002; Zadrozny, Langford & Abe 2003)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.decisions._costs.cost_matrix import CostMatrix
from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["class_costs", "copies_of", "in_proportion", "is_accepted"]


def class_costs(costs: CostMatrix) -> NDArray[np.float64]:
    """Give what errors on each class cost: the sum over the other classes, beyond what deciding right costs (Ting).

    For two classes these are the two kinds of error. Actions that are no classes are not looked at.

    Examples
    --------
    >>> class_costs(CostMatrix([[0, 1, 2], [3, 0, 4], [5, 5, 0]], labels="abc"))
    array([ 3.,  7., 10.])
    """
    actions, labels = list(costs.actions or ()), list(costs.labels or ())
    missing = [label for label in labels if label not in actions]
    if missing:
        raise ParameterError(f"costs: training by costs needs an action for every class; none is {missing[0]!r}.")
    own = costs.matrix[:, [actions.index(label) for label in labels]]
    beyond = own - np.diag(own)[:, None]
    total = np.asarray(beyond.sum(axis=1))
    if (beyond < 0).any() or not (total > 0).all():
        raise ParameterError(
            "costs: for training, no error may cost less than deciding right, and some error on each class must cost "
            f"more; got {costs.matrix.tolist()}."
        )
    return total


def in_proportion(importance: NDArray[np.float64], weight: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Scale what rows matter so that their weights sum to as much as before.

    Examples
    --------
    >>> in_proportion(np.array([1.0, 1.0, 4.0]), None)
    array([0.5, 0.5, 2. ])
    """
    share = np.ones(len(importance)) if weight is None else weight
    if (importance == importance[0]).all():
        return np.ones(len(importance))
    return np.asarray(importance * (share.sum() / (share * importance).sum()))


def copies_of(wanted: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw rows so that each is there as often as wanted, rounded up or down by chance, in the order they have.

    Examples
    --------
    >>> copies_of(np.array([1.0, 1.0, 2.0, 0.0]), np.random.default_rng(0))
    array([0, 1, 2, 2])
    """
    order = rng.permutation(len(wanted))
    ends = np.floor(np.cumsum(wanted[order]) + rng.random())
    times = np.empty(len(wanted), dtype=np.intp)
    times[order] = np.diff(ends, prepend=0.0)
    return np.repeat(np.arange(len(wanted)), times)


def is_accepted(importance: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw each row with the probability of its importance over the greatest: costing by rejection.

    Examples
    --------
    >>> is_accepted(np.array([3.0, 0.0, 3.0]), np.random.default_rng(0))
    array([0, 2])
    """
    return np.flatnonzero(rng.random(len(importance)) * importance.max() < importance)
