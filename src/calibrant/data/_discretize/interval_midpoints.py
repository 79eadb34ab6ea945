"""Intervals as numbers again: the midpoint of each, between the least and the greatest training value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["interval_midpoints", "read_intervals", "replace_numbers"]


def interval_midpoints(cuts: NDArray[np.float64], values: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return the midpoint of each interval; the outer ones end at the least and the greatest of sorted values.

    Examples
    --------
    >>> interval_midpoints(np.array([5.0]), np.array([1.0, 2.0, 8.0]))
    array([3. , 6.5])
    """
    if values is None or len(values) == 0:
        return np.full(len(cuts) + 1, np.nan)
    ends = np.concatenate([values[:1], cuts, values[-1:]])
    low, high = ends[:-1], ends[1:]
    with np.errstate(invalid="ignore"):  # from -inf to inf there is no middle
        middle = low / 2 + high / 2
    return np.where(np.isfinite(middle), middle, np.where(np.isfinite(low), low, high))


def read_intervals(name: str, values: list[Any], labels: list[str]) -> NDArray[np.intp]:
    """Return the index of each interval, given as an index or as its label; -1 for a missing value.

    Examples
    --------
    >>> read_intervals("size", ["(5.0, inf)", 0, None], ["(-inf, 5.0]", "(5.0, inf)"])
    array([ 1,  0, -1])
    """
    index = {label: code for code, label in enumerate(labels)} | {code: code for code in range(len(labels))}
    codes = [index.get(value, -1) for value in values]
    for code, value in zip(codes, values, strict=True):
        if code < 0 and not (value is None or value != value):
            raise DataError(
                f"column {name!r} must hold intervals of `transform`, indices below {len(labels)} or labels such as "
                f"{labels[0]!r}; got {value!r:.60}."
            )
    return np.array(codes, dtype=np.intp)


def replace_numbers(frame: Any, columns: dict[str, NDArray[np.float64]]) -> Any:
    """Return the frame with some columns replaced by numbers; NaN is null in libraries that have one.

    Examples
    --------
    >>> import pandas as pd
    >>> replace_numbers(nw.from_native(pd.DataFrame({"a": ["u"], "b": ["v"]}), eager_only=True), {"b": np.array([2.5])})
       a    b
    0  u  2.5
    """
    backend = frame.implementation
    keeps_nan = backend is nw.Implementation.PANDAS
    new = [
        nw.new_series(name, values if keeps_nan else _with_nulls(values), nw.Float64, backend=backend)
        for name, values in columns.items()
    ]
    return frame.with_columns(new).to_native() if new else frame.to_native()


def _with_nulls(values: NDArray[np.float64]) -> list[float | None]:
    return [None if np.isnan(value) else value for value in values.tolist()]
