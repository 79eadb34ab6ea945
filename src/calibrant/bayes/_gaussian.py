"""A numeric column as a normal distribution in each class, over units as wide as the mean gap between values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from calibrant._saved import Array, need, saved
from calibrant.bayes._distribution import LOG_FLOOR, Batch, Dialect
from calibrant.bayes._normal_cells import LEAST_SD, log_cells_at, rough_cells
from calibrant.bayes._value_grid import FARTHEST_SAVED, CountedDistribution, ValueGrid
from calibrant.bayes._weka import density_floor
from calibrant.exceptions import NotSavedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FittedGaussian", "Gaussian"]

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
        """What the prediction needs of the values."""
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
