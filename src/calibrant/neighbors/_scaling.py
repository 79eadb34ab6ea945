"""How far apart the values of a numeric column are: centred, divided, and the ends that an unknown value is put at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Ruler"]

_FAR = 1e100  # squares of this are still finite, and nothing nearer is lost


@dataclass(frozen=True)
class Ruler:
    """The unit of a numeric column and where its values end, times the root of the column's weight.

    ``exponent`` takes the values near 1 before anything is subtracted or squared, so that neither 1e300 nor 1e-300 is
    lost; a power of 2 changes no digit. A constant column has ``factor`` 0: its known values are all alike.
    """

    exponent: int
    centre: float
    unit: float
    factor: float
    low: float
    high: float

    @classmethod
    def standard(cls, values: NDArray[Any], weights: NDArray[np.float64] | None, root: float) -> Ruler:
        """Measure in standard deviations of the known values, divided by their weight (not by one less)."""
        known = ~np.isnan(values)
        near, exponent = _near_one(values[known])
        share = None if weights is None else weights[known]
        centre = float(np.average(near, weights=share))
        spread = float(np.sqrt(np.average((near - centre) ** 2, weights=share)))
        return cls._between(exponent, centre, spread, (float(near.min()), float(near.max())), root)

    @classmethod
    def range(cls, values: NDArray[Any], root: float) -> Ruler:
        """Measure from the least to the greatest of the known values."""
        near, exponent = _near_one(values[~np.isnan(values)])
        low, high = float(near.min()), float(near.max())
        return cls._between(exponent, low, high - low, (low, high), root)

    @classmethod
    def raw(cls, values: NDArray[Any], root: float) -> Ruler:
        """Measure in the column's own unit."""
        known = values[~np.isnan(values)].astype(np.float64)
        with np.errstate(over="ignore"):
            ends = np.clip([known.min(), known.max()], -_FAR, _FAR)
        return cls._between(0, 0.0, 1.0, (float(ends[0]), float(ends[1])), root)

    @classmethod
    def _between(cls, exponent: int, centre: float, unit: float, ends: tuple[float, float], root: float) -> Ruler:
        if ends[0] == ends[1]:
            return cls(exponent, centre, 1.0, 0.0, 0.0, root)
        low, high = ((end - centre) / unit * root for end in ends)
        return cls(exponent, centre, unit, root, low, high)

    def measure(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Give values in units from the centre, NaN where missing.

        Examples
        --------
        >>> ruler = Ruler.range(np.array([20.0, 60.0, np.nan]), 1.0)
        >>> ruler.measure(np.array([20.0, 30.0, np.nan]))
        array([0.  , 0.25,  nan])
        """
        with np.errstate(over="ignore"):
            measured = (np.ldexp(values.astype(np.float64), -self.exponent) - self.centre) / self.unit
        return np.asarray(np.clip(measured, -_FAR, _FAR) * self.factor)

    @property
    def reach(self) -> float:
        """The greatest difference between two training values, and that of two unknown ones."""
        return self.high - self.low

    def farthest(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the greatest difference that an unknown value may have from each of some, known or not.

        Examples
        --------
        >>> Ruler.range(np.array([20.0, 60.0]), 1.0).farthest(np.array([0.0, 0.25, 0.5, np.nan]))
        array([1.  , 0.75, 0.5 , 1.  ])
        """
        far = np.maximum(measured - self.low, self.high - measured)
        return np.where(np.isnan(measured), self.reach, far)


def _near_one(known: NDArray[Any]) -> tuple[NDArray[np.float64], int]:
    known = known.astype(np.float64)
    exponent = int(np.frexp(np.abs(known).max())[1])
    return np.asarray(np.ldexp(known, -exponent)), exponent
