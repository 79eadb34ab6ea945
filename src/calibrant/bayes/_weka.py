"""Deviations of Weka 3.9 from the exact computation: sums of kernels that stop early, and a floor of densities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.bayes._distribution import LOG_FLOOR
from calibrant.bayes._normal_cells import rough_cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.bayes._kernels import ColumnKernels
    from calibrant.bayes._value_grid import ValueGrid

__all__ = ["density_floor", "sum_until_small"]

_SMALL = 0.01  # Weka stops a sum where the rest is below this fraction of it


def density_floor(grid: ValueGrid) -> float:
    """Return the least probability of a unit: Weka bounds the density, so it depends on the unit."""
    return min(max(float(np.exp(LOG_FLOOR)) * grid.step, 1e-300), 1.0)


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
