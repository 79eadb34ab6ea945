"""The values of a numeric column with their weight in each class, and the grid of precision that they lie on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.data._internal import cell_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.bayes._column import Batch

__all__ = ["Grid", "Seen"]

_ONE_VALUE_STEP = 0.01
_FARTHEST = 1e300


@dataclass(frozen=True)
class Grid:
    """Numbers as places: whole multiples of ``step`` counted from ``origin``, so that one unit is the precision."""

    step: float
    origin: float

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Grid:
        """Make the grid of distinct, sorted values: its step is their mean gap.

        Examples
        --------
        >>> Grid.of(np.array([1.0, 1.5, 3.0])).places(np.array([1.0, 2.2, 3.0]))
        array([0., 1., 2.])
        """
        step = _ONE_VALUE_STEP
        if len(values) > 1:
            with np.errstate(over="ignore"):
                gaps = np.cumsum(np.diff(values))[-1] / (len(values) - 1)
            step = float(min(gaps, np.finfo(np.float64).max))
        return cls(step, float(_multiples(values[:1], step).sum()))

    def places(self, values: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        """Give the place of each value, NaN for NaN."""
        return _multiples(values, self.step) - self.origin


@dataclass(frozen=True)
class Seen:
    """Distinct values, sorted; and for each value and class that occur together their weight.

    Infinite values are left out: they have no place on a grid.
    """

    values: NDArray[np.float64]
    which: NDArray[np.intp]
    labels: NDArray[np.intp]
    weights: NDArray[np.float64]
    n_classes: int

    @classmethod
    def empty(cls, n_classes: int) -> Seen:
        """Give what is seen before the first row."""
        none = np.empty(0, dtype=np.intp)
        return cls(np.empty(0), none, none, np.empty(0), n_classes)

    def add(self, batch: Batch, place: int) -> Seen:
        """Give what is seen with a batch; the order of batches makes no difference.

        Examples
        --------
        >>> from calibrant.bayes._column import Batch
        >>> from calibrant.data._frames.columns import fit_columns
        >>> columns = fit_columns([[2.5], [0.5], [2.5]])
        >>> batch = Batch(columns, np.array([0, 0, 1]), 2, None)
        >>> twice = Seen.empty(2).add(batch, 0).add(batch, 0)
        >>> twice.values, twice.which, twice.labels, twice.weights
        (array([0.5, 2.5]), array([0, 1, 1]), array([0, 0, 1]), array([2., 2., 2.]))
        """
        new = self._of(batch, place)
        if len(self.values) == 0:
            return new
        values = np.union1d(self.values, new.values)
        which = (np.searchsorted(values, seen.values)[seen.which] for seen in (self, new))
        keys = np.concatenate([*which]) * self.n_classes + np.concatenate((self.labels, new.labels))
        keys, back = np.unique(keys, return_inverse=True)
        weights = np.bincount(back, np.concatenate((self.weights, new.weights))).astype(np.float64)
        return Seen(values, keys // self.n_classes, keys % self.n_classes, weights, self.n_classes)

    def _of(self, batch: Batch, place: int) -> Seen:
        codes, values = batch.table.codes(place), np.asarray(batch.table.values(place))
        which, labels, weights = cell_weights(codes, len(values), batch.labels, batch.n_classes, batch.weights)
        is_finite = np.isfinite(values)
        if not is_finite.all():
            kept = is_finite[which]
            which, labels, weights = (np.cumsum(is_finite) - 1)[which[kept]], labels[kept], weights[kept]
        return Seen(values[is_finite], which, labels, weights.astype(np.float64), batch.n_classes)

    def places_of(self, values: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Give the places of values on the grid, that of 0 for one that has none, and which have none."""
        is_lost = ~np.isfinite(values)
        return self.grid.places(np.where(is_lost, 0, values) if is_lost.any() else values), is_lost

    @cached_property
    def grid(self) -> Grid:
        """The grid of the values."""
        return Grid.of(self.values)

    @cached_property
    def places(self) -> NDArray[np.float64]:
        """The place of each weight on the grid."""
        return self.grid.places(self.values)[self.which]

    def of_class(self, label: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Give the places of a class, ascending, and their weights; those of all rows where the class has none."""
        is_its = self.labels == label
        if not is_its.any():
            is_its[:] = True
        places, back = np.unique(self.places[is_its], return_inverse=True)
        return places, np.bincount(back, self.weights[is_its]).astype(np.float64)


def _multiples(values: NDArray[np.floating[Any]], step: float) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):
        return np.clip(np.rint(np.asarray(values, dtype=np.float64) / step), -_FARTHEST, _FARTHEST)
