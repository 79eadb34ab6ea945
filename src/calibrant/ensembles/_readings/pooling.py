"""The joint counts of rows in and out of the bag (Nielsen 2004, eq. 4 and 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from calibrant.estimates import Estimate, Frequency, Laplace, MEstimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Pooling", "added_counts", "is_local"]

_MAX_M = 1e200  # stands for an infinite m: its ratio to itself is finite


@dataclass(frozen=True)
class Pooling:
    """How out-of-bag rows count.

    Parameters
    ----------
    out_of_bag : "count" or "only"
        Together with the rows in the bag, or alone.
    in_bag_counts : "unique" or "multiplicity"
        Whether a row in the bag counts once, as in Nielsen's footnotes, or as often as it was drawn.
    weight : float, "auto" or "leaf"
        The weight of an out-of-bag row relative to one in the bag: a number, one chosen by the log-loss of honest
        out-of-bag probabilities, or one for each leaf, shrunk towards the chosen one.
    estimate : estimate
        What turns the counts into probabilities; it must have all its numbers.
    empty_leaf : "parent" or "majority"
        Whether a leaf without any row predicts as the nearest node above with some, or the majority there with
        probability 1.

    Examples
    --------
    >>> Pooling(weight=2.0)
    Pooling(out_of_bag='count', in_bag_counts='unique', weight=2.0, estimate=Frequency(), empty_leaf='parent')
    """

    out_of_bag: Literal["count", "only"] = "count"
    in_bag_counts: Literal["unique", "multiplicity"] = "unique"
    weight: float | Literal["auto", "leaf"] = 1.0
    estimate: Estimate = Frequency()  # noqa: RUF009 - it is frozen
    empty_leaf: Literal["parent", "majority"] = "parent"


def is_local(estimate: Estimate) -> bool:
    """Return whether an estimate uses only the counts of one node and the base rates.

    Examples
    --------
    >>> from calibrant.estimates import MBranch
    >>> is_local(Laplace()), is_local(MBranch())
    (True, False)
    """
    return isinstance(estimate, Frequency | Laplace | MEstimate)


def added_counts(estimate: Estimate, class_weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what a local estimate adds to the count of each class before it takes the frequency.

    Examples
    --------
    >>> base = np.array([3.0, 1])
    >>> added_counts(Laplace(), base), added_counts(MEstimate(m=8), base), added_counts(Frequency(), base)
    (array([1., 1.]), array([6., 2.]), array([0., 0.]))
    """
    if isinstance(estimate, MEstimate):
        resolved = estimate.resolve(class_weights)
        return min(float(cast("float", resolved.m)), _MAX_M) * np.asarray(resolved.prior, dtype=np.float64)
    return np.full(len(class_weights), float(estimate.alpha) if isinstance(estimate, Laplace) else 0.0)
