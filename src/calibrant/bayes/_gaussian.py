"""A numeric column as a normal distribution in each class, over units as wide as the mean gap between values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr

from calibrant._core import add_normal_logs, power_sums
from calibrant._saved import Array, Integer, TupleOf, need, saved
from calibrant.bayes._counts import LOG_FLOOR, Batch, ClassRows, Dialect
from calibrant.bayes._value_grid import FARTHEST_SAVED, CountedDistribution, ValueCounts, ValueGrid
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
    if sd > _SMOOTH_SD:
        return _smooth_log_cells(distances, sd)
    far = np.minimum(np.abs(distances), _FARTHEST * sd)
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
    by_power = _expansion(sd)
    with np.errstate(over="ignore"):
        z2 = distances / sd
        z2 *= z2
        logs = z2 * by_power[2]
        logs += by_power[1]
        logs *= z2
    logs += by_power[0]
    return logs


def _expansion(sd: float) -> tuple[float, float, float]:
    """Return the coefficients of the powers 0 to 2 of the squared distance in standard deviations, z2.

    They are those of the logarithm of 1 + h2 (z2 - 1) / 24 + h4 (z2^2 - 6 z2 + 3) / 1920 to the order h4, with h the
    width of a unit in standard deviations.
    """
    h2 = 1 / sd**2
    h4 = h2**2
    constant = h4 * 3 / 1920 - h4 / 1152 - h2 / 24 - float(np.log(sd)) - _LOG_ROOT_TWO_PI
    return constant, h2 / 24 - 0.5 - h4 * 6 / 1920 + h4 * 2 / 1152, h4 / 1920 - h4 / 1152


# A column of more distinct values is kept as moments: a mean gap between so many makes little difference.
_MOST_VALUES = 256
_SAMPLE = 1024  # rows that show it of most columns
_UNITS = 2**16  # of the range of such a column
_LEAST_SAVED_SD = 1e-3  # on a grid a standard deviation has a sixth of a unit at least


@saved()
@dataclass(frozen=True)
class Gaussian(CountedDistribution):
    """The values so far, of which each class has a mean and a standard deviation."""

    # Of another class than its own where values become moments.
    def add(self, batch: Batch, column: int) -> Gaussian | NormalMoments:  # type: ignore[override]
        """Return the distribution updated with a column of a batch; its moments where it has many values."""
        if self.dialect == "exact":
            values = np.ascontiguousarray(batch.columns.arrays[column])
            sample = values[:_SAMPLE]
            if len(np.unique(sample[np.isfinite(sample)])) > _MOST_VALUES:
                return self + NormalMoments.of(values, batch.by_class)
        return self + Gaussian(ValueCounts.of(batch, column), self.dialect)

    def __add__(self, other: Gaussian | NormalMoments) -> Gaussian | NormalMoments:
        """Return the distribution of the rows of both."""
        if isinstance(other, NormalMoments):
            return other + self
        both = Gaussian(self.counts + other.counts, self.dialect)
        return both.condensed if self.dialect == "exact" and len(both.counts.values) > _MOST_VALUES else both

    @property
    def condensed(self) -> NormalMoments:
        """The moments of the values."""
        counts = self.counts
        rows = ClassRows.of(counts.labels, counts.n_classes, counts.weights)
        return NormalMoments.of(counts.values[counts.value_index], rows)

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

    def add_log_likelihood(self, values: NDArray[Any], joint: NDArray[np.float64]) -> None:
        """Add the log-probability of the grid unit of each value; 0 for missing and infinite values."""
        if len(self.counts.values):
            self.fitted.add_log_likelihood(values, joint)


_MOST_SUM = 2**4700  # more than any sum of squares of finite numbers in units of the least one


@saved(
    weights=TupleOf(Integer(0, _MOST_SUM)),
    sums=TupleOf(Integer(-_MOST_SUM, _MOST_SUM)),
    squares=TupleOf(Integer(0, _MOST_SUM)),
)
@dataclass(frozen=True)
class NormalMoments:
    """The moments of a column of many values in each class, as integers: no order and no partition changes them.

    Of each class ``weights`` counts units of 2 to the ``weight_exponent``, ``sums`` those units times units of the
    values, and ``squares`` those units times squared units of the values.
    """

    low: float
    high: float
    weight_exponent: int
    exponent: int
    weights: tuple[int, ...]
    sums: tuple[int, ...]
    squares: tuple[int, ...]

    @classmethod
    def of(cls, values: NDArray[Any], by_class: ClassRows) -> NormalMoments:
        """Return the moments of the finite values; there is one.

        Examples
        --------
        >>> NormalMoments.of(np.array([0.5, 2.0, np.nan, 1.0]), ClassRows.of(np.array([0, 1, 1, 1]), 2, None))
        NormalMoments(low=0.5, high=2.0, weight_exponent=0, exponent=-53, weights=(1, 2), sums=...
        """
        is_finite = np.isfinite(values)
        finite = values if is_finite.all() else values[is_finite]
        weights = by_class.totals_of(is_finite)
        found = power_sums(values, by_class.labels, len(weights), by_class.counts)
        exponent = min(unit for unit, *_ in found)
        sums, squares = [], []
        for unit, *words in found:
            above, below, squared = (int.from_bytes(each.astype("<u8").tobytes(), "little") for each in words)
            sums.append((above - below) << unit - exponent)
            squares.append(squared << 2 * (unit - exponent))
        low, high = float(finite.min()), float(finite.max())
        return cls(low, high, by_class.exponent, exponent, weights, tuple(sums), tuple(squares))

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.weights)

    def add(self, batch: Batch, column: int) -> NormalMoments:
        """Return the moments updated with a column of a batch."""
        values = np.ascontiguousarray(batch.columns.arrays[column])
        return self + NormalMoments.of(values, batch.by_class) if np.isfinite(values).any() else self

    def __add__(self, other: Gaussian | NormalMoments) -> NormalMoments:
        """Return the moments of the rows of both."""
        if isinstance(other, Gaussian):
            return self + other.condensed if len(other.counts.values) else self
        weight_exponent = min(self.weight_exponent, other.weight_exponent)
        exponent = min(self.exponent, other.exponent)
        added: list[list[int]] = [[0] * self.n_classes for _ in range(3)]
        for each in (self, other):
            by_weight, by_value = each.weight_exponent - weight_exponent, each.exponent - exponent
            for power, numbers in enumerate((each.weights, each.sums, each.squares)):
                for label, number in enumerate(numbers):
                    added[power][label] += number << by_weight + power * by_value
        weights, sums, squares = map(tuple, added)
        low, high = min(self.low, other.low), max(self.high, other.high)
        return NormalMoments(low, high, weight_exponent, exponent, weights, sums, squares)

    @cached_property
    def fitted(self) -> FittedGaussian:
        """The means and standard deviations; a class without values has those of all classes."""
        grid, unit = ValueGrid.spanning(self.low, self.high, _UNITS + 1.0), Fraction(2) ** self.exponent
        of_all = sum(self.weights), sum(self.sums), sum(self.squares)
        of_classes = zip(self.weights, self.sums, self.squares, strict=True)
        pairs = [_mean_and_sd(*(each if each[0] else of_all), unit) for each in of_classes]
        means, sds = np.array(pairs).T / grid.step
        return FittedGaussian(means - grid.origin, np.maximum(sds, LEAST_SD), grid, "exact")

    def add_log_likelihood(self, values: NDArray[Any], joint: NDArray[np.float64]) -> None:
        """Add the log-probability of the grid unit of each value; 0 for missing and infinite values."""
        self.fitted.add_log_likelihood(values, joint)

    def _check_saved(self) -> None:
        need(len(self.weights) == len(self.sums) == len(self.squares) >= 1, "has sums of other classes")
        need(abs(self.weight_exponent) < 1100 and abs(self.exponent) < 1100, "has units that no number has")
        for weight, total, squares in zip(self.weights, self.sums, self.squares, strict=True):
            need(weight > 0 or total == squares == 0, "has sums of no rows")
            need(total**2 <= weight * squares, "has sums of squares below the squares of the sums")
        unit = Fraction(2) ** self.exponent
        need(sum(self.weights) and self.low < self.high, "has no range")
        for weight, total in zip(self.weights, self.sums, strict=True):
            need(self.low * weight <= total * unit <= self.high * weight, "has means out of the range")


def _mean_and_sd(weight: int, total: int, squares: int, unit: Fraction) -> tuple[float, float]:
    spread = squares * weight - total**2  # the variance, times the squared weight
    places = max(0, 64 - spread.bit_length() // 2)
    sd = Fraction(math.isqrt(spread << 2 * places), weight << places)
    return float(Fraction(total, weight) * unit), float(sd * unit)


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

    def add_log_likelihood(self, values: NDArray[Any], joint: NDArray[np.float64]) -> None:
        """Add the log-probability of the grid unit of each value; 0 for missing and infinite values."""
        if self.dialect == "exact" and self.sds.min() > _SMOOTH_SD:
            add_normal_logs(values, self.grid.step, self.grid.origin, LOG_FLOOR, self._expanded, joint)
            return
        positions, is_missing = self.grid.positions_of(values)
        for label, (mean, sd) in enumerate(zip(self.means, self.sds, strict=True)):
            logs = self._log_cells(positions, mean, sd)
            logs[is_missing] = 0
            joint[label] += logs

    @cached_property
    def _expanded(self) -> NDArray[np.float64]:
        """The mean, the standard deviation and the expansion of each class."""
        return np.array([(mean, sd, *_expansion(sd)) for mean, sd in zip(self.means, self.sds, strict=True)])

    def _log_cells(self, positions: NDArray[np.float64], mean: float, sd: float) -> NDArray[np.float64]:
        if self.dialect == "weka":
            return np.log(np.maximum(rough_cells(positions - mean, sd), density_floor(self.grid)))
        logs = log_cells_at(positions, mean, sd)
        return np.maximum(logs, LOG_FLOOR, out=logs)

    def _check_saved(self) -> None:
        need(len(self.means) == len(self.sds) >= 1 and self.grid.step > 0, "has other means than deviations")


def density_floor(grid: ValueGrid) -> float:
    """Return the least probability of a unit: Weka bounds the density, so it depends on the unit."""
    return min(max(float(np.exp(LOG_FLOOR)) * grid.step, 1e-300), 1.0)
