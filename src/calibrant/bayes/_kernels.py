"""The kernels of one class: where they stand, how much they weigh, how wide and how high they are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from calibrant.bayes._normal_cells import FAR, LEAST_SD, log_cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Kernels"]


@dataclass(frozen=True)
class Kernels:
    """Places on the grid, ascending, and the weight of the kernel at each."""

    places: NDArray[np.float64]
    weights: NDArray[np.float64]

    @cached_property
    def sd(self) -> float:
        """The width of all: their range by the square root of the rows, and never more than their range."""
        return max(self.span / float(np.sqrt(max(self.weights.sum(), 1.0))), LEAST_SD)

    @property
    def span(self) -> float:
        """The range of the kernels."""
        return float(self.places[-1] - self.places[0])

    @property
    def reach(self) -> int:
        """The distance from which on a kernel has nothing."""
        return math.ceil(FAR * self.sd) + 1

    @cached_property
    def heights(self) -> NDArray[np.float64]:
        """The probability that a kernel gives to the unit at each distance up to its reach."""
        return np.append(np.exp(log_cells(np.arange(float(self.reach)), self.sd)), 0.0)
