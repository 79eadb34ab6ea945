"""Where rows lie: numeric columns measured, nominal ones as codes, and the distance between two rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from scipy.spatial.distance import cdist

from calibrant.neighbors._scaling import Ruler

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Columns

__all__ = ["Points", "Scale", "Space"]

# How numeric columns are measured: as a word says, as they are (None), or between a lower and an upper limit each.
Scale: TypeAlias = "Literal['standard', 'range'] | NDArray[np.float64] | None"


@dataclass(frozen=True)
class Points:
    """Rows in a space: measured numbers with NaN, and codes with -1, where a value is missing."""

    numbers: NDArray[np.float64]
    codes: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: Any) -> Points:
        """Give some of them."""
        return Points(self.numbers[rows], self.codes[rows])

    @cached_property
    def is_complete(self) -> NDArray[np.bool_]:
        """Whether each row has all its values."""
        return np.asarray(~np.isnan(self.numbers).any(axis=1) & (self.codes >= 0).all(axis=1))


@dataclass(frozen=True)
class Space:
    """The columns that weigh something: rulers of the numeric ones, weights and sizes of the nominal ones."""

    rulers: tuple[Ruler, ...]
    numeric: tuple[int, ...]
    nominal: tuple[int, ...]
    nominal_weights: tuple[float, ...]
    n_categories: tuple[int, ...]

    @classmethod
    def of(
        cls,
        columns: Columns,
        column_weights: NDArray[np.float64],
        scale: Scale,
        weights: NDArray[np.float64] | None,
    ) -> Space:
        """Lay out a table; columns of weight 0 are left out, and those without any known value must be of weight 0.

        Examples
        --------
        >>> from calibrant.data._frames.columns import fit_columns
        >>> space = Space.of(fit_columns([[1.0, "a"], [3.0, "b"]]), np.ones(2), "range", None)
        >>> points = space.place(fit_columns([[1.0, "a"], [2.0, "b"]]).arrays)
        >>> space.squared(points, points)
        array([[0.  , 1.25],
               [1.25, 0.  ]])
        """
        kept = [j for j in range(len(columns.arrays)) if column_weights[j] > 0]
        features = columns.schema.features
        numeric = tuple(j for j in kept if features[j].kind == "numeric")
        nominal = tuple(j for j in kept if features[j].kind == "nominal")
        rulers = tuple(_ruler(columns.arrays[j], weights, scale, j, float(np.sqrt(column_weights[j]))) for j in numeric)
        sizes = tuple(len(features[j].categories) for j in nominal)
        return cls(rulers, numeric, nominal, tuple(column_weights[list(nominal)].tolist()), sizes)

    def place(self, arrays: Sequence[NDArray[Any]] | NDArray[Any]) -> Points:
        """Measure rows: columns in the order of the fitted table, or a matrix of floats."""
        columns = arrays.T if isinstance(arrays, np.ndarray) else arrays
        n_rows = len(columns[0])
        numbers, codes = np.empty((n_rows, len(self.numeric))), np.empty((n_rows, len(self.nominal)), np.int32)
        for place, (j, ruler) in enumerate(zip(self.numeric, self.rulers, strict=True)):
            numbers[:, place] = ruler.measure(columns[j])
        for place, j in enumerate(self.nominal):
            codes[:, place] = columns[j]
        return Points(numbers, codes)

    @cached_property
    def diameter(self) -> float:
        """The distance between opposite corners of the training table, by which distances become shares."""
        return float(np.sqrt(sum(ruler.reach**2 for ruler in self.rulers) + sum(self.nominal_weights)))

    def squared(self, queries: Points, rows: Points) -> NDArray[np.float64]:
        """Give the squared distance of each query from each row."""
        gaps = np.isnan(queries.numbers).any(axis=0) | np.isnan(rows.numbers).any(axis=0)
        full = np.flatnonzero(~gaps)
        sums = np.zeros((len(queries), len(rows)))
        if len(full):
            sums = cdist(queries.numbers[:, full], rows.numbers[:, full], "sqeuclidean")
        for j in np.flatnonzero(gaps).tolist():
            difference = _with_gaps(self.rulers[j], queries.numbers[:, j], rows.numbers[:, j])
            sums += np.square(difference, out=difference)
        for j, weight in enumerate(self.nominal_weights):
            sums += weight * _differ(queries.codes[:, j, None], rows.codes[None, :, j])
        return sums

    def squared_from_some(self, queries: Points, rows: Points, chosen: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """Give the squared distance of each query from the rows chosen for it; all have all their values."""
        sums = np.zeros(chosen.shape)
        for j in range(len(self.numeric)):
            sums += (queries.numbers[:, j, None] - rows.numbers[:, j][chosen]) ** 2
        for j, weight in enumerate(self.nominal_weights):
            sums += weight * _differ(queries.codes[:, j, None], rows.codes[:, j][chosen])
        return sums

    @property
    def n_coordinates(self) -> int:
        """How many numbers `coordinates` gives for a row."""
        return len(self.numeric) + sum(self.n_categories)

    def coordinates(self, points: Points) -> NDArray[np.float64]:
        """Give complete rows as numbers whose Euclidean distance is ours: a category is a unit vector over root 2."""
        parts = [points.numbers]
        for j, (weight, n) in enumerate(zip(self.nominal_weights, self.n_categories, strict=True)):
            parts.append(np.sqrt(weight / 2) * (points.codes[:, j, None] == np.arange(n)))
        return np.hstack(parts)


def _ruler(values: NDArray[Any], weights: NDArray[np.float64] | None, scale: Scale, column: int, root: float) -> Ruler:
    if scale is None:
        return Ruler.raw(values, root)
    if isinstance(scale, np.ndarray):
        return Ruler.range(scale[:, column], root)
    return Ruler.standard(values, weights, root) if scale == "standard" else Ruler.range(values, root)


def _with_gaps(ruler: Ruler, queries: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    difference = queries[:, None] - rows[None, :]
    difference[:, np.isnan(rows)] = ruler.farthest(queries)[:, None]
    difference[np.isnan(queries)] = ruler.farthest(rows)[None, :]
    return difference


def _differ(queries: NDArray[np.int32], rows: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Say where categories differ; an unknown one differs from every other, known or not."""
    return np.asarray((queries != rows) | (queries < 0))
