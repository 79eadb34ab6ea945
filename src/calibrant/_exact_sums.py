"""Sums of floats without rounding, which neither the order nor the partition of the rows changes by a bit."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_LEAST = -1074  # the exponent of the least subnormal number
_UNIT = 1 << -_LEAST  # units of a sum in 1
_BLOCK = 2**13  # rows that are summed at once: with _BITS each, the sum is a whole number below 2^52
_BITS = 39
_SCALE = 2.0**-100  # of numbers whose sums would leave the range of floats on the way
_VAST = 2.0**960
_WHOLE = 53
_COUNT_BITS = 8  # a row that is drawn more than 256 times by chance has not been seen since the universe began


class ExactSums:
    """The exact sums of columns of finite numbers, as integers in units of the least float (a Kulisch accumulator).

    In each column of a block the leading bits, as many as add up exactly, are split off and added until nothing is left
    (error-free transformations: Rump, Ogita & Oishi 2008). Sums of parts are added
    by ``+``.

    Parameters
    ----------
    n_columns : int
        Number of sums.

    Examples
    --------
    >>> values = np.array([[1e100], [1.0], [-1e100], [2.0**-1074]])
    >>> ExactSums(1).add(values).totals()
    array([1.])
    >>> (ExactSums(1).add(values[:2]) + ExactSums(1).add(values[2:])).totals()
    array([1.])
    """

    def __init__(self, n_columns: int) -> None:
        self._units = [0] * n_columns

    def add(self, values: NDArray[np.float64]) -> ExactSums:
        """Add rows of shape (n_rows, n_columns), and return these sums."""
        for start in range(0, len(values), _BLOCK):
            self._add_block(values[start : start + _BLOCK])
        return self

    def _add_block(self, values: NDArray[np.float64]) -> None:
        rest = np.ascontiguousarray(values.T)
        if np.abs(rest).max(initial=0.0) > _VAST:
            is_vast = np.abs(rest) > _VAST
            self._add_leading(np.where(is_vast, rest, 0.0) * _SCALE, 100)
            rest = np.where(is_vast, 0.0, rest)
        self._add_leading(rest, 0)

    def _add_leading(self, rest: NDArray[np.float64], scale: int) -> None:
        """Add the leading bits of every number, then those of what is left, until all bits are added."""
        while (largest := np.abs(rest).max(axis=1)).any():
            last = np.maximum(np.frexp(largest)[1] - _BITS, _LEAST)  # the exponent of the last bit that is split off
            shift = np.ldexp(1.5, last + 52)[:, np.newaxis]
            leading = (rest + shift) - shift
            for column, total in enumerate(leading.sum(axis=1).tolist()):
                numerator, denominator = total.as_integer_ratio()
                self._units[column] += (numerator * (_UNIT // denominator)) << scale
            rest = rest - leading

    def __add__(self, other: ExactSums) -> ExactSums:
        """Return the sums over the rows of both."""
        both = ExactSums(len(self._units))
        both._units = [mine + theirs for mine, theirs in zip(self._units, other._units, strict=True)]
        return both

    def totals(self) -> NDArray[np.float64]:
        """Return the sums, each rounded once; infinite where they are beyond the range of floats."""
        return np.array([_rounded(units) for units in self._units])


def _rounded(units: int) -> float:
    try:
        return units / _UNIT
    except OverflowError:
        return math.inf if units > 0 else -math.inf


def weight_step(largest: float, n_rows: int) -> float:
    """Return the power of two in multiples of which all sums of so many weights are exact.

    Examples
    --------
    >>> weight_step(1.0, 2**20) == 2.0**-32
    True
    """
    return math.ldexp(1.0, math.frexp(largest * max(n_rows, 1))[1] - _WHOLE) if largest > 0 else 1.0


def round_weights(weights: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """Return weights as multiples of a step, whole ones as they are: their sums then are the same in any order.

    Examples
    --------
    >>> round_weights(np.array([1.0, 0.3]), 0.125)
    array([1.   , 0.25])
    """
    return np.asarray(np.rint(weights / step) * step)


def fixed_point_weights(weights: NDArray[np.float64], total: float | None = None) -> NDArray[np.float64]:
    """Return weights rounded to multiples of one power of two, whole ones as they are; `total` is their exact sum.

    Every sum of them, each counted up to 256 times, is exact in a double, so neither the order of rows nor how they are
    partitioned changes it. A weight above 0 stays above 0.

    Examples
    --------
    >>> fixed_point_weights(np.array([1.0, 2.0, 3.0])).tolist()
    [1.0, 2.0, 3.0]
    >>> rounded = fixed_point_weights(np.array([0.1, 0.2, 0.3]))
    >>> float(np.abs(rounded - [0.1, 0.2, 0.3]).max()) < 1e-13, rounded.sum() == rounded[::-1].sum()
    (True, np.True_)
    """
    total = math.fsum(weights) if total is None else total
    # The power of two whose multiples add up to the total, times the greatest count of a bag, without rounding
    step = math.ldexp(1.0, math.frexp(total)[1] + _COUNT_BITS - _WHOLE)
    if step <= 1.0 and (weights == np.floor(weights)).all():
        return weights
    return np.where(weights > 0, np.maximum(round_weights(weights, step), step), 0.0)
