"""A numeric column as a normal distribution in each class, over units as wide as the mean gap between values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from calibrant.bayes._column import LOG_FLOOR, Batch, Dialect
from calibrant.bayes._normal_cells import LEAST_SD, log_cells_at, rough_cells
from calibrant.bayes._value_grid import Seen
from calibrant.bayes._weka import density_floor

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Gaussian"]


@dataclass(frozen=True)
class Gaussian:
    """The values seen, of which each class has a mean and a standard deviation."""

    seen: Seen
    dialect: Dialect

    def add(self, batch: Batch, place: int) -> Self:
        """See the values of a batch."""
        return replace(self, seen=self.seen.add(batch, place))

    @cached_property
    def moments(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Means and standard deviations of the classes, in places of the grid."""
        seen, n_classes = self.seen, self.seen.n_classes
        totals = np.bincount(seen.labels, seen.weights, n_classes)
        is_empty = totals == 0
        whole = np.average(seen.places, weights=seen.weights)
        means = np.bincount(seen.labels, seen.weights * seen.places, n_classes) / np.where(is_empty, 1, totals)
        means[is_empty] = whole
        squares = seen.weights * (seen.places - means[seen.labels]) ** 2
        variances = np.bincount(seen.labels, squares, n_classes) / np.where(is_empty, 1, totals)
        variances[is_empty] = np.average((seen.places - whole) ** 2, weights=seen.weights)
        return means, np.maximum(np.sqrt(variances), LEAST_SD)

    def log_likelihood(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Give the probability of the unit that each value lies in; 0 for infinite values too."""
        found = np.zeros((self.seen.n_classes, len(values)))
        if len(self.seen.values) == 0:
            return found
        places, is_lost = self.seen.places_of(values)
        for label, (mean, sd) in enumerate(zip(*self.moments, strict=True)):
            found[label] = self._log_cells(places, mean, sd)
        found[:, is_lost] = 0
        return found

    def _log_cells(self, places: NDArray[np.float64], mean: float, sd: float) -> NDArray[np.float64]:
        if self.dialect == "weka":
            return np.log(np.maximum(rough_cells(places - mean, sd), density_floor(self.seen.grid)))
        return np.maximum(log_cells_at(places, mean, sd), LOG_FLOOR)
