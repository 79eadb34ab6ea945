"""What Weka 3.9 does in its own way: sums of kernels that stop early, and a floor of densities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.bayes._column import LOG_FLOOR
from calibrant.bayes._normal_cells import rough_cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.bayes._kernels import Kernels
    from calibrant.bayes._value_grid import Grid

__all__ = ["density_floor", "sum_until_small"]

_SMALL = 0.01


def density_floor(grid: Grid) -> float:
    """Give the least probability of a unit: Weka's guard stands at a density, which depends on the unit."""
    return min(max(float(np.exp(LOG_FLOOR)) * grid.step, 1e-300), 1.0)


def sum_until_small(kernels: Kernels, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add kernels up from each place to the right, then to the left, until the rest of a side cannot matter much."""
    sums, used = np.zeros(len(places)), np.zeros(len(places))
    start = np.searchsorted(kernels.places, places)
    _walk(kernels, places, start, 1, sums, used)
    _walk(kernels, places, start - 1, -1, sums, used)
    return sums


def _walk(
    kernels: Kernels,
    places: NDArray[np.float64],
    start: NDArray[np.intp],
    step: int,
    sums: NDArray[np.float64],
    used: NDArray[np.float64],
) -> None:
    total = kernels.weights.sum()
    at = start.copy()
    active = np.flatnonzero((at >= 0) & (at < len(kernels.places)))
    while len(active):
        here = at[active]
        heights = rough_cells(kernels.places[here] - places[active], kernels.sd)
        sums[active] += heights * kernels.weights[here]
        used[active] += kernels.weights[here]
        at[active] += step
        goes_on = heights * (total - used[active]) >= _SMALL * sums[active]
        active = active[goes_on & (at[active] >= 0) & (at[active] < len(kernels.places))]
