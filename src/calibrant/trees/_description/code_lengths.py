"""Code lengths in bits: those of a theory, and those of the data given the theory."""

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
    "paid": "frequencies, each free one at a cost of half of log2 of the rows it is counted in",
}

_BIT = float(np.log(2.0))  # a bit in nats


@total_ordering
@dataclass(frozen=True, repr=False, eq=False)
class DescriptionLength:
    """The bits of a theory and of the data given the theory; of two theories the one with the shorter total is better.

    Parameters
    ----------
    theory : float
        Bits of the theory.
    data : float
        Bits of the data given the theory.
    coding : str
        The codes of both, as text.
    parts : dict of str to float
        The bits of each part of the theory.

    Examples
    --------
    >>> length = DescriptionLength(3.0, 5.5, "yes or no", {"tests": 3.0})
    >>> length.total, float(length), length < DescriptionLength(4.0, 5.0, "yes or no")
    (8.5, 8.5, True)
    >>> length
    8.5 bits: theory 3 (tests 3), data given the theory 5.5. Coding: yes or no.
    """

    theory: float
    data: float
    coding: str
    parts: Mapping[str, float] = field(default_factory=dict)

    @property
    def total(self) -> float:
        """The bits of theory and data."""
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
        parts = ", ".join(f"{name} {bits:.4g}" for name, bits in self.parts.items())
        theory = f"{self.theory:.4g} ({parts})" if parts else f"{self.theory:.4g}"
        return f"{self.total:.4g} bits: theory {theory}, data given the theory {self.data:.4g}. Coding: {self.coding}."


def counts_bits(counts: NDArray[np.float64], how: Probabilities) -> tuple[float, float]:
    """Return the bits of the probabilities and those of the values; each row of counts has its own distribution.

    Counts may be fractions: their factorials are gamma functions.

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
