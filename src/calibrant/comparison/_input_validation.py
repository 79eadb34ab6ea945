"""Input validation of the tests: two arrays of values, reduced to what the tests use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant._numbers import as_unmasked_floats
from calibrant.exceptions import DataError, DataTypeError, ParameterError

# Differences below this share of the values count as rounding: about 50 units in the last place of a double
_ROUNDING = 1e-14
_LIMIT = 1e150  # squares of greater values overflow


class DifferenceMoments(NamedTuple):
    """Number, mean and variance (with divisor n - 1) of the differences of pairs."""

    n: int
    mean: float
    variance: float


class SampleMoments(NamedTuple):
    """Sizes of two samples, the difference of their means, and their variances (with divisor n - 1)."""

    n: tuple[int, int]
    difference: float
    variances: tuple[float, float]


class SignedDifferences(NamedTuple):
    """Differences of pairs, and the mid-ranks of their absolute values, zeros included."""

    values: NDArray[np.float64]
    ranks: NDArray[np.float64]


def read_difference_moments(a: Any, b: Any, test: str) -> DifferenceMoments:
    """Check paired values and return the moments of a - b.

    Where all differences are equal up to rounding, the variance is 0, and so is a mean that is rounding itself.

    Examples
    --------
    >>> read_difference_moments([3, 6, 9], [2, 3, 4], "test")
    DifferenceMoments(n=3, mean=3.0, variance=4.0)
    >>> read_difference_moments([0.3, 0.6, 0.9], [0.2, 0.5, 0.8], "test").variance
    0.0
    """
    differences, rounding = _read_differences(a, b, test)
    n, mean = len(differences), float(differences.mean())
    if np.ptp(differences) > rounding:
        return DifferenceMoments(n, mean, float(differences.var(ddof=1)))
    return DifferenceMoments(n, mean if abs(mean) > rounding else 0.0, 0.0)


def read_signed_differences(a: Any, b: Any, test: str) -> SignedDifferences:
    """Check paired values and return a - b with its ranks; values that are equal up to rounding are ties.

    Examples
    --------
    >>> read_signed_differences([0.3, 0.6, 0.9, 0.5], [0.2, 0.5, 0.7, 0.5], "test").ranks
    array([2.5, 2.5, 4. , 1. ])
    """
    differences, rounding = _read_differences(a, b, test)
    size = np.abs(differences)
    order = np.argsort(size, kind="stable")
    group = np.cumsum(np.diff(size[order], prepend=0.0) > rounding)  # group 0 holds the equal pairs
    starts, ends = np.searchsorted(group, group), np.searchsorted(group, group, side="right")
    ranks, values = np.empty(len(size)), np.empty(len(size))
    ranks[order] = (starts + 1 + ends) / 2
    values[order] = np.where(group == 0, 0.0, size[order][starts])
    return SignedDifferences(np.copysign(values, differences) + 0.0, ranks)


def read_sample_moments(a: Any, b: Any, test: str) -> SampleMoments:
    """Check values that are not paired and return the moments of both.

    Where all values of a method are equal up to rounding, its variance is 0, and the difference of the means is 0
    where it is rounding itself.

    Examples
    --------
    >>> read_sample_moments([1, 2, 3], [2, 4, 6, 8], "test")
    SampleMoments(n=(3, 4), difference=-3.0, variances=(1.0, 6.666666666666667))
    >>> read_sample_moments([0.3, 0.3], [0.1 + 0.2, 0.1 + 0.2], "test")
    SampleMoments(n=(2, 2), difference=0.0, variances=(0.0, 0.0))
    """
    samples = _read_values("a", a, "trial"), _read_values("b", b, "trial")
    for name, values in zip("ab", samples, strict=True):
        if len(values) < 2:
            raise DataError(f"{test} needs at least 2 values of each; {name} has {len(values)}. Run more trials.")
    rounding = _ROUNDING * max(float(np.abs(values).max()) for values in samples)
    first, second = (float(values.var(ddof=1)) if np.ptp(values) > rounding else 0.0 for values in samples)
    difference = float(samples[0].mean() - samples[1].mean())
    is_rounding = first == second == 0.0 and abs(difference) <= rounding
    return SampleMoments((len(samples[0]), len(samples[1])), 0.0 if is_rounding else difference, (first, second))


def read_names(names: Any) -> tuple[str, str]:
    """Check the names of two methods and return them as strings.

    Examples
    --------
    >>> read_names(["tree", "forest"])
    ('tree', 'forest')
    """
    if isinstance(names, str) or not isinstance(names, Sequence) or len(names) != 2:
        raise ParameterError(f"names must be the names of the two methods; got {names!r}.")
    return str(names[0]), str(names[1])


def _read_differences(a: Any, b: Any, test: str) -> tuple[NDArray[np.float64], float]:
    """Return a - b, and the greatest size of a rounding error."""
    first, second = _read_values("a", a), _read_values("b", b)
    if len(first) != len(second):
        raise DataError(
            f"a has {len(first)} values, b {len(second)}; pass one value of each for every pair, in the same order."
        )
    if len(first) < 2:
        raise DataError(f"{test} needs at least 2 pairs to estimate their variance; got {len(first)}. Run more trials.")
    return first - second, _ROUNDING * float(max(np.abs(first).max(), np.abs(second).max()))


def _read_values(name: str, array: Any, unit: str = "pair") -> NDArray[np.float64]:
    values = _as_numbers(name, array, unit)
    if values.ndim != 1:
        raise DataError(f"{name} has shape {values.shape}; expected one value for each {unit}.")
    wrong = np.flatnonzero(~(np.abs(values) < _LIMIT))
    if len(wrong):
        drop = "those pairs from both" if unit == "pair" else "those values"
        raise DataError(
            f"{name} has {len(wrong)} value(s) that are NaN, infinite or huge (first at {wrong[0]}: {values[wrong[0]]})"
            f"; drop {drop}, or compare by a metric that is finite."
        )
    return values


def _as_numbers(name: str, array: Any, unit: str) -> NDArray[np.float64]:
    """Return numbers, NaN where one is masked; raise for dates, which NumPy would convert."""
    try:
        if np.asarray(array).dtype.kind in "mM":
            raise TypeError(array)
        return as_unmasked_floats(array)
    except (TypeError, ValueError) as error:
        raise DataTypeError(f"{name} must hold numbers, one for each {unit}; got {type(array).__name__}.") from error
