"""The columns of a table to check: each coded once into ranks or categories, with its counts by class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

_SEEN = 1_000  # known values of a column that are looked at as text, spread over the rows


@dataclass(frozen=True, eq=False)
class CheckedColumn:
    """A column coded once: numbers and dates by rank, other values by category; -1 is missing.

    Parameters
    ----------
    name : str
        Its name.
    kind : {"number", "date", "nominal"}
        What its type says.
    codes : array of shape (n_rows,)
        The code of each row.
    values : array
        The distinct values, by code; those of numbers and dates are sorted.
    counts : array of shape (n_values, n_classes)
        The rows of each value by class.
    missing : array of shape (n_classes,)
        The rows of each class without a value.
    is_declared : bool
        Whether its categories were declared, not read as text.
    """

    name: str
    kind: str
    codes: NDArray[np.int64]
    values: NDArray[Any]
    counts: NDArray[np.int64]
    missing: NDArray[np.int64]
    is_declared: bool = False

    @property
    def n_values(self) -> int:
        """Number of distinct values."""
        return len(self.values)

    @property
    def n_known(self) -> int:
        """Number of rows with a value."""
        return len(self.codes) - int(self.missing.sum())

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """The number of rows of each value."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def is_ranked(self) -> bool:
        """Whether codes are ranks of values."""
        return self.kind != "nominal"

    @cached_property
    def has_strings(self) -> bool:
        """Whether the values are text."""
        return self.kind == "nominal" and bool(self.n_values) and isinstance(self.values[0], str)

    @cached_property
    def some_texts(self) -> list[str]:
        """Some of the distinct values as text; empty where they are not text."""
        if not self.has_strings:
            return []
        return [str(each) for each in self.values[:: max(1, self.n_values // _SEEN)]]

    @cached_property
    def mid_ranks(self) -> NDArray[np.float64]:
        """The mean rank of each row among the rows with a value, from 0 to 1; missing values have the middle one."""
        totals = self.totals.astype(np.float64)
        middle = (np.cumsum(totals) - totals / 2) / max(1, self.n_known)
        return np.append(middle, 0.5)[self.codes]


def code_column(name: str, column: pd.Series[Any], classes: NDArray[np.int64], n_classes: int) -> CheckedColumn:
    """Return a column coded, with its counts by class.

    Examples
    --------
    >>> import pandas as pd
    >>> coded = code_column("x", pd.Series([3.0, None, 1.0, 3.0]), np.array([0, 0, 1, 1]), 2)
    >>> coded.codes.tolist(), coded.counts.tolist(), coded.missing.tolist()
    ([1, -1, 0, 1], [[0, 1], [1, 1]], [1, 0])
    """
    import pandas as pd

    dtype = column.dtype
    kind = "date" if dtype.kind in "mM" else "number" if dtype.kind in "iuf" else "nominal"
    values: Any = column
    if kind == "number":
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    elif dtype.name == "category":
        values = column.astype(object)
    elif kind == "nominal" and dtype.kind == "O":
        values = column.map(_hashable)
    codes, distinct = pd.factorize(values, sort=kind != "nominal")
    table = np.bincount((codes + 1) * n_classes + classes, minlength=(len(distinct) + 1) * n_classes)
    counts = table.reshape(-1, n_classes)
    is_declared = dtype.name == "category"
    coded = np.asarray(codes, np.int64), np.asarray(distinct)
    return CheckedColumn(name, kind, *coded, counts[1:], counts[0], is_declared)


def _hashable(value: Any) -> Any:
    try:
        hash(value)
    except TypeError:
        return str(value)
    return value
