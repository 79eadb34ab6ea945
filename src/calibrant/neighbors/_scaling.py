"""The scaling of a numeric column, and the greatest difference that a missing value may have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._saved import Integer, Number, saved

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LARGEST", "ColumnScaling"]

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
    def standard(cls, values: NDArray[Any], weights: NDArray[np.float64] | None, root: float) -> ColumnScaling:
        """Return the scaling by standard deviations of the known values, divided by their weight (not by one less)."""
        known = ~np.isnan(values)
        near, exponent = _near_one(values[known])
        share = None if weights is None else weights[known]
        centre = float(np.average(near, weights=share))
        spread = float(np.sqrt(np.average((near - centre) ** 2, weights=share)))
        return cls._between(exponent, centre, spread, (float(near.min()), float(near.max())), root)

    @classmethod
    def range(cls, values: NDArray[Any], root: float) -> ColumnScaling:
        """Return the scaling by the range of the known values."""
        near, exponent = _near_one(values[~np.isnan(values)])
        low, high = float(near.min()), float(near.max())
        return cls._between(exponent, low, high - low, (low, high), root)

    @classmethod
    def raw(cls, values: NDArray[Any], root: float) -> ColumnScaling:
        """Return no scaling."""
        known = values[~np.isnan(values)].astype(np.float64)
        with np.errstate(over="ignore"):
            ends = np.clip([known.min(), known.max()], -_FAR, _FAR)
        return cls._between(0, 0.0, 1.0, (float(ends[0]), float(ends[1])), root)

    @classmethod
    def _between(
        cls, exponent: int, centre: float, unit: float, ends: tuple[float, float], root: float
    ) -> ColumnScaling:
        if ends[0] == ends[1]:
            return cls(exponent, centre, 1.0, 0.0, 0.0, root)
        low, high = ((end - centre) / unit * root for end in ends)
        return cls(exponent, centre, unit, root, low, high)

    def transform(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return the scaled values, NaN where missing.

        Examples
        --------
        >>> scaling = ColumnScaling.range(np.array([20.0, 60.0, np.nan]), 1.0)
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
        >>> ColumnScaling.range(np.array([20.0, 60.0]), 1.0).farthest(np.array([0.0, 0.25, 0.5, np.nan]))
        array([1.  , 0.75, 0.5 , 1.  ])
        """
        far = np.maximum(scaled - self.low, self.high - scaled)
        return np.where(np.isnan(scaled), self.reach, far)


def _near_one(known: NDArray[Any]) -> tuple[NDArray[np.float64], int]:
    known = known.astype(np.float64)
    exponent = int(np.frexp(np.abs(known).max())[1])
    return np.asarray(np.ldexp(known, -exponent)), exponent
