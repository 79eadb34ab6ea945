"""The space of rows: scaled numeric columns, nominal ones as codes, and the distance between two rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from scipy.spatial.distance import cdist

from calibrant._saved import Integer, Number, TupleOf, need, saved
from calibrant.neighbors._scaling import ColumnScaling

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Columns

__all__ = ["Points", "Scale", "Space"]

# How numeric columns are scaled: by name, not at all (None), or between a lower and an upper limit each.
Scale: TypeAlias = "Literal['standard', 'range'] | NDArray[np.float64] | None"

_POSITIONS = TupleOf(Integer(0, 2**31))


@dataclass(frozen=True)
class Points:
    """Rows in a space: scaled numbers with NaN, and codes with -1, where a value is missing."""

    numbers: NDArray[np.float64]
    codes: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: Any) -> Points:
        """Return some of the rows."""
        return Points(self.numbers[rows], self.codes[rows])

    @cached_property
    def is_complete(self) -> NDArray[np.bool_]:
        """Whether each row is without missing values."""
        return np.asarray(~np.isnan(self.numbers).any(axis=1) & (self.codes >= 0).all(axis=1))


@saved(
    inline=True,
    numeric=_POSITIONS,
    nominal=_POSITIONS,
    nominal_weights=TupleOf(Number(0, 1e50)),
    n_categories=_POSITIONS,
)
@dataclass(frozen=True)
class Space:
    """The columns of positive weight: scalings of the numeric ones, weights and category counts of the nominal ones."""

    scalings: tuple[ColumnScaling, ...]
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
        """Return the space of a table without its columns of weight 0, as those without any known value must be.

        Examples
        --------
        >>> from calibrant.data._frames.columns import fit_columns
        >>> space = Space.of(fit_columns([[1.0, "a"], [3.0, "b"]]), np.ones(2), "range", None)
        >>> points = space.to_points(fit_columns([[1.0, "a"], [2.0, "b"]]).arrays)
        >>> space.squared(points, points)
        array([[0.  , 1.25],
               [1.25, 0.  ]])
        """
        kept = [j for j in range(len(columns.arrays)) if column_weights[j] > 0]
        features = columns.schema.features
        numeric = tuple(j for j in kept if features[j].kind == "numeric")
        nominal = tuple(j for j in kept if features[j].kind == "nominal")
        scalings = tuple(
            _scaling_of(columns.arrays[j], weights, scale, j, float(np.sqrt(column_weights[j]))) for j in numeric
        )
        sizes = tuple(len(features[j].categories) for j in nominal)
        return cls(scalings, numeric, nominal, tuple(column_weights[list(nominal)].tolist()), sizes)

    def to_points(self, arrays: Sequence[NDArray[Any]] | NDArray[Any]) -> Points:
        """Return rows as points; their columns are in the order of the fitted table, or a matrix of floats."""
        columns = arrays.T if isinstance(arrays, np.ndarray) else arrays
        n_rows = len(columns[0])
        numbers, codes = np.empty((n_rows, len(self.numeric))), np.empty((n_rows, len(self.nominal)), np.int32)
        for position, (j, scaling) in enumerate(zip(self.numeric, self.scalings, strict=True)):
            numbers[:, position] = scaling.transform(columns[j])
        for position, j in enumerate(self.nominal):
            codes[:, position] = columns[j]
        return Points(numbers, codes)

    @cached_property
    def diameter(self) -> float:
        """The distance between opposite corners of the training table, the unit of relative distances."""
        return float(np.sqrt(sum(scaling.reach**2 for scaling in self.scalings) + sum(self.nominal_weights)))

    def squared(self, queries: Points, rows: Points) -> NDArray[np.float64]:
        """Return the squared distance of each query from each row."""
        has_missing = np.isnan(queries.numbers).any(axis=0) | np.isnan(rows.numbers).any(axis=0)
        full = np.flatnonzero(~has_missing)
        sums = np.zeros((len(queries), len(rows)))
        if len(full):
            sums = cdist(queries.numbers[:, full], rows.numbers[:, full], "sqeuclidean")
        for j in np.flatnonzero(has_missing).tolist():
            difference = _with_missing(self.scalings[j], queries.numbers[:, j], rows.numbers[:, j])
            sums += np.square(difference, out=difference)
        for j, weight in enumerate(self.nominal_weights):
            sums += weight * _differ(queries.codes[:, j, None], rows.codes[None, :, j])
        return sums

    def squared_from_some(self, queries: Points, rows: Points, chosen: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """Return the squared distance of each query from the rows chosen for it, none with a missing value."""
        sums = np.zeros(chosen.shape)
        for j in range(len(self.numeric)):
            sums += (queries.numbers[:, j, None] - rows.numbers[:, j][chosen]) ** 2
        for j, weight in enumerate(self.nominal_weights):
            sums += weight * _differ(queries.codes[:, j, None], rows.codes[:, j][chosen])
        return sums

    @property
    def n_coordinates(self) -> int:
        """Number of coordinates of a row."""
        return len(self.numeric) + sum(self.n_categories)

    def coordinates(self, points: Points) -> NDArray[np.float64]:
        """Return complete rows so that our distance is Euclidean: a category is a unit vector over root 2."""
        parts = [points.numbers]
        for j, (weight, n) in enumerate(zip(self.nominal_weights, self.n_categories, strict=True)):
            parts.append(np.sqrt(weight / 2) * (points.codes[:, j, None] == np.arange(n)))
        return np.hstack(parts)

    def _check_saved(self) -> None:
        need(len(self.scalings) == len(self.numeric), "has other scales than numeric columns")
        sizes = {len(self.nominal), len(self.nominal_weights), len(self.n_categories)}
        need(len(sizes) == 1, "has other weights than columns")
        columns = [*self.numeric, *self.nominal]
        need(len(set(columns)) == len(columns), "has a column twice")


def _scaling_of(
    values: NDArray[Any], weights: NDArray[np.float64] | None, scale: Scale, column: int, root: float
) -> ColumnScaling:
    if scale is None:
        return ColumnScaling.raw(values, root)
    if isinstance(scale, np.ndarray):
        return ColumnScaling.range(scale[:, column], root)
    return ColumnScaling.standard(values, weights, root) if scale == "standard" else ColumnScaling.range(values, root)


def _with_missing(
    scaling: ColumnScaling, queries: NDArray[np.float64], rows: NDArray[np.float64]
) -> NDArray[np.float64]:
    difference = queries[:, None] - rows[None, :]
    difference[:, np.isnan(rows)] = scaling.farthest(queries)[:, None]
    difference[np.isnan(queries)] = scaling.farthest(rows)[None, :]
    return difference


def _differ(queries: NDArray[np.int32], rows: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return where categories differ; a missing one differs from every other, missing or not."""
    return np.asarray((queries != rows) | (queries < 0))
