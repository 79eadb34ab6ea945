"""A numeric column as a sum of normal kernels in each class, one at every value (John & Langley 1995)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from calibrant.bayes._column import LOG_FLOOR, Batch, Dialect
from calibrant.bayes._kernels import Kernels
from calibrant.bayes._normal_cells import log_cells
from calibrant.bayes._value_grid import Seen
from calibrant.bayes._weka import density_floor, sum_until_small

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Kernel"]

_BLOCK = 2**22
# A step of a convolution takes so much less time than one of looking a pair up.
_CONVOLUTION_GAIN = 8


@dataclass(frozen=True)
class Kernel:
    """The values seen, at each of which stands a kernel of its class."""

    seen: Seen
    dialect: Dialect

    def add(self, batch: Batch, place: int) -> Self:
        """See the values of a batch."""
        return replace(self, seen=self.seen.add(batch, place))

    @cached_property
    def _kernels(self) -> list[Kernels]:
        return [Kernels(*self.seen.of_class(label)) for label in range(self.seen.n_classes)]

    def log_likelihood(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Give the mean probability, over the kernels, of the unit that each value lies in; 0 for infinite ones too."""
        found = np.zeros((self.seen.n_classes, len(values)))
        if len(self.seen.values) == 0:
            return found
        places, is_lost = self.seen.places_of(values)
        places, back = np.unique(places, return_inverse=True)
        add_up, floor = _sums, np.exp(LOG_FLOOR)
        if self.dialect == "weka":
            add_up, floor = sum_until_small, density_floor(self.seen.grid)
        for label, kernels in enumerate(self._kernels):
            sums = add_up(kernels, places) / kernels.weights.sum()
            found[label] = np.log(np.maximum(sums, floor))[back]
        found[:, is_lost] = 0
        return found


def _sums(kernels: Kernels, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add all kernels up at each place: pair by pair, or by a convolution of the grid where that is less work."""
    n_pairs = len(places) * len(kernels.places)
    if (kernels.span + 1) * (2 * kernels.reach + 1) < _CONVOLUTION_GAIN * n_pairs:
        return _convolved(kernels, places)
    sums = np.empty(len(places))
    step = max(1, _BLOCK // len(kernels.places))
    for start in range(0, len(places), step):
        distances = np.abs(places[start : start + step, None] - kernels.places)
        sums[start : start + step] = _heights(kernels, distances, n_pairs) @ kernels.weights
    return sums


def _heights(kernels: Kernels, distances: NDArray[np.float64], n_pairs: int) -> NDArray[np.float64]:
    """Look heights up, unless the table would be longer than the pairs are many."""
    if kernels.reach > n_pairs:
        return np.exp(log_cells(distances, kernels.sd))
    return np.asarray(kernels.heights[np.minimum(distances, kernels.reach).astype(np.intp)])


def _convolved(kernels: Kernels, places: NDArray[np.float64]) -> NDArray[np.float64]:
    low, heights = kernels.places[0], kernels.heights
    grid = np.bincount((kernels.places - low).astype(np.intp), kernels.weights)
    table = np.convolve(grid, np.concatenate((heights[:0:-1], heights)))
    return np.asarray(table[np.clip(places - low + kernels.reach, 0, len(table) - 1).astype(np.intp)])
