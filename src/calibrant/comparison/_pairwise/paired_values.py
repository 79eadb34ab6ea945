"""The door of the tests: two arrays of values, checked once and reduced to what the tests look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calibrant.exceptions import DataError, DataTypeError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Differences", "Samples", "Signed", "read_differences", "read_names", "read_samples", "read_signed"]

_ROUNDING = 1e-14  # differences of differences below this share of the values are the computer's, not the methods'

_MOST = 1e150  # the squares of greater values are infinite


class Differences(NamedTuple):
    """Number, mean and variance (with divisor n - 1) of the differences of pairs."""

    n: int
    mean: float
    variance: float


class Samples(NamedTuple):
    """Numbers of values of two samples, the difference of their means, and their variances (with divisor n - 1)."""

    n: tuple[int, int]
    difference: float
    variances: tuple[float, float]


class Signed(NamedTuple):
    """Differences of pairs, and the mid-ranks of their sizes among all, zeros included."""

    values: NDArray[np.float64]
    ranks: NDArray[np.float64]


def read_differences(a: Any, b: Any, test: str) -> Differences:
    """Check paired values and give the moments of a - b.

    Where all differences are the same but for rounding, the variance is 0, and so is a mean that is rounding itself.

    Examples
    --------
    >>> read_differences([3, 6, 9], [2, 3, 4], "test")
    Differences(n=3, mean=3.0, variance=4.0)
    >>> read_differences([0.3, 0.6, 0.9], [0.2, 0.5, 0.8], "test").variance
    0.0
    """
    differences, rounding = _differences(a, b, test)
    n, mean = len(differences), float(differences.mean())
    if np.ptp(differences) > rounding:
        return Differences(n, mean, float(differences.var(ddof=1)))
    return Differences(n, mean if abs(mean) > rounding else 0.0, 0.0)


def read_signed(a: Any, b: Any, test: str) -> Signed:
    """Check paired values and give a - b with its ranks, equal but for rounding being equal.

    Examples
    --------
    >>> read_signed([0.3, 0.6, 0.9, 0.5], [0.2, 0.5, 0.7, 0.5], "test").ranks
    array([2.5, 2.5, 4. , 1. ])
    """
    differences, rounding = _differences(a, b, test)
    size = np.abs(differences)
    order = np.argsort(size, kind="stable")
    group = np.cumsum(np.diff(size[order], prepend=0.0) > rounding)  # group 0 is what differs by nothing
    starts, ends = np.searchsorted(group, group), np.searchsorted(group, group, side="right")
    ranks, values = np.empty(len(size)), np.empty(len(size))
    ranks[order] = (starts + 1 + ends) / 2
    values[order] = np.where(group == 0, 0.0, size[order][starts])
    return Signed(np.copysign(values, differences) + 0.0, ranks)


def read_samples(a: Any, b: Any, test: str) -> Samples:
    """Check values that are not paired and give the moments of both.

    Where all values of a method are the same but for rounding, its variance is 0, and the difference of the means is 0
    where it is rounding itself.

    Examples
    --------
    >>> read_samples([1, 2, 3], [2, 4, 6, 8], "test")
    Samples(n=(3, 4), difference=-3.0, variances=(1.0, 6.666666666666667))
    >>> read_samples([0.3, 0.3], [0.1 + 0.2, 0.1 + 0.2], "test")
    Samples(n=(2, 2), difference=0.0, variances=(0.0, 0.0))
    """
    samples = _values("a", a, "trial"), _values("b", b, "trial")
    for name, values in zip("ab", samples, strict=True):
        if len(values) < 2:
            raise DataError(f"{test} needs at least 2 values of each; {name} has {len(values)}. Run more trials.")
    rounding = _ROUNDING * max(float(np.abs(values).max()) for values in samples)
    first, second = (float(values.var(ddof=1)) if np.ptp(values) > rounding else 0.0 for values in samples)
    difference = float(samples[0].mean() - samples[1].mean())
    is_rounding = first == second == 0.0 and abs(difference) <= rounding
    return Samples((len(samples[0]), len(samples[1])), 0.0 if is_rounding else difference, (first, second))


def read_names(names: Any) -> tuple[str, str]:
    """Check the names of two methods.

    Examples
    --------
    >>> read_names(["tree", "forest"])
    ('tree', 'forest')
    """
    if isinstance(names, str) or not isinstance(names, Sequence) or len(names) != 2:
        raise ParameterError(f"names must be the names of the two methods; got {names!r}.")
    return str(names[0]), str(names[1])


def _differences(a: Any, b: Any, test: str) -> tuple[NDArray[np.float64], float]:
    """Give a - b, and the size that rounding alone can have."""
    first, second = _values("a", a), _values("b", b)
    if len(first) != len(second):
        raise DataError(f"a has {len(first)} values, b {len(second)}; pass one of each a pair, in the same order.")
    if len(first) < 2:
        raise DataError(f"{test} needs at least 2 pairs to see how much they vary; got {len(first)}. Run more trials.")
    return first - second, _ROUNDING * float(max(np.abs(first).max(), np.abs(second).max()))


def _values(name: str, given: Any, unit: str = "pair") -> NDArray[np.float64]:
    values = _numbers(name, given, unit)
    if values.ndim != 1:
        raise DataError(f"{name} has shape {values.shape}; expected one value a {unit}.")
    wrong = np.flatnonzero(~(np.abs(values) < _MOST))
    if len(wrong):
        drop = "those pairs from both" if unit == "pair" else "those values"
        raise DataError(
            f"{name} has {len(wrong)} value(s) that are NaN, infinite or huge (first at {wrong[0]}: {values[wrong[0]]})"
            f"; drop {drop}, or compare by a metric that is finite."
        )
    return values


def _numbers(name: str, given: Any, unit: str) -> NDArray[np.float64]:
    """Give numbers, NaN where one is masked; dates are none, though numpy makes numbers of them."""
    try:
        if np.asarray(given).dtype.kind in "mM":
            raise TypeError(given)
        return np.asarray(np.ma.filled(np.ma.asarray(given, dtype=np.float64), np.nan))
    except (TypeError, ValueError) as error:
        raise DataTypeError(f"{name} must hold numbers, one a {unit}; got {type(given).__name__}.") from error
