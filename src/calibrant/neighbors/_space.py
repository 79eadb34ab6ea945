"""The space of rows: scaled numeric columns, nominal ones as codes, with the distance between two rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from calibrant._saved import Integer, Number, TupleOf, need, saved

if TYPE_CHECKING:
    from calibrant.data._internal import Columns

LARGEST = 1e150  # of numbers in a model file: squares of such distances are finite

_FAR = 1e100  # squares of it are still finite


@saved(
    inline=True,
    exponent=Integer(-1100, 1100),
    centre=Number(-LARGEST, LARGEST),
    unit=Number(1e-300),
    factor=Number(0, 1e50),
    low=Number(-LARGEST, LARGEST),
    high=Number(-LARGEST, LARGEST),
)
@dataclass(frozen=True)
class ColumnScaling:
    """The unit and the range of a numeric column, times the root of the column's weight.

    ``exponent`` scales the values to about 1 before anything is subtracted or squared, so that neither 1e300 nor 1e-300
    is lost; scaling by a power of 2 is exact. A constant column has ``factor`` 0: its known values do not differ.
    """

    exponent: int
    centre: float
    unit: float
    factor: float
    low: float
    high: float

    @classmethod
    def of(
        cls,
        values: NDArray[Any],
        weights: NDArray[np.float64] | None,
        scale: Literal["standard", "range"] | None,
        root: float,
    ) -> ColumnScaling:
        """Return the scaling by standard deviations of the known values, by their range, or none."""
        known = ~np.isnan(values)
        near, exponent = (values[known].astype(np.float64), 0) if scale is None else _near_one(values[known])
        low, high = float(near.min()), float(near.max())
        centre, unit = low, high - low
        if scale is None:
            centre, unit, low, high = 0.0, 1.0, max(low, -_FAR), min(high, _FAR)
        elif scale == "standard":  # divided by the weight, not by one less
            share = None if weights is None else weights[known]
            centre = float(np.average(near, weights=share))
            unit = float(np.sqrt(np.average((near - centre) ** 2, weights=share)))
        if low == high:
            return cls(exponent, centre, 1.0, 0.0, 0.0, root)
        low, high = ((end - centre) / unit * root for end in (low, high))
        return cls(exponent, centre, unit, root, low, high)

    def transform(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return the scaled values, NaN where missing.

        Examples
        --------
        >>> scaling = ColumnScaling.of(np.array([20.0, 60.0, np.nan]), None, "range", 1.0)
        >>> scaling.transform(np.array([20.0, 30.0, np.nan]))
        array([0.  , 0.25,  nan])
        """
        with np.errstate(over="ignore"):
            scaled = (np.ldexp(values.astype(np.float64), -self.exponent) - self.centre) / self.unit
        return np.asarray(np.clip(scaled, -_FAR, _FAR) * self.factor)

    @property
    def reach(self) -> float:
        """The greatest difference between two training values, which is also that of two missing ones."""
        return self.high - self.low

    def farthest(self, scaled: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the greatest difference that a missing value may have from each of some values, missing or not.

        Examples
        --------
        >>> scaling = ColumnScaling.of(np.array([20.0, 60.0]), None, "range", 1.0)
        >>> scaling.farthest(np.array([0.0, 0.25, 0.5, np.nan]))
        array([1.  , 0.75, 0.5 , 1.  ])
        """
        far = np.maximum(scaled - self.low, self.high - scaled)
        return np.where(np.isnan(scaled), self.reach, far)


def _near_one(known: NDArray[Any]) -> tuple[NDArray[np.float64], int]:
    known = known.astype(np.float64)
    exponent = int(np.frexp(np.abs(known).max())[1])
    return np.asarray(np.ldexp(known, -exponent)), exponent


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
        values: Any = scale.T if isinstance(scale, np.ndarray) else columns.arrays
        how, roots = "range" if isinstance(scale, np.ndarray) else scale, np.sqrt(column_weights)
        scalings = tuple(ColumnScaling.of(values[j], weights, how, float(roots[j])) for j in numeric)
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


def _with_missing(
    scaling: ColumnScaling, queries: NDArray[np.float64], rows: NDArray[np.float64]
) -> NDArray[np.float64]:
    difference = queries[:, None] - rows[None, :]
    difference[:, np.isnan(rows)] = scaling.farthest(queries)[:, None]
    difference[np.isnan(queries)] = scaling.farthest(rows)[None, :]
    return difference


def _differ(queries: NDArray[np.int32], rows: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return a mask of the categories that differ; a missing one differs from every other, missing or not."""
    return np.asarray((queries != rows) | (queries < 0))
