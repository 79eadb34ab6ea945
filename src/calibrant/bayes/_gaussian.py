"""A numeric column as a normal distribution in each class, over units as wide as the mean gap between values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr

from calibrant._saved import Array, need, saved
from calibrant.bayes._counts import LOG_FLOOR, Batch, Dialect
from calibrant.bayes._value_grid import FARTHEST_SAVED, CountedDistribution, ValueGrid
from calibrant.exceptions import NotSavedError

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


_LEAST_SAVED_SD = 1e-3  # on a grid a standard deviation has a sixth of a unit at least


@saved()
@dataclass(frozen=True)
class Gaussian(CountedDistribution):
    """The values so far, of which each class has a mean and a standard deviation."""

    @cached_property
    def moments(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Means and standard deviations of the classes, in units of the grid."""
        counts, n_classes = self.counts, self.counts.n_classes
        totals = np.bincount(counts.labels, counts.weights, n_classes)
        is_empty = totals == 0
        whole = np.average(counts.positions, weights=counts.weights)
        means = np.bincount(counts.labels, counts.weights * counts.positions, n_classes) / np.where(is_empty, 1, totals)
        means[is_empty] = whole
        squares = counts.weights * (counts.positions - means[counts.labels]) ** 2
        variances = np.bincount(counts.labels, squares, n_classes) / np.where(is_empty, 1, totals)
        variances[is_empty] = np.average((counts.positions - whole) ** 2, weights=counts.weights)
        return means, np.maximum(np.sqrt(variances), LEAST_SD)

    @cached_property
    def fitted(self) -> FittedGaussian:
        """The means and standard deviations, without the values."""
        return FittedGaussian(*self.moments, self.counts.grid, self.dialect)

    def log_likelihood(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return the log-probability of the grid unit of each value; 0 for missing and infinite values."""
        if len(self.counts.values) == 0:
            return np.zeros((self.counts.n_classes, len(values)))
        return self.fitted.log_likelihood(values)


@saved(
    means=Array("f8", finite=True, low=-FARTHEST_SAVED, high=FARTHEST_SAVED),
    sds=Array("f8", finite=True, low=_LEAST_SAVED_SD),
)
@dataclass(frozen=True)
class FittedGaussian:
    """The mean and the standard deviation of each class, without the values that they are of."""

    means: NDArray[np.float64]
    sds: NDArray[np.float64]
    grid: ValueGrid
    dialect: Dialect

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.means)

    def add(self, batch: Batch, column: int) -> Self:
        """Raise, because the values so far are not known."""
        name = batch.columns.schema.features[column].name
        raise NotSavedError(
            f"NaiveBayesClassifier was saved without its training rows, which partial_fit needs for the column "
            f"{name!r}. Save it with training_rows=True."
        )

    def log_likelihood(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return the log-probability of the grid unit of each value; 0 for missing and infinite values."""
        found = np.empty((len(self.means), len(values)))
        positions, is_missing = self.grid.positions_of(values)
        for label, (mean, sd) in enumerate(zip(self.means, self.sds, strict=True)):
            found[label] = self._log_cells(positions, mean, sd)
        found[:, is_missing] = 0
        return found

    def _log_cells(self, positions: NDArray[np.float64], mean: float, sd: float) -> NDArray[np.float64]:
        if self.dialect == "weka":
            return np.log(np.maximum(rough_cells(positions - mean, sd), density_floor(self.grid)))
        return np.maximum(log_cells_at(positions, mean, sd), LOG_FLOOR)

    def _check_saved(self) -> None:
        need(len(self.means) == len(self.sds) >= 1 and self.grid.step > 0, "has other means than deviations")


def density_floor(grid: ValueGrid) -> float:
    """Return the least probability of a unit: Weka bounds the density, so it depends on the unit."""
    return min(max(float(np.exp(LOG_FLOOR)) * grid.step, 1e-300), 1.0)
