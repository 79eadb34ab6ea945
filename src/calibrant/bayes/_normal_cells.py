"""The probability of one unit of a grid under a normal distribution, near its mean and far out in its tails."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import log_ndtr, ndtr

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FAR", "LEAST_SD", "log_cells", "log_cells_at", "rough_cells"]

# As in Weka: three standard deviations on each side of a value fit within its own unit.
LEAST_SD = 1 / 6
# This many standard deviations away a unit has less than the floor, even with ten billion rows.
FAR = 20.0
_FARTHEST = 1e5  # distances beyond, in standard deviations, are clipped: far below the floor
_SMOOTH_SD = 430.0  # above, the expansion is exact to the last digits, and a difference of tails is not
_LOG_ROOT_TWO_PI = 0.5 * float(np.log(2 * np.pi))


def log_cells(distances: NDArray[np.float64], sd: float) -> NDArray[np.float64]:
    """Return the log-probability of the unit around each distance from the mean.

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


def log_cells_at(positions: NDArray[np.float64], mean: float, sd: float) -> NDArray[np.float64]:
    """Return the same for whole positions, by a table where they are many; beyond `FAR` some value below the floor.

    Examples
    --------
    >>> log_cells_at(np.array([3.0, 4.0]), 3.0, 1.0).round(6)
    array([-0.959916, -1.419932])
    """
    low, high = np.floor(mean - FAR * sd), np.ceil(mean + FAR * sd)
    if sd > _SMOOTH_SD or high - low > len(positions):
        return log_cells(positions - mean, sd)
    table = log_cells(np.arange(low, high + 1) - mean, sd)
    return np.asarray(table[np.clip(positions - low, 0, high - low).astype(np.intp)])


def rough_cells(distances: NDArray[np.float64], sd: float) -> NDArray[np.float64]:
    """Return the difference of the distribution function, as Weka does: 0 by cancellation far above the mean.

    Examples
    --------
    >>> rough_cells(np.array([-9.0, 9.0]), 1.0)
    array([9.47848537e-18, 0.00000000e+00])
    """
    return np.asarray(ndtr((distances + 0.5) / sd) - ndtr((distances - 0.5) / sd))


def _smooth_log_cells(distances: NDArray[np.float64], sd: float) -> NDArray[np.float64]:
    """Return the integral by its expansion in the width of a unit; a difference of tails would lose digits."""
    h2, z2 = 1 / sd**2, (distances / sd) ** 2
    correction = h2 * (z2 - 1) / 24 + h2**2 * (z2**2 - 6 * z2 + 3) / 1920
    return np.asarray(np.log1p(correction) - 0.5 * z2 - (np.log(sd) + _LOG_ROOT_TWO_PI))
