"""Lengths of codes in bits: what a theory costs, and what the data cost once it is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import total_ordering
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.special import gammaln, xlogy

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PROBABILITIES", "DescriptionLength", "Probabilities", "counts_bits"]

Probabilities = Literal["adaptive", "paid"]

PROBABILITIES: dict[str, str] = {
    "adaptive": "adaptive, each value by (its count so far + 1) / (all so far + values)",
    "paid": "frequencies, each free one paid for by half of log2 of the rows it is counted in",
}

_BIT = float(np.log(2.0))


@total_ordering
@dataclass(frozen=True, repr=False, eq=False)
class DescriptionLength:
    """The bits that a theory takes, and those of the data by it; the shorter of two is the better theory.

    Parameters
    ----------
    theory : float
        Bits of the theory.
    data : float
        Bits of the data, given the theory.
    coding : str
        How both are coded.
    parts : dict of str to float
        What the bits are spent on.

    Examples
    --------
    >>> length = DescriptionLength(3.0, 5.5, "yes or no", {"tests": 3.0})
    >>> length.total, float(length), length < DescriptionLength(4.0, 5.0, "yes or no")
    (8.5, 8.5, True)
    >>> length
    8.5 bits: the theory 3 (tests 3), the data by it 5.5. Coding: yes or no.
    """

    theory: float
    data: float
    coding: str
    parts: Mapping[str, float] = field(default_factory=dict)

    @property
    def total(self) -> float:
        """All bits."""
        return self.theory + self.data

    def __float__(self) -> float:
        return self.total

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DescriptionLength) and (self.theory, self.data) == (other.theory, other.data)

    def __lt__(self, other: DescriptionLength) -> bool:
        return self.total < other.total

    def __hash__(self) -> int:
        return hash((self.theory, self.data))

    def __repr__(self) -> str:
        spent = ", ".join(f"{name} {bits:.4g}" for name, bits in self.parts.items())
        theory = f"{self.theory:.4g} ({spent})" if spent else f"{self.theory:.4g}"
        return f"{self.total:.4g} bits: the theory {theory}, the data by it {self.data:.4g}. Coding: {self.coding}."


def counts_bits(counts: NDArray[np.float64], how: Probabilities) -> tuple[float, float]:
    """Give the bits of the probabilities and those of the values, where rows of counts have distributions of their own.

    Counts may be fractions; their factorials are gamma functions.

    Examples
    --------
    >>> [round(bits, 3) for bits in counts_bits(np.array([[3.0, 1.0]]), "adaptive")]
    [0.0, 4.322]
    >>> [round(bits, 3) for bits in counts_bits(np.array([[3.0, 1.0]]), "paid")]
    [1.0, 3.245]
    """
    totals, n_values = counts.sum(axis=1), counts.shape[1]
    if how == "paid":
        parameters = 0.5 * (n_values - 1) * np.log2(np.maximum(totals, 1.0)).sum()
        return float(parameters), float((xlogy(totals, totals).sum() - xlogy(counts, counts).sum()) / _BIT)
    orders = gammaln(totals + n_values) - gammaln(n_values) - gammaln(counts + 1.0).sum(axis=1)
    return 0.0, float(orders[totals > 0].sum() / _BIT)
