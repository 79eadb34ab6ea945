"""Interval codes as ordered categories in a frame of pandas, polars or pyarrow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["interval_labels", "replace_columns"]


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
