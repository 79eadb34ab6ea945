"""Intervals as columns of a frame: ordered categories, or the midpoint of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from calibrant.exceptions import DataError


def interval_labels(cuts: NDArray[np.float64]) -> list[str]:
    """Return the labels of the intervals between cut points, in ascending order.

    Examples
    --------
    >>> interval_labels(np.array([2.45, 4.75]))
    ['(-inf, 2.45]', '(2.45, 4.75]', '(4.75, inf)']
    """
    ends = ["-inf", *map(repr, cuts.tolist()), "inf"]
    labels = [f"({low}, {high}]" for low, high in pairwise(ends)]
    return [*labels[:-1], labels[-1][:-1] + ")"]


def replace_columns(
    frame: Any, positions: Sequence[int], columns: Sequence[tuple[NDArray[np.int32], list[str]] | None]
) -> Any:
    """Return the columns of a frame at ``positions``, those with codes and labels as ordered categories.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"a": ["u", "v"], "b": [0.5, 9.0]})
    >>> replace_columns(frame, [1, 0], [(np.array([0, 1]), ["low", "high"]), None])
          b  a
    0   low  u
    1  high  v
    """
    native = nw.from_native(frame, eager_only=True)
    kept = native.select([native.columns[position] for position in positions])
    return _REPLACE[kept.implementation](kept.to_native(), columns)


def _in_pandas(frame: Any, columns: Any) -> Any:
    import pandas as pd

    frame = frame.copy(deep=False)
    for name, column in zip(frame.columns, columns, strict=True):
        if column is not None:
            codes, labels = column
            frame[name] = pd.Categorical.from_codes(codes, labels, ordered=True)
    return frame


def _in_polars(frame: Any, columns: Any) -> Any:
    import polars as pl

    new = []
    for name, column in zip(frame.columns, columns, strict=True):
        if column is not None:
            codes = pl.Series(column[0])
            labels = pl.Series(name, column[1], dtype=pl.Enum(column[1]))
            new.append(labels.gather(codes.set(codes < 0, None)))
    return frame.with_columns(new)


def _in_pyarrow(table: Any, columns: Any) -> Any:
    import pyarrow as pa

    for position, column in enumerate(columns):
        if column is not None:
            codes = pa.array(column[0], mask=column[0] < 0)
            array = pa.DictionaryArray.from_arrays(codes, pa.array(column[1]), ordered=True)
            table = table.set_column(position, table.column_names[position], array)
    return table


_REPLACE: dict[nw.Implementation, Callable[[Any, Any], Any]] = {
    nw.Implementation.PANDAS: _in_pandas,
    nw.Implementation.POLARS: _in_polars,
    nw.Implementation.PYARROW: _in_pyarrow,
}


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
