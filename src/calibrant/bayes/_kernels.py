"""A numeric column as a sum of normal kernels in each class, one at every value (John & Langley 1995)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._saved import saved
from calibrant.bayes._counts import LOG_FLOOR
from calibrant.bayes._gaussian import FAR, LEAST_SD, density_floor, log_cells, rough_cells
from calibrant.bayes._value_grid import CountedDistribution

_SMALL = 0.01  # Weka stops a sum where the rest is below this fraction of it


def sum_until_small(kernels: ColumnKernels, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of kernels from each position to the right, then to the left, each until the rest is small."""
    sums, used = np.zeros(len(positions)), np.zeros(len(positions))
    start = np.searchsorted(kernels.positions, positions)
    _walk(kernels, positions, start, 1, sums, used)
    _walk(kernels, positions, start - 1, -1, sums, used)
    return sums


def _walk(
    kernels: ColumnKernels,
    positions: NDArray[np.float64],
    start: NDArray[np.intp],
    step: int,
    sums: NDArray[np.float64],
    used: NDArray[np.float64],
) -> None:
    total = kernels.weights.sum()
    at = start.copy()
    active = np.flatnonzero((at >= 0) & (at < len(kernels.positions)))
    while len(active):
        here = at[active]
        heights = rough_cells(kernels.positions[here] - positions[active], kernels.sd)
        sums[active] += heights * kernels.weights[here]
        used[active] += kernels.weights[here]
        at[active] += step
        continues = heights * (total - used[active]) >= _SMALL * sums[active]
        active = active[continues & (at[active] >= 0) & (at[active] < len(kernels.positions))]


_BLOCK = 2**22  # distances held in memory at once: 32 MiB
# A step of a convolution takes an eighth of the time of a lookup, by measurement; it decides which of the two is used.
_CONVOLUTION_GAIN = 8


@dataclass(frozen=True)
class ColumnKernels:
    """The kernels of one class: ascending positions on the grid, and the weight of the kernel at each."""

    positions: NDArray[np.float64]
    weights: NDArray[np.float64]

    @cached_property
    def sd(self) -> float:
        """The width of the kernels: their range divided by the square root of the rows (John & Langley 1995)."""
        return max(self.span / float(np.sqrt(max(self.weights.sum(), 1.0))), LEAST_SD)

    @property
    def span(self) -> float:
        """The range of the kernels."""
        return float(self.positions[-1] - self.positions[0])

    @property
    def reach(self) -> int:
        """The distance beyond which a kernel is 0."""
        return math.ceil(FAR * self.sd) + 1

    @cached_property
    def heights(self) -> NDArray[np.float64]:
        """The probability of the unit at each distance from a kernel, up to its reach."""
        return np.append(np.exp(log_cells(np.arange(float(self.reach)), self.sd)), 0.0)


@saved()
@dataclass(frozen=True)
class KernelDistribution(CountedDistribution):
    """The values so far, with a kernel of its class at each."""

    @cached_property
    def _kernels(self) -> list[ColumnKernels]:
        return [ColumnKernels(*self.counts.of_class(label)) for label in range(self.counts.n_classes)]

    def add_log_likelihood(self, values: NDArray[Any], joint: NDArray[np.float64]) -> None:
        """Add the log of the kernels' mean probability of each value's unit; 0 for missing and infinite ones."""
        if len(self.counts.values) == 0:
            return
        positions, is_missing = self.counts.grid.positions_of(values)
        positions, back = np.unique(positions, return_inverse=True)
        sum_kernels, floor = _sums, np.exp(LOG_FLOOR)
        if self.dialect == "weka":
            sum_kernels, floor = sum_until_small, density_floor(self.counts.grid)
        for label, kernels in enumerate(self._kernels):
            sums = sum_kernels(kernels, positions) / kernels.weights.sum()
            logs = np.log(np.maximum(sums, floor))[back]
            logs[is_missing] = 0
            joint[label] += logs


def _sums(kernels: ColumnKernels, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of all kernels at each position: pair by pair, or by a convolution where that is less work."""
    n_pairs = len(positions) * len(kernels.positions)
    if (kernels.span + 1) * (2 * kernels.reach + 1) < _CONVOLUTION_GAIN * n_pairs:
        return _convolved(kernels, positions)
    sums = np.empty(len(positions))
    step = max(1, _BLOCK // len(kernels.positions))
    for start in range(0, len(positions), step):
        distances = np.abs(positions[start : start + step, None] - kernels.positions)
        sums[start : start + step] = _heights(kernels, distances, n_pairs) @ kernels.weights
    return sums


def _heights(kernels: ColumnKernels, distances: NDArray[np.float64], n_pairs: int) -> NDArray[np.float64]:
    """Return the heights of kernels, from a table unless that would be longer than the number of pairs."""
    if kernels.reach > n_pairs:
        return np.exp(log_cells(distances, kernels.sd))
    return np.asarray(kernels.heights[np.minimum(distances, kernels.reach).astype(np.intp)])


def _convolved(kernels: ColumnKernels, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    low, heights = kernels.positions[0], kernels.heights
    grid = np.bincount((kernels.positions - low).astype(np.intp), kernels.weights)
    table = np.convolve(grid, np.concatenate((heights[:0:-1], heights)))
    return np.asarray(table[np.clip(positions - low + kernels.reach, 0, len(table) - 1).astype(np.intp)])
