"""How rows in and out of the bag are counted together (Nielsen 2004, eq. 4 and 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from calibrant.estimates import Estimate, Frequency, Laplace, MEstimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Pooling", "added_counts", "is_local"]

_ENDLESS = 1e200  # an m without end, small enough to be divided by itself


@dataclass(frozen=True)
class Pooling:
    """How rows out of the bag count.

    Parameters
    ----------
    out_of_bag : "count" or "only"
        With the rows in the bag, or alone.
    in_bag_counts : "unique" or "multiplicity"
        Whether a row in the bag counts once, as in Nielsen's footnotes, or as often as it was drawn.
    weight : float, "auto" or "leaf"
        How much a row out of the bag counts beside one in it: a number, one number chosen by the log-loss of honest
        out-of-bag probabilities, or one for each leaf, shrunk towards that number.
    estimate : estimate
        What makes probabilities of the counts; the numbers that it leaves open must be settled beforehand.
    empty_leaf : "parent" or "majority"
        Whether a leaf without any row answers as the nearest node above with some, or gives 1 to the majority there.

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
    """Say whether an estimate sees the counts of one node only, and the base rates.

    Examples
    --------
    >>> from calibrant.estimates import MBranch
    >>> is_local(Laplace()), is_local(MBranch())
    (True, False)
    """
    return isinstance(estimate, Frequency | Laplace | MEstimate)


def added_counts(estimate: Estimate, class_weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give what a local estimate adds to the count of each class: it is the frequency after that.

    Examples
    --------
    >>> base = np.array([3.0, 1])
    >>> added_counts(Laplace(), base), added_counts(MEstimate(m=8), base), added_counts(Frequency(), base)
    (array([1., 1.]), array([6., 2.]), array([0., 0.]))
    """
    if isinstance(estimate, MEstimate):
        told = estimate.resolve(class_weights)
        return min(float(cast("float", told.m)), _ENDLESS) * np.asarray(told.prior, dtype=np.float64)
    return np.full(len(class_weights), 1.0 if isinstance(estimate, Laplace) else 0.0)
