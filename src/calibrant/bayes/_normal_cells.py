"""The probability that a normal distribution gives to one unit of a grid, near its mean and far out in its tails."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import log_ndtr, ndtr

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FAR", "LEAST_SD", "log_cells", "log_cells_at", "rough_cells"]

# At most three standard deviations on each side of a value within its own unit.
LEAST_SD = 1 / 6
# So many standard deviations away a unit has less than the floor, even if ten thousand million rows share it out.
FAR = 20.0
_FARTHEST = 1e5  # farther away is no different
_SMOOTH_SD = 430.0
_LOG_ROOT_TWO_PI = 0.5 * float(np.log(2 * np.pi))


def log_cells(distances: NDArray[np.float64], sd: float) -> NDArray[np.float64]:
    """Give the logarithm of the probability of the unit around each distance from the mean.

    Examples
    --------
    >>> log_cells(np.array([0.0, 1.0, -1.0, 60.0]), 1.0).round(6)
    array([-9.5991600e-01, -1.4199320e+00, -1.4199320e+00, -1.7751302e+03])
    """
    far = np.minimum(np.abs(distances), _FARTHEST * sd)
    if sd > _SMOOTH_SD:
        return _smooth_log_cells(far, sd)
    near_end, far_end = log_ndtr((0.5 - far) / sd), log_ndtr((-0.5 - far) / sd)
    return np.asarray(near_end + np.log1p(-np.exp(far_end - near_end)))


def log_cells_at(places: NDArray[np.float64], mean: float, sd: float) -> NDArray[np.float64]:
    """Give the same for whole places, by a table where they are many; beyond `FAR` some value below the floor.

    Examples
    --------
    >>> log_cells_at(np.array([3.0, 4.0]), 3.0, 1.0).round(6)
    array([-0.959916, -1.419932])
    """
    low, high = np.floor(mean - FAR * sd), np.ceil(mean + FAR * sd)
    if sd > _SMOOTH_SD or high - low > len(places):
        return log_cells(places - mean, sd)
    table = log_cells(np.arange(low, high + 1) - mean, sd)
    return np.asarray(table[np.clip(places - low, 0, high - low).astype(np.intp)])


def rough_cells(distances: NDArray[np.float64], sd: float) -> NDArray[np.float64]:
    """Give the difference of the distribution function, as Weka does: nothing is left of it far above the mean.

    Examples
    --------
    >>> rough_cells(np.array([-9.0, 9.0]), 1.0)
    array([9.47848537e-18, 0.00000000e+00])
    """
    return np.asarray(ndtr((distances + 0.5) / sd) - ndtr((distances - 0.5) / sd))


def _smooth_log_cells(distances: NDArray[np.float64], sd: float) -> NDArray[np.float64]:
    """Expand the integral about the density in the width of a unit; differences of tails would lose digits."""
    h2, z2 = 1 / sd**2, (distances / sd) ** 2
    more = h2 * (z2 - 1) / 24 + h2**2 * (z2**2 - 6 * z2 + 3) / 1920
    return np.asarray(np.log1p(more) - 0.5 * z2 - (np.log(sd) + _LOG_ROOT_TWO_PI))
