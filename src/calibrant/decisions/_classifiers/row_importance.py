"""The importance of training rows by what errors on them cost (Ting 2002; Zadrozny, Langford & Abe 2003)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.decisions._costs.cost_matrix import CostMatrix
from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["accepted_rows", "class_costs", "normalized_importance", "resample_by_weight"]


def class_costs(costs: CostMatrix) -> NDArray[np.float64]:
    """Return the cost of errors on each class: summed over the other classes, net of the correct decision (Ting).

    For two classes these are the costs of the two kinds of error. Actions that are not classes are ignored.

    Examples
    --------
    >>> class_costs(CostMatrix([[0, 1, 2], [3, 0, 4], [5, 5, 0]], labels="abc"))
    array([ 3.,  7., 10.])
    """
    actions, labels = list(costs.actions or ()), list(costs.labels or ())
    missing = [label for label in labels if label not in actions]
    if missing:
        raise ParameterError(f"costs: training by costs needs an action for every class; {missing[0]!r} has none.")
    square = costs.matrix[:, [actions.index(label) for label in labels]]
    net = square - np.diag(square)[:, None]
    total = np.asarray(net.sum(axis=1))
    if (net < 0).any() or not (total > 0).all():
        raise ParameterError(
            "costs: for training, no error may cost less than the correct decision, and some error on each class must "
            f"cost more; got {costs.matrix.tolist()}."
        )
    return total


def normalized_importance(importance: NDArray[np.float64], weight: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return the importance of rows scaled so that the sum of all weights stays the same.

    Examples
    --------
    >>> normalized_importance(np.array([1.0, 1.0, 4.0]), None)
    array([0.5, 0.5, 2. ])
    """
    share = np.ones(len(importance)) if weight is None else weight
    if (importance == importance[0]).all():
        return np.ones(len(importance))
    return np.asarray(importance * (share.sum() / (share * importance).sum()))


def resample_by_weight(weight: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw rows so that each occurs as often as its weight, rounded up or down at random, in their order.

    Examples
    --------
    >>> resample_by_weight(np.array([1.0, 1.0, 2.0, 0.0]), np.random.default_rng(0))
    array([0, 1, 2, 2])
    """
    # One random offset on the cumulative weights (systematic sampling) keeps the total within 1 of its expectation.
    order = rng.permutation(len(weight))
    ends = np.floor(np.cumsum(weight[order]) + rng.random())
    times = np.empty(len(weight), dtype=np.intp)
    times[order] = np.diff(ends, prepend=0.0)
    return np.repeat(np.arange(len(weight)), times)


def accepted_rows(importance: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.intp]:
    """Accept each row with probability importance / greatest importance: costing by rejection sampling.

    Examples
    --------
    >>> accepted_rows(np.array([3.0, 0.0, 3.0]), np.random.default_rng(0))
    array([0, 2])
    """
    return np.flatnonzero(rng.random(len(importance)) * importance.max() < importance)
